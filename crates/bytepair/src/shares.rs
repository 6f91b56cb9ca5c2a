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

/// Does the work of each share, the first on this thread and each other on one of its own: the results in their order.
pub(crate) fn run<R: Send>(shares: &[Range<usize>], work: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
    let Some((own, others)) = shares.split_first() else { return Vec::new() };
    let (own, mut results) = run_beside(|| work(own.clone()), others, &work);
    results.insert(0, own);
    results
}

/// Does `own` on this thread and the work of each share on one of its own: the results, those of the shares in their order.
pub(crate) fn run_beside<O, R: Send>(
    own: impl FnOnce() -> O,
    shares: &[Range<usize>],
    work: impl Fn(Range<usize>) -> R + Sync,
) -> (O, Vec<R>) {
    thread::scope(|scope| {
        let work = &work;
        let start = |share: &Range<usize>| {
            let share = share.clone();
            thread::Builder::new().spawn_scoped(scope, move || work(share))
        };
        let running: Vec<_> = shares.iter().map(start).collect();
        let own = own();
        let results = shares.iter().zip(running).map(|(share, thread)| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|payload| resume_unwind(payload)),
            // The system gave no thread: the work is done here.
            Err(_) => work(share.clone()),
        });
        (own, results.collect())
    })
}
