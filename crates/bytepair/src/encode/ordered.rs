//! Pairs in order, of which the k-th is asked for.
//!
//! Idea: a list in blocks. The block of a pair is found by its first one, and within it all is a search and a move of at most
//! [`MOST`] pairs; the k-th is found by the lengths of the blocks. Most pretokens never fill one.
//!
//! Invariant: all blocks together ascend; none is empty, except the only one of an empty set.
//!
//! Cost: a pair in or out takes log n and a move of one block; the k-th, a look at the blocks before it.

/// A rank, and where the left symbol stands.
pub(super) type Pair = (u32, u32);

/// The most pairs of a block.
const MOST: usize = 512;

/// A set of pairs.
#[derive(Debug)]
pub(super) struct Ordered {
    blocks: Vec<Vec<Pair>>,
    len: usize,
}

impl Ordered {
    pub(super) fn new() -> Self {
        Self { blocks: vec![Vec::new()], len: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.blocks.truncate(1);
        self.blocks.iter_mut().for_each(Vec::clear);
        self.len = 0;
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The index of the block that a pair belongs into.
    fn block(&self, pair: Pair) -> usize {
        self.blocks.partition_point(|block| block.first().is_none_or(|&first| first <= pair)).saturating_sub(1)
    }

    /// Puts a pair in, unless it is there.
    pub(super) fn insert(&mut self, pair: Pair) {
        let index = self.block(pair);
        let Some(block) = self.blocks.get_mut(index) else { return };
        if let Err(at) = block.binary_search(&pair) {
            block.insert(at, pair);
            self.len += 1;
        }
        if block.len() > MOST {
            let half = block.split_off(MOST / 2);
            self.blocks.insert(index + 1, half);
        }
    }

    /// Takes a pair out, if it is there.
    pub(super) fn remove(&mut self, pair: Pair) {
        let index = self.block(pair);
        let Some(block) = self.blocks.get_mut(index) else { return };
        if let Ok(at) = block.binary_search(&pair) {
            block.remove(at);
            self.len -= 1;
        }
        if block.is_empty() && self.blocks.len() > 1 {
            self.blocks.remove(index);
        }
    }

    /// The pair before which so many stand.
    pub(super) fn nth(&self, mut count: usize) -> Option<Pair> {
        for block in &self.blocks {
            if let Some(&pair) = block.get(count) {
                return Some(pair);
            }
            count -= block.len();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::Ordered;

    proptest! {
        #[test]
        fn it_is_a_sorted_set(steps in prop::collection::vec((any::<bool>(), 0u32..40, 0u32..200), 0..6000)) {
            let (mut ours, mut plain) = (Ordered::new(), BTreeSet::new());
            for (adds, rank, place) in steps {
                if adds || plain.len() < 1500 {
                    ours.insert((rank, place));
                    plain.insert((rank, place));
                } else {
                    ours.remove((rank, place));
                    plain.remove(&(rank, place));
                }
                prop_assert_eq!(ours.len(), plain.len());
            }
            let all: Vec<_> = (0..).map_while(|count| ours.nth(count)).collect();
            prop_assert_eq!(&all, &plain.iter().copied().collect::<Vec<_>>());
            for pair in all {
                ours.remove(pair);
            }
            prop_assert_eq!(ours.len(), 0);
            prop_assert_eq!(ours.nth(0), None);
        }
    }
}
