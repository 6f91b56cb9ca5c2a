//! The tokens' contents: id -> content and content -> id.
//!
//! Idea: all contents lie end to end in one arena, in the order of their ids; an open-addressed table of hashes finds a
//! content.
//!
//! Invariant: `ids` ascends strictly; `ends[k]` is where the content of `ids[k]` ends; every content is in the table
//! exactly once, and a hit is always confirmed by comparing bytes. Of ids with the same content one is in the table, and
//! the others are its `twins`.
//!
//! Cost: building is linear in the bytes; a look-up is linear in the content.

use crate::encode::piece::LONGEST;
use crate::hash::{Mix, low};
use crate::memory::{filled, prefetch};
use crate::vocabulary::Tokens;

/// No id, no rank, no index: ids and ranks stay below it.
pub(crate) const NONE: u32 = u32::MAX;

/// One slot of the table: a part of the hash, and the index of the token.
#[derive(Debug, Clone, Copy)]
struct Slot {
    tag: u32,
    index: u32,
}

/// How many slots are asked for at a time, so that the processor waits for all at once.
const AT_ONCE: usize = 32;

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
    /// The ids that are not found by their content, since another has the same; ascending.
    twins: Vec<u32>,
    slots: Vec<Slot>,
    mix: Mix,
    longest: usize,
}

impl Contents {
    /// Keeps the tokens. Of ids with the same content, the content finds the first, or the `last`.
    pub(super) fn new(tokens: Tokens, last: bool) -> Result<Self, Fault> {
        let Tokens { ids, ends, contents } = tokens.sorted();
        let starts = [0].into_iter().chain(ends.iter().copied());
        let mut kept = Self {
            longest: starts.zip(&ends).map(|(start, end)| end - start).max().unwrap_or(0),
            slots: filled(Slot { tag: 0, index: NONE }, (ids.len() * 2).next_power_of_two().max(2)),
            mix: Mix::random(),
            ids,
            ends,
            arena: contents,
            index: Index::Same,
            twins: Vec::new(),
        };
        kept.arena.shrink_to_fit();
        for from in (0..kept.ids.len()).step_by(AT_ONCE) {
            let to = kept.ids.len().min(from + AT_ONCE);
            let mut hashes = [0; AT_ONCE];
            for (hash, index) in hashes.iter_mut().zip(from..to) {
                *hash = kept.mix.bytes(kept.at(index));
                prefetch(&raw const kept.slots[low(*hash) & (kept.slots.len() - 1)]);
            }
            for (hash, index) in hashes.into_iter().zip(from..to) {
                kept.add(index, hash, last)?;
            }
        }
        kept.twins.sort_unstable();
        kept.index_ids();
        Ok(kept)
    }

