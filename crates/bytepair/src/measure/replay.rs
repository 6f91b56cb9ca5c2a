//! Every vocabulary size from one pass: which merge changed which token's count, and by how much.
//!
//! Idea: merging is greedy, so the first K merges *are* the tokenizer of K merges. A pretoken's merging by that
//! tokenizer is the run of the whole one up to the first firing of rank K or more; so each firing is charged to the
//! running maximum of the ranks fired so far (merge lists need not be monotonic), and K merges are all that is charged
//! below K. Where whole pretokens are looked up first, the whole replaces what is left of the run from its own rank on.
//!
//! Invariant: from `base`, adding all changes of a rank below K gives how often the tokenizer of the first K merges makes
//! each token. The merges of a rank file are its tokens of two bytes and more, in the order of their ids; what no merge
//! makes, and lookup finds, comes with the last merge.
//!
//! Cost: one merging of each distinct pretoken, one look-up in a table a firing; the table has a few entries a merge.

use std::collections::HashMap;

use crate::cancel::{Cancel, Meter};
use crate::encode::piece::Merged;
use crate::encode::symbols::symbols;
use crate::encode::{Buffers, replaced, whole};
use crate::error::{Error, Report, Result};
use crate::tokenizer::{Tokenizer, UnknownSymbol};
use crate::unicode::ranges;
use crate::vocabulary::{NONE, Vocabulary};

/// By how much one merge changes the count of one token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// The merge, by its place.
    pub merge: u32,
    /// The token.
    pub id: u32,
    /// How many more of it there are, in all text.
    pub delta: i64,
}

/// What pretokens become, at every vocabulary size.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replay {
    /// How many merges there are: the sizes are 0 to this.
    pub merges: usize,
    /// (id, count) of the base symbols, before any merge, by id.
    pub base: Vec<(u32, i64)>,
    /// The changes, by merge and id.
    pub changes: Vec<Change>,
    /// (merge, pretokens with a letter that it makes one token), by merge.
    pub wholes: Vec<(u32, i64)>,
    /// Pretokens with a letter.
    pub words: i64,
    /// Pretokens with a letter that are one symbol before any merge.
    pub symbols: i64,
    /// Characters of all pretokens, an invalid byte being one.
    pub characters: i64,
}

impl Tokenizer {
    /// What the pretokens, each with how often it occurs, become at every vocabulary size.
    ///
    /// # Errors
    /// [`Error::UnknownSymbol`] as [`encode`](Self::encode), with the place in the pretoken; [`Error::Training`] if there are
    /// more than 2^63 - 1 bytes; [`Error::Interrupted`].
    pub fn replay<'a>(
        &self,
        pretokens: impl Iterator<Item = (&'a [u8], u64)>,
        unknown: UnknownSymbol,
        cancel: Cancel<'_>,
    ) -> Result<Replay> {
        let mut run = Run::new(self.vocabulary(), unknown);
        let mut meter = Meter::new(cancel);
        let (mut bytes, mut total) = (0, 0_u64);
        for (pretoken, count) in pretokens {
            meter.reach(bytes)?;
            bytes += pretoken.len() + 1;
            // An end-of-word mark is one more symbol.
            let more = count.checked_mul(pretoken.len() as u64 + 1).and_then(|more| total.checked_add(more));
            let sum = more.filter(|&sum| i64::try_from(sum).is_ok()).ok_or_else(too_many)?;
            total = sum;
            run.pretoken(pretoken, i64::try_from(count).map_err(|_| too_many())?)?;
        }
        Ok(run.done())
    }
}

fn too_many() -> Error {
    Error::Training(Report::new(
        format!("the pretokens have more than {} bytes together", i64::MAX),
        "give less text, or smaller counts",
    ))
}

/// The tables that grow while pretokens are merged.
struct Run<'a> {
    vocabulary: &'a Vocabulary,
    unknown: UnknownSymbol,
    places: Places<'a>,
    letters: Vec<(u32, u32)>,
    buffers: Buffers,
    merged: Vec<Merged>,
    base: HashMap<u32, i64>,
    changes: HashMap<(u32, u32), i64>,
    wholes: HashMap<u32, i64>,
    replay: Replay,
}

impl<'a> Run<'a> {
    fn new(vocabulary: &'a Vocabulary, unknown: UnknownSymbol) -> Self {
        Self {
            vocabulary,
            unknown,
            places: Places::new(vocabulary),
            letters: ranges("L").unwrap_or_default(),
            buffers: Buffers::default(),
            merged: Vec::new(),
            base: HashMap::new(),
            changes: HashMap::new(),
            wholes: HashMap::new(),
            replay: Replay::default(),
        }
    }

