//! Many lists of bytes or ids, shared out to threads.

use std::ops::Range;
use std::panic::resume_unwind;
use std::thread;

/// Cuts the lists into at most `threads` contiguous shares of about equally many items, of at least about `least` each where
/// there is more than one: a list belongs to the share that its middle lies in. No list, no share.
pub(crate) fn shares<T>(lists: &[&[T]], threads: usize, least: usize) -> Vec<Range<usize>> {
    let total: usize = lists.iter().map(|list| list.len()).sum();
    let number = threads.min(total / least).max(1);
    let mut shares: Vec<Range<usize>> = Vec::with_capacity(number);
    let (mut start, mut seen) = (0, 0);
    for (index, list) in lists.iter().enumerate() {
        let middle = seen + list.len() / 2;
        if index > start && middle >= total / number * (shares.len() + 1) && shares.len() + 1 < number {
            shares.push(start..index);
            start = index;
        }
        seen += list.len();
    }
    if start < lists.len() {
        shares.push(start..lists.len());
    }
    shares
}

/// Does the work of each item, the first on this thread and each other on one of its own: the results in their order.
pub(crate) fn run<T: Send, R: Send>(items: impl IntoIterator<Item = T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let mut places: Vec<(Option<T>, Option<R>)> = items.into_iter().map(|item| (Some(item), None)).collect();
    let fill = |place: &mut (Option<T>, Option<R>)| {
        if let Some(item) = place.0.take() {
            place.1 = Some(work(item));
        }
    };
    if let Some((own, others)) = places.split_first_mut() {
        thread::scope(|scope| {
            let fill = &fill;
            let start = |place| thread::Builder::new().spawn_scoped(scope, move || fill(place));
            let running: Vec<_> = others.iter_mut().map(start).collect();
            fill(own);
            for thread in running.into_iter().flatten() {
                thread.join().unwrap_or_else(|payload| resume_unwind(payload));
            }
        });
    }
    // Where the system gave no thread, the work is done here.
    places.iter_mut().for_each(fill);
    places.into_iter().filter_map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::shares;

    /// The items of each share.
    fn sizes(lengths: &[usize], threads: usize) -> Vec<usize> {
        let lists: Vec<Vec<u8>> = lengths.iter().map(|&length| vec![0; length]).collect();
        let lists: Vec<&[u8]> = lists.iter().map(Vec::as_slice).collect();
        let shares = shares(&lists, threads, 1);
        assert_eq!(shares.iter().cloned().flatten().collect::<Vec<_>>(), (0..lists.len()).collect::<Vec<_>>());
        shares.into_iter().map(|share| lengths[share].iter().sum()).collect()
    }

    #[test]
    fn shares_are_about_equal() {
        assert_eq!(sizes(&[99, 98, 3], 2), [99, 101], "pieces a little shorter than half");
        assert_eq!(sizes(&[101, 98, 1], 2), [101, 99]);
        assert_eq!(sizes(&[10; 12], 4), [30; 4]);
        assert_eq!(sizes(&[1, 1, 98], 2), [2, 98]);
        assert_eq!(sizes(&[98, 1, 1], 2), [98, 2]);
        assert_eq!(sizes(&[0, 0, 5, 0], 3), [0, 5, 0]);
        assert_eq!(sizes(&[], 3), Vec::<usize>::new());
    }
}