    /// Adds the token with this index in `ids` to the table; those before it are there.
    fn add(&mut self, index: usize, hash: u64, last: bool) -> Result<(), Fault> {
        let (id, content) = (self.ids[index], self.at(index));
        if id == NONE {
            return Err(Fault::Large(id));
        }
        if index > 0 && self.ids[index - 1] == id {
            return Err(Fault::Id(id));
        }
        if content.is_empty() {
            return Err(Fault::Empty(id));
        }
        if content.len() > LONGEST {
            return Err(Fault::Long(id));
        }
        let (at, found) = self.seek(hash, content);
        if let Some(other) = found {
            self.twins.push(if last { self.ids[other] } else { id });
            if !last {
                return Ok(());
            }
        }
        // Ids are strictly ascending and below NONE, so there are fewer than NONE of them.
        self.slots[at] = Slot { tag: tag(hash), index: u32::try_from(index).unwrap_or(NONE) };
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

    /// The ids that are not found by their content, since another has the same; ascending.
    pub(super) fn twins(&self) -> &[u32] {
        &self.twins
    }

    /// Whether the content of this id finds it.
    pub(super) fn is_found(&self, id: u32) -> bool {
        self.twins.is_empty() || self.twins.binary_search(&id).is_err()
    }

    /// The content of an id.
    #[inline]
    pub(super) fn get(&self, id: u32) -> Option<&[u8]> {
        self.index_of(id).map(|index| self.at(index))
    }

    /// The index of an id in `ids`.
    #[inline]
    pub(super) fn index_of(&self, id: u32) -> Option<usize> {
        let index = match &self.index {
            Index::Same => id as usize,
            Index::Table(table) => table.get(id as usize).copied().filter(|&index| index != NONE)? as usize,
            Index::Search => self.ids.binary_search(&id).ok()?,
        };
        (index < self.ids.len()).then_some(index)
    }

    /// All contents, in the order of the ids.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.ends.iter().scan(0, |start, &end| Some(&self.arena[std::mem::replace(start, end)..end]))
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

    /// Asks for what may be the slot of a content to be fetched.
    #[inline]
    pub(super) fn ask_for(&self, content: &[u8]) {
        if content.len() <= self.longest {
            prefetch(&raw const self.slots[low(self.mix.bytes(content)) & (self.slots.len() - 1)]);
        }
    }

    /// The id of each content, or [`NONE`]; sooner than one by one. What may be the slot of each is read before any is
    /// looked at, so that the processor waits for many at once; then where each content is, then the contents.
    pub(super) fn ids_of(&self, contents: &[&[u8]], ids: &mut Vec<u32>) {
        let mask = self.slots.len() - 1;
        ids.clear();
        for some in contents.chunks(AT_ONCE) {
            let mut likely = [(0, NONE); AT_ONCE];
            for ((hash, index), content) in likely.iter_mut().zip(some) {
                *hash = self.mix.bytes(content);
                let slot = self.slots[low(*hash) & mask];
                *index = if slot.tag == tag(*hash) { slot.index } else { NONE };
            }
            let mut places = [&[][..]; AT_ONCE];
            for (place, &(_, index)) in places.iter_mut().zip(&likely[..some.len()]) {
                if index != NONE {
                    *place = self.at(index as usize);
                }
            }
            ids.extend(some.iter().zip(places).zip(likely).map(|((&content, place), (hash, index))| {
                if place == content && index != NONE {
                    return self.ids[index as usize];
                }
                self.seek(hash, content).1.map_or(NONE, |index| self.ids[index])
            }));
        }
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

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test's way to fail
mod tests {
    use super::{Contents, NONE, low};
    use crate::hash::crafted;

    fn contents(tokens: Vec<Vec<u8>>) -> Contents {
        Contents::new((0..).zip(tokens).collect::<Vec<_>>().into(), false).ok().unwrap()
    }

    /// How many slots lie between a content's own slot and the one that it stands in, at most.
    fn longest_probe(contents: &Contents) -> usize {
        let mask = contents.slots.len() - 1;
        let taken = contents.slots.iter().enumerate().filter(|(_, slot)| slot.index != NONE);
        let home = |index: u32| low(contents.mix.bytes(contents.at(index as usize))) & mask;
        taken.map(|(at, slot)| at.wrapping_sub(home(slot.index)) & mask).max().unwrap()
    }

    #[test]
    fn contents_crafted_against_one_table_are_harmless_in_another() {
        let one = contents(vec![vec![0]]);
        let numbers = (0_u64..).map(|number| [&number.to_le_bytes()[..], b"crafted"].concat());
        let tokens = crafted(1 << 10, numbers, |token| one.mix.bytes(token), 512);
        assert_eq!(tokens[0].len(), 15);
        let two = contents(tokens);
        assert_eq!(two.slots.len(), 1 << 10);
        assert!(longest_probe(&two) < 100, "{}", longest_probe(&two));
    }

    #[test]
    fn many_ids_are_found_as_one_by_one() {
        let words: Vec<Vec<u8>> = (0..3000_u32).map(|number| number.to_string().into_bytes()).collect();
        let kept = contents(words.iter().filter(|word| word.len() != 2).cloned().collect());
        let mut ids = Vec::new();
        let sought: Vec<&[u8]> = words.iter().map(Vec::as_slice).chain([&b""[..]]).collect();
        kept.ids_of(&sought, &mut ids);
        assert_eq!(ids.len(), sought.len());
        for (word, id) in sought.iter().zip(ids) {
            assert_eq!(kept.id_of(word).unwrap_or(NONE), id);
            assert_eq!(id == NONE, matches!(word.len(), 0 | 2));
        }
    }
}