    /// Adds what one pretoken becomes, `count` times.
    fn pretoken(&mut self, word: &[u8], count: i64) -> Result<()> {
        let (characters, is_word) = self.look_at(word);
        self.replay.characters += characters * count;
        self.replay.words += if is_word { count } else { 0 };
        let whole = whole(self.vocabulary, word, &mut self.buffers);
        let piece = &mut self.buffers.piece;
        piece.symbols.clear();
        symbols(self.vocabulary, word, 0, self.unknown, |id, _, _| piece.symbols.push(id))?;
        let mut state: Vec<u32> = piece.symbols.iter().map(|&id| replaced(id, self.unknown)).collect();
        if let Some(id) = whole.filter(|_| self.places.merges == 0) {
            // There is no merge that it could come with.
            state = vec![id];
            piece.symbols.clear();
        }
        for &id in &state {
            *self.base.entry(id).or_default() += count;
        }
        if state.len() < 2 {
            self.replay.symbols += if is_word && state.len() == 1 { count } else { 0 };
            return Ok(());
        }
        self.merged.clear();
        let merged = &mut self.merged;
        piece.merge(self.vocabulary, NONE, |one| merged.push(one), |_, _| {});
        piece.trim();
        let last = self.fire(&mut state, whole, count);
        if let Some(merge) = last.filter(|_| is_word) {
            *self.wholes.entry(merge).or_default() += count;
        }
        Ok(())
    }

    /// Charges the firings of a pretoken; the merge that made it one token, if any did. [`NONE`] stands where a symbol
    /// was joined to the one before it.
    fn fire(&mut self, state: &mut [u32], whole: Option<u32>, count: i64) -> Option<u32> {
        let limit = whole.map(|id| self.places.of_whole(id));
        let (mut charged, mut left) = (0, state.len());
        for merged in &self.merged {
            charged = charged.max(self.places.of_rank(merged.rank));
            if limit.is_some_and(|limit| charged >= limit) {
                break;
            }
            for (id, delta) in [(merged.pair.0, -count), (merged.pair.1, -count), (merged.id, count)] {
                *self.changes.entry((charged, replaced(id, self.unknown))).or_default() += delta;
            }
            state[merged.left] = merged.id;
            state[merged.right] = NONE;
            left -= 1;
        }
        let (Some(id), Some(limit)) = (whole, limit) else { return (left == 1).then_some(charged) };
        if left == 1 {
            return Some(charged);
        }
        for &id in state.iter().filter(|&&id| id != NONE) {
            *self.changes.entry((limit, id)).or_default() -= count;
        }
        *self.changes.entry((limit, id)).or_default() += count;
        Some(limit)
    }

    /// How many characters a pretoken has, and whether one is a letter.
    fn look_at(&self, word: &[u8]) -> (i64, bool) {
        let (mut characters, mut is_word) = (0, false);
        for chunk in word.utf8_chunks() {
            for character in chunk.valid().chars() {
                characters += 1;
                is_word = is_word || self.is_letter(character);
            }
            characters += i64::from(!chunk.invalid().is_empty());
        }
        (characters, is_word)
    }

    fn is_letter(&self, character: char) -> bool {
        if character.is_ascii() {
            return character.is_ascii_alphabetic();
        }
        let point = u32::from(character);
        let after = self.letters.partition_point(|&(first, _)| first <= point);
        after.checked_sub(1).and_then(|at| self.letters.get(at)).is_some_and(|&(_, last)| point <= last)
    }

    fn done(self) -> Replay {
        let mut changes: Vec<Change> = self.changes.into_iter().map(Change::of).filter(|one| one.delta != 0).collect();
        changes.sort_unstable();
        let (mut base, mut wholes) = (Vec::from_iter(self.base), Vec::from_iter(self.wholes));
        base.sort_unstable();
        wholes.sort_unstable();
        Replay { merges: self.places.merges, base, changes, wholes, ..self.replay }
    }
}

impl Change {
    fn of(((merge, id), delta): ((u32, u32), i64)) -> Self {
        Self { merge, id, delta }
    }
}

/// Which place among the merges a rank has, and the token that is found whole.
struct Places<'a> {
    merges: usize,
    /// Whether ranks are ids, as in a rank file.
    is_ranks: bool,
    /// The ids, ascending.
    ids: &'a [u32],
    /// Beside each id, the place of the first merge that makes it; filled where ranks are ids or wholes are looked up.
    firsts: Vec<u32>,
}

impl<'a> Places<'a> {
    fn new(vocabulary: &'a Vocabulary) -> Self {
        let ids = vocabulary.ids();
        let mut found = Self { merges: 0, is_ranks: vocabulary.is_ranks(), ids, firsts: Vec::new() };
        let Some(merges) = vocabulary.merge_list() else {
            let mut next = 0;
            for &id in ids {
                found.firsts.push(next);
                next += u32::from(vocabulary.content(id).is_some_and(|content| content.len() > 1));
            }
            return Self { merges: next as usize, ..found };
        };
        found.merges = merges.len();
        if vocabulary.whole_first() {
            let last = u32::try_from(merges.len()).unwrap_or(NONE).saturating_sub(1);
            found.firsts = vec![last; ids.len()];
            for (place, &(left, right)) in (0..=last).zip(merges) {
                let at = found.at(vocabulary.made(left, right).id);
                found.firsts[at] = found.firsts[at].min(place);
            }
        }
        found
    }

