//! The tokens' contents: id -> content and content -> id.
//!
//! Idea: all contents lie end to end in one arena, in the order of their ids; an open-addressed table of hashes finds a
//! content.
//!
//! Invariant: `ids` ascends strictly; `ends[k]` is where the content of `ids[k]` ends; every content is in the table
//! exactly once, and a hit is always confirmed by comparing bytes.
//!
//! Cost: building is linear in the bytes; a look-up is linear in the content.

use crate::encode::piece::LONGEST;
use crate::hash::{Mix, low};

/// No id, no rank, no index: ids and ranks stay below it.
pub(crate) const NONE: u32 = u32::MAX;

/// One slot of the table: a part of the hash, and the index of the token.
#[derive(Debug, Clone, Copy)]
struct Slot {
    tag: u32,
    index: u32,
}

/// How the index of an id is found.
#[derive(Debug, Clone)]
enum Index {
    /// Ids have no gaps: it is the id.
    Same,
    /// By id, the index or [`NONE`].
    Table(Vec<u32>),
    /// Ids are far apart: by bisection.
    Search,
}

/// Why contents cannot be kept.
pub(super) enum Fault {
    /// An id that stands twice.
    Id(u32),
    /// Two ids with the same content.
    Content(u32, u32),
    /// A token without content.
    Empty(u32),
    /// An id that is too large.
    Large(u32),
    /// A content that is too long.
    Long(u32),
}

/// All tokens' contents.
#[derive(Debug, Clone)]
pub(super) struct Contents {
    ids: Vec<u32>,
    ends: Vec<usize>,
    arena: Vec<u8>,
    index: Index,
    slots: Vec<Slot>,
    mix: Mix,
    longest: usize,
}

impl Contents {
    /// Keeps the tokens, in any order.
    pub(super) fn new<C: AsRef<[u8]>>(mut tokens: Vec<(u32, C)>) -> Result<Self, Fault> {
        if !tokens.is_sorted_by_key(|token| token.0) {
            tokens.sort_by_key(|token| token.0);
        }
        let lengths = tokens.iter().map(|token| token.1.as_ref().len());
        let mut kept = Self {
            ids: Vec::with_capacity(tokens.len()),
            ends: Vec::with_capacity(tokens.len()),
            arena: Vec::with_capacity(lengths.clone().sum()),
            index: Index::Same,
            slots: vec![Slot { tag: 0, index: NONE }; (tokens.len() * 2).next_power_of_two().max(2)],
            mix: Mix::random(),
            longest: lengths.max().unwrap_or(0),
        };
        for (id, content) in &tokens {
            kept.add(*id, content.as_ref())?;
        }
        kept.index_ids();
        Ok(kept)
    }

    fn add(&mut self, id: u32, content: &[u8]) -> Result<(), Fault> {
        if id == NONE {
            return Err(Fault::Large(id));
        }
        if self.ids.last() == Some(&id) {
            return Err(Fault::Id(id));
        }
        if content.is_empty() {
            return Err(Fault::Empty(id));
        }
        if content.len() > LONGEST {
            return Err(Fault::Long(id));
        }
        let hash = self.mix.bytes(content);
        let (at, found) = self.seek(hash, content);
        if let Some(index) = found {
            return Err(Fault::Content(self.ids[index], id));
        }
        // Ids are strictly ascending and below NONE, so there are fewer than NONE of them.
        let index = u32::try_from(self.ids.len()).unwrap_or(NONE);
        self.slots[at] = Slot { tag: tag(hash), index };
        self.arena.extend_from_slice(content);
        self.ids.push(id);
        self.ends.push(self.arena.len());
        Ok(())
    }

    /// A direct table id -> index, unless the ids are so far apart that it would be mostly empty.
    fn index_ids(&mut self) {
        let ids = self.n_vocab();
        if ids == self.ids.len() {
            return;
        }
        if ids > self.ids.len() * 8 + 65_536 {
            self.index = Index::Search;
            return;
        }
        let mut table = vec![NONE; ids];
        for (index, &id) in (0..NONE).zip(&self.ids) {
            table[id as usize] = index;
        }
        self.index = Index::Table(table);
    }

    /// The highest id + 1.
    pub(super) fn n_vocab(&self) -> usize {
        self.ids.last().map_or(0, |&id| id as usize + 1)
    }

    /// How many tokens there are.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The length of the longest content.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// The ids, ascending.
    pub(super) fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The content of an id.
    #[inline]
    pub(super) fn get(&self, id: u32) -> Option<&[u8]> {
        let index = match &self.index {
            Index::Same => id as usize,
            Index::Table(table) => table.get(id as usize).copied().filter(|&index| index != NONE)? as usize,
            Index::Search => self.ids.binary_search(&id).ok()?,
        };
        (index < self.ids.len()).then(|| self.at(index))
    }

    /// The content of the token with this index in `ids`.
    fn at(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.arena[start..self.ends[index]]
    }

    /// The id of a content.
    pub(super) fn id_of(&self, content: &[u8]) -> Option<u32> {
        if content.len() > self.longest {
            return None;
        }
        self.seek(self.mix.bytes(content), content).1.map(|index| self.ids[index])
    }

    /// The slot of a content, or the empty slot where it belongs, and its index.
    fn seek(&self, hash: u64, content: &[u8]) -> (usize, Option<usize>) {
        let mask = self.slots.len() - 1;
        let tag = tag(hash);
        let mut at = low(hash) & mask;
        loop {
            let slot = self.slots[at];
            if slot.index == NONE {
                return (at, None);
            }
            if slot.tag == tag && self.at(slot.index as usize) == content {
                return (at, Some(slot.index as usize));
            }
            at = (at + 1) & mask;
        }
    }
}

/// The part of a hash that a slot keeps.
fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}
