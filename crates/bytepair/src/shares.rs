//! Many texts, shared out to threads.

use std::ops::Range;

/// Cuts the texts into at most `threads` contiguous shares of about equal bytes, of at least about `least` bytes each where
/// there is more than one. No text, no share.
pub(crate) fn shares(texts: &[&[u8]], threads: usize, least: usize) -> Vec<Range<usize>> {
    let total: usize = texts.iter().map(|text| text.len()).sum();
    let number = threads.min(total / least).max(1);
    let mut shares = Vec::with_capacity(number);
    let (mut start, mut seen) = (0, 0);
    for (index, text) in texts.iter().enumerate() {
        seen += text.len();
        if seen >= total / number * (shares.len() + 1) && shares.len() + 1 < number {
            shares.push(start..index + 1);
            start = index + 1;
        }
    }
    if start < texts.len() {
        shares.push(start..texts.len());
    }
    shares
}