    /// The index of an id.
    fn at(&self, id: u32) -> usize {
        let dense = id as usize;
        if self.ids.get(dense) == Some(&id) { dense } else { self.ids.partition_point(|&other| other < id) }
    }

    fn of_rank(&self, rank: u32) -> u32 {
        if self.is_ranks { self.of_whole(rank) } else { rank }
    }

    fn of_whole(&self, id: u32) -> u32 {
        self.firsts[self.at(id)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::EncodeOptions;
    use crate::{Alphabet, SpecialTokens, Splitter};

    fn tokens() -> Vec<(u32, Vec<u8>)> {
        let contents: [&[u8]; 7] = [b"a", b"b", b"c", b"ab", b"bc", b"abc", b"cab"];
        (0..).zip(contents).map(|(id, content)| (id, content.to_vec())).collect()
    }

    fn tokenizer(vocabulary: Vocabulary) -> Result<Tokenizer> {
        Tokenizer::new(Splitter::whole(), vocabulary, SpecialTokens::default())
    }

    /// How often each token occurs, with the first merges.
    fn at(replay: &Replay, merges: u32) -> Vec<(u32, i64)> {
        let mut counts: std::collections::BTreeMap<u32, i64> = replay.base.iter().copied().collect();
        for change in replay.changes.iter().filter(|change| change.merge < merges) {
            *counts.entry(change.id).or_default() += change.delta;
        }
        counts.into_iter().filter(|&(_, count)| count != 0).collect()
    }

    fn encoded(tokenizer: &Tokenizer, word: &[u8]) -> Result<Vec<(u32, i64)>> {
        let mut ids = Vec::new();
        tokenizer.encode(word, EncodeOptions::default(), &mut ids)?;
        let mut counts = std::collections::BTreeMap::new();
        for id in ids {
            *counts.entry(id).or_default() += 1;
        }
        Ok(counts.into_iter().collect())
    }

    fn words() -> Vec<Vec<u8>> {
        let mut words = vec![vec![]];
        for start in 0..364 {
            for letter in b"abc" {
                words.push([words[start].as_slice(), &[*letter]].concat());
            }
        }
        words
    }

    #[test]
    fn merges_out_of_order_are_charged_to_the_highest_rank_so_far() -> Result<()> {
        // `abc` fires rank 1, then 0: with one merge alone, nothing fires.
        let merges = vec![(3, 2), (0, 1), (2, 3), (1, 2)];
        for whole_first in [false, true] {
            let all = tokenizer(Vocabulary::from_merges(Alphabet::Bytes, tokens(), merges.clone(), whole_first)?)?;
            for word in words() {
                let replay = all.replay([(&word[..], 1)].into_iter(), UnknownSymbol::Raise, Cancel::default())?;
                assert_eq!(at(&replay, 4), encoded(&all, &word)?, "{word:?}");
                for (kept, end) in (0..4).zip(0..4).filter(|_| !whole_first) {
                    let some = Vocabulary::from_merges(Alphabet::Bytes, tokens(), merges[..end].to_vec(), false)?;
                    assert_eq!(at(&replay, kept), encoded(&tokenizer(some)?, &word)?, "{word:?} {kept}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn a_rank_file_is_its_first_tokens() -> Result<()> {
        let all = tokenizer(Vocabulary::from_ranks(tokens())?)?;
        for word in words() {
            let replay = all.replay([(&word[..], 1)].into_iter(), UnknownSymbol::Raise, Cancel::default())?;
            assert_eq!(replay.merges, 4);
            for (kept, end) in (0..=4).zip(3..) {
                let some = tokenizer(Vocabulary::from_ranks(tokens()[..end].to_vec())?)?;
                assert_eq!(at(&replay, kept), encoded(&some, &word)?, "{word:?} {kept}");
            }
        }
        Ok(())
    }

    #[test]
    fn too_many_bytes_and_unknown_ones_are_errors() -> Result<()> {
        let all = tokenizer(Vocabulary::from_ranks(tokens())?)?;
        let replay = |word: &'static [u8], count| {
            all.replay([(word, count)].into_iter(), UnknownSymbol::Raise, Cancel::default())
        };
        assert!(matches!(replay(b"abc", u64::MAX), Err(Error::Training(_))));
        assert!(matches!(replay(b"abc", 1 << 61), Err(Error::Training(_))));
        assert!(matches!(replay(b"abx", 1), Err(Error::UnknownSymbol { at: 2, .. })));
        assert_eq!(replay(b"", 5)?.base, []);
        Ok(())
    }

    #[test]
    fn it_stops_when_asked() -> Result<()> {
        let all = tokenizer(Vocabulary::from_ranks(tokens())?)?;
        let stop = || true;
        let replay = all.replay([(&b"abc"[..], 1)].into_iter(), UnknownSymbol::Raise, Cancel::new(&stop));
        assert_eq!(replay, Err(Error::Interrupted));
        Ok(())
    }
}
