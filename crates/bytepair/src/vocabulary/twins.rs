//! Which of the tokens with the same content a merge makes: the first merge that makes it the first of them, the second the
//! second, and all later ones the last.
//!
//! So in a file in which each merge makes a token of its own (minbpe's), each makes its own, and where a content is one
//! token, all merges make that. Cost: nothing where no content stands twice.

use rustc_hash::FxHashMap;

use super::contents::Contents;

/// Of the first id of each content that has more, the others, the next one last.
pub(super) struct Twins(FxHashMap<u32, (bool, Vec<u32>)>);

impl Twins {
    pub(super) fn of(contents: &Contents) -> Self {
        let mut made: FxHashMap<u32, (bool, Vec<u32>)> = FxHashMap::default();
        for &twin in contents.twins().iter().rev() {
            if let Some(first) = contents.get(twin).and_then(|content| contents.id_of(content)) {
                made.entry(first).or_default().1.push(twin);
            }
        }
        Self(made)
    }

    /// The id that the next merge makes whose content is looked up as this one.
    pub(super) fn next(&mut self, first: u32) -> u32 {
        let Some((begun, rest)) = self.0.get_mut(&first) else { return first };
        if !std::mem::replace(begun, true) {
            return first;
        }
        if rest.len() > 1 { rest.pop().unwrap_or(first) } else { rest.first().copied().unwrap_or(first) }
    }
}
