//! Many lists of bytes or ids, shared out to threads.

use std::ops::Range;
use std::panic::resume_unwind;
use std::thread;

/// Cuts the lists into at most `threads` contiguous shares of about equally many items, of at least about `least` each where
/// there is more than one. No list, no share.
pub(crate) fn shares<T>(lists: &[&[T]], threads: usize, least: usize) -> Vec<Range<usize>> {
    let total: usize = lists.iter().map(|list| list.len()).sum();
    let number = threads.min(total / least).max(1);
    let mut shares = Vec::with_capacity(number);
    let (mut start, mut seen) = (0, 0);
    for (index, list) in lists.iter().enumerate() {
        seen += list.len();
        if seen >= total / number * (shares.len() + 1) && shares.len() + 1 < number {
            shares.push(start..index + 1);
            start = index + 1;
        }
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
