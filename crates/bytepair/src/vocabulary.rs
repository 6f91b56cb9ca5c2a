//! Tokens, merges and ranks: validated once, immutable after.
//!
//! Idea: a rank file and a merge list become the same thing, a map (left id, right id) -> (rank, id). A merge list
//! gives its own pairs; a rank file means every pair whose concatenation is a token, of which the map holds those
//! that can ever stand side by side (`ranks`). Where the two differ in meaning
//! (whether whole pretokens are looked up first) the difference is a flag, never a guess.
//!
//! Invariant: every id has one content; every pair in the map makes a token whose content is the concatenation. Ids and
//! ranks are independent numbers below `u32::MAX`. Of tokens with the same content, which a merge list may have, the
//! first merge that makes it makes the first of them, the second the second, and all later ones the last; a content is
//! looked up as the first. In a rank file a content is the last of them, as in tiktoken, and nothing makes the others.
//!
//! Cost: building is linear in the bytes of the tokens and the number of pairs.

mod checks;
mod contents;
mod many;
mod narrow;
mod pairs;
mod ranks;
mod tokens;
mod twins;
mod wide;

use std::borrow::Cow;

use crate::error::Result;

pub(crate) use checks::show;
use checks::{check_characters, no_token, not_a_token, part, refuse, stands_twice};
use contents::Contents;
pub(crate) use contents::NONE;
use many::MANY;
pub(crate) use narrow::{NOBODY, Narrow};
use pairs::Pairs;
pub(crate) use pairs::{Made, NOTHING};
pub use tokens::Tokens;
use twins::Twins;

/// What tokens are made of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Alphabet {
    /// The 256 bytes.
    #[default]
    Bytes,
    /// Characters, with an optional mark at the end of each word.
    Characters {
        /// The mark.
        end_of_word: Option<EndOfWord>,
    },
    /// The 256 bytes, and each once more with the end-of-word mark joined to it, as the last of a word: CLIP's. Words are
    /// what the pattern matches; what lies between is dropped.
    MarkedBytes {
        /// How the mark is written, `</w>` say.
        mark: String,
    },
    /// Characters as `SentencePiece` has them: one that is no token becomes the tokens of its bytes, where there are such, or
    /// else the unknown token.
    Unicode {
        /// The id of the unknown token, if there is one.
        unknown: Option<u32>,
        /// Whether unknown characters that follow each other become one unknown token.
        fuse: bool,
    },
}

/// The end-of-word mark of characters mode. It is a symbol: the same letters in a text are not it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndOfWord {
    /// How it is written, `</w>` say.
    pub mark: String,
    /// Whether it is joined to the word's last character, or a symbol of its own.
    pub joined: bool,
}

/// The byte that stands for the end-of-word mark in a token's *content*: it occurs in no UTF-8 text, so
/// the mark can never be confused with the same letters in a text.
///
/// In [`Alphabet::MarkedBytes`] it is the mark at the end of a content of two bytes or more; a content of this one byte is
/// the byte.
///
/// In an [`Alphabet::Unicode`] it stands before the byte that a token of one byte means, `<0x0A>` say: so such a token is
/// not confused with that byte as a character, nor with the same six letters.
pub const MARK: u8 = 0xFF;

/// id -> content, (left id, right id) -> (rank, id), and whether whole pretokens are looked up first.
///
/// A token's *content* is its bytes; in characters mode, UTF-8 with [`MARK`] for the end-of-word mark; in an
/// [`Alphabet::Unicode`], UTF-8, or [`MARK`] and the byte that the token means.
///
/// ```
/// use bytepair::{Alphabet, Vocabulary};
///
/// let tokens = vec![(0, b"a".to_vec()), (1, b"b".to_vec()), (2, b"ab".to_vec())];
/// let vocabulary = Vocabulary::from_merges(Alphabet::Bytes, tokens, vec![(0, 1)], false)?;
/// assert_eq!(vocabulary.merge(0, 1), Some((0, 2)));
/// assert_eq!(vocabulary.id_of(b"ab"), Some(2));
/// # Ok::<(), bytepair::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Vocabulary {
    alphabet: Alphabet,
    contents: Contents,
    pairs: Pairs,
    /// `None` for a rank file, whose pairs follow from its contents.
    merges: Option<Vec<(u32, u32)>>,
    /// The id of each content of one byte, or [`NONE`].
    bytes: Box<[u32; 256]>,
    /// The id of the token that means a byte, or [`NONE`]; only where characters fall back to bytes.
    fallback: Option<Box<[u32; 256]>>,
    /// Whether every byte is a token.
    complete: bool,
    whole_first: bool,
    /// The lengths that tokens may have which merging their own bytes does not end in, a bit for each.
    unreached: u64,
}

impl Vocabulary {
    /// A vocabulary from its tokens (id, content) and a merge list in rank order. The base symbols are the
    /// tokens of one byte (of one character, of the mark, of a character and the mark, in characters mode). A
    /// merge makes the token whose content is the concatenation. Ids need not be dense.
    ///
    /// # Errors
    /// [`Error::Vocabulary`](crate::Error::Vocabulary), naming the token or `merges[k]`: an id that stands twice, an
    /// empty token, a merge of an unknown id, a merge whose result is no token, a pair that stands
    /// twice; in characters mode, a content that is not text.
    pub fn from_merges(
        alphabet: Alphabet,
        tokens: Vec<(u32, Vec<u8>)>,
        merges: Vec<(u32, u32)>,
        whole_first: bool,
    ) -> Result<Self> {
        Self::of_merges(alphabet, tokens.into(), merges, whole_first)
    }

    /// [`from_merges`](Self::from_merges) of tokens that lie end to end.
    ///
    /// # Errors
    /// As there.
    pub fn of_merges(alphabet: Alphabet, tokens: Tokens, merges: Vec<(u32, u32)>, whole_first: bool) -> Result<Self> {
        check_characters(&alphabet, &tokens)?;
        let contents = Contents::new(tokens, false).map_err(|fault| refuse(&fault))?;
        let mut twins = Twins::of(&contents);
        let mut pairs = Pairs::of_merges(merges.len(), contents.n_vocab());
        let is_bytes = alphabet == Alphabet::Bytes;
        let mut joined = Vec::new();
        for (rank, &(left, right)) in (0..NONE).zip(&merges) {
            let one = part(&contents, rank, left, right, left)?;
            let two = part(&contents, rank, left, right, right)?;
            joined.clear();
            joined.extend_from_slice(one);
            joined.extend_from_slice(two);
            let id = twins.next(contents.id_of(&joined).unwrap_or(NONE));
            let are_base = is_bytes && contents.is_found(left) && contents.is_found(right);
            add(&mut pairs, are_base, rank, &[left, right, id], &[one, two, &joined])?;
        }
        Ok(Self::of_parts(alphabet, contents, pairs, Some(merges), whole_first))
    }

    /// [`of_merges`](Self::of_merges) of bytes, with contents in place of ids: each merge is the content that it
    /// makes, and how many bytes of that are its left side.
    ///
    /// # Errors
    /// As there; a merge of a content that is no token.
    pub fn of_joins(tokens: Tokens, merges: &[(&[u8], usize)], whole_first: bool) -> Result<Self> {
        let contents = Contents::new(tokens, false).map_err(|fault| refuse(&fault))?;
        let mut twins = Twins::of(&contents);
        let mut pairs = Pairs::of_merges(merges.len(), contents.n_vocab());
        let mut list = Vec::with_capacity(merges.len());
        let (mut sought, mut ids) = (Vec::new(), Vec::new());
        for some in merges.chunks(MANY) {
            sought.clear();
            for &(joined, cut) in some {
                let (one, two) = joined.split_at(cut.min(joined.len()));
                sought.extend([one, two, joined]);
            }
            contents.ids_of(&sought, &mut ids);
            for (found, names) in ids.as_chunks::<3>().0.iter().zip(sought.as_chunks::<3>().0) {
                let rank = u32::try_from(list.len()).unwrap_or(NONE);
                let found = [found[0], found[1], twins.next(found[2])];
                add(&mut pairs, true, rank, &found, names)?;
                list.push((found[0], found[1]));
            }
        }
        Ok(Self::of_parts(Alphabet::Bytes, contents, pairs, Some(list), whole_first))
    }

    fn of_parts(
        alphabet: Alphabet,
        contents: Contents,
        pairs: Pairs,
        merges: Option<Vec<(u32, u32)>>,
        whole_first: bool,
    ) -> Self {
        let bytes = ids_of_bytes(|byte| contents.id_of(&[byte]));
        let complete = !bytes.contains(&NONE);
        let is_unicode = matches!(alphabet, Alphabet::Unicode { .. });
        let fallback = is_unicode.then(|| ids_of_bytes(|byte| contents.id_of(&[MARK, byte])));
        let fallback = fallback.filter(|ids| ids.iter().any(|&id| id != NONE));
        Self { alphabet, contents, pairs, merges, bytes, fallback, complete, whole_first, unreached: u64::MAX }
    }

    /// A vocabulary from a rank file: any two tokens whose concatenation is a token merge, with the rank of
    /// the result; whole pretokens are looked up first. Id and rank are the same number here.
    ///
    /// # Errors
    /// [`Error::Vocabulary`](crate::Error::Vocabulary): an id that stands twice, an empty token.
    pub fn from_ranks(ranks: Vec<(u32, Vec<u8>)>) -> Result<Self> {
        Self::of_ranks(ranks.into())
    }

    /// [`from_ranks`](Self::from_ranks) of tokens that lie end to end.
    ///
    /// # Errors
    /// As there.
    pub fn of_ranks(ranks: Tokens) -> Result<Self> {
        Ok(Self::of_contents(Contents::new(ranks, true).map_err(|fault| refuse(&fault))?))
    }

    /// The rank file that holds these contents.
    fn of_contents(contents: Contents) -> Self {
        let pairs = Pairs::of_ranks(contents.len(), contents.n_vocab());
        let mut vocabulary = Self::of_parts(Alphabet::Bytes, contents, pairs, None, true);
        vocabulary.add_pairs_of_ranks();
        vocabulary
    }

    /// What tokens are made of.
    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// The highest id + 1.
    pub fn n_vocab(&self) -> usize {
        self.contents.n_vocab()
    }

    /// How many tokens there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.contents.len()
    }

    /// The ids that exist, ascending.
    pub fn ids(&self) -> &[u32] {
        self.contents.ids()
    }

    /// The ids whose content is looked up as another that has the same; ascending.
    pub fn twins(&self) -> &[u32] {
        self.contents.twins()
    }

    /// A token's content.
    pub fn content(&self, id: u32) -> Option<&[u8]> {
        self.contents.get(id)
    }

    /// The contents of all tokens, in the order of their ids.
    pub(crate) fn contents(&self) -> impl Iterator<Item = &[u8]> {
        self.contents.iter()
    }

    /// The id of the token with this content.
    pub fn id_of(&self, content: &[u8]) -> Option<u32> {
        self.contents.id_of(content)
    }

    /// The place of an id among [`ids`](Self::ids).
    #[inline]
    pub(crate) fn index_of(&self, id: u32) -> Option<usize> {
        self.contents.index_of(id)
    }

    /// A token's bytes as people write them: its content, with the end-of-word mark spelled out; of a token that means a
    /// byte, that byte.
    pub fn written(&self, id: u32) -> Option<Cow<'_, [u8]>> {
        let content = self.content(id)?;
        if let Some(byte) = self.byte_of(content) {
            return Some(vec![byte].into());
        }
        match (self.unmarked(content), self.mark()) {
            (Some(before), Some(mark)) => Some([before, mark].concat().into()),
            _ => Some(content.into()),
        }
    }

    /// The id of the token that is written so; of two that are written alike, of the one with the mark.
    pub fn id_of_written(&self, written: &[u8]) -> Option<u32> {
        let before = self.mark().and_then(|mark| written.strip_suffix(mark));
        let marked = before.and_then(|before| self.id_of(&[before, &[MARK]].concat()));
        let is_mark = match self.alphabet {
            Alphabet::MarkedBytes { .. } => self.unmarked(written).is_some(),
            _ => self.fallback.is_some() && written.contains(&MARK),
        };
        let content = marked.or_else(|| if is_mark { None } else { self.id_of(written) });
        content.or_else(|| match *written {
            [byte] => self.fallback(byte),
            _ => None,
        })
    }

    /// A content without the end-of-word mark that it ends with; `None` if it ends with none.
    pub(crate) fn unmarked<'c>(&self, content: &'c [u8]) -> Option<&'c [u8]> {
        let before = content.strip_suffix(&[MARK])?;
        match self.alphabet {
            Alphabet::Characters { .. } => Some(before),
            Alphabet::MarkedBytes { .. } if !before.is_empty() => Some(before),
            _ => None,
        }
    }

    /// The byte that a content means which is no text.
    pub(crate) fn byte_of(&self, content: &[u8]) -> Option<u8> {
        match (&self.alphabet, content) {
            (Alphabet::Unicode { .. }, &[MARK, byte]) => Some(byte),
            _ => None,
        }
    }

    /// Whether a token means this byte, where characters fall back to bytes.
    pub fn falls_back(&self, byte: u8) -> bool {
        self.fallback(byte).is_some()
    }

    /// The id of the token that means this byte, where characters fall back to bytes.
    pub(crate) fn fallback(&self, byte: u8) -> Option<u32> {
        let id = self.fallback.as_ref()?[usize::from(byte)];
        (id != NONE).then_some(id)
    }

    /// How the end-of-word mark is written.
    fn mark(&self) -> Option<&[u8]> {
        match &self.alphabet {
            Alphabet::Characters { end_of_word: Some(end) } => Some(end.mark.as_bytes()),
            Alphabet::MarkedBytes { mark } => Some(mark.as_bytes()),
            _ => None,
        }
    }

    /// What a pair merges into: (rank, id).
    pub fn merge(&self, left: u32, right: u32) -> Option<(u32, u32)> {
        if self.is_ranks() {
            let joined = [self.content(left)?, self.content(right)?].concat();
            return self.id_of(&joined).map(|id| (id, id));
        }
        let made = self.made(left, right);
        (made.rank != NONE).then_some((made.rank, made.id))
    }

    /// The merges (left id, right id) in rank order; for a rank file, of each token the last pair merged when its
    /// own bytes are merged with lower ranks only. Tokens that this does not reduce to two parts have none.
    pub fn merges(&self) -> Vec<(u32, u32)> {
        match &self.merges {
            Some(merges) => merges.clone(),
            None => self.merges_of_ranks(),
        }
    }

    /// The pairs (left id, right id) that can merge, in rank order: as a merge list they give the same ids. For a rank
    /// file that is one pair for each token that merging reaches; [`merges`](Self::merges) has only those of them that
    /// lower ranks lead to.
    pub fn pairs(&self) -> Vec<(u32, u32)> {
        if let Some(merges) = &self.merges {
            return merges.clone();
        }
        let mut ranked: Vec<(u32, (u32, u32))> = self.pairs.iter().map(|(pair, made)| (made.rank, pair)).collect();
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, pair)| pair).collect()
    }

    /// Whether whole pretokens are looked up before they are merged.
    pub fn whole_first(&self) -> bool {
        self.whole_first
    }

    /// Whether this came from a rank file: every pair whose concatenation is a token merges.
    pub fn is_ranks(&self) -> bool {
        self.merges.is_none()
    }

    /// The merges of a merge list, in rank order; `None` for a rank file.
    pub(crate) fn merge_list(&self) -> Option<&[(u32, u32)]> {
        self.merges.as_deref()
    }

    /// The length of the longest content, in bytes.
    pub(crate) fn longest(&self) -> usize {
        self.contents.longest()
    }

    /// What a pair merges into where it can stand in a text (see [`ranks`]). [`NONE`] merges with nothing.
    #[inline]
    pub(crate) fn made(&self, left: u32, right: u32) -> Made {
        self.pairs.get(left, right)
    }

    /// The id that a pair which merges makes, with this rank.
    #[inline]
    pub(crate) fn makes(&self, rank: u32, left: u32, right: u32) -> u32 {
        match self.pairs.narrow() {
            Some(narrow) => narrow.id(rank),
            None => self.made(left, right).id,
        }
    }

    /// The pairs by themselves, where their numbers are small.
    #[inline]
    pub(crate) fn narrow(&self) -> Option<&Narrow> {
        self.pairs.narrow()
    }

    /// The ids that some merge makes, in no order; some stand twice. Of a rank file, those that merging their own bytes
    /// ends in ([`ranks`]).
    pub(crate) fn made_ids(&self) -> impl Iterator<Item = u32> {
        self.pairs.iter().map(|(_, made)| made.id)
    }

    /// Of each of [`ids`](Self::ids) whether it is one of those.
    pub(crate) fn are_made(&self) -> Vec<bool> {
        let mut are_made = vec![false; self.len()];
        self.made_ids().filter_map(|id| self.index_of(id)).for_each(|index| are_made[index] = true);
        are_made
    }

    /// The id of a whole pretoken that merging its bytes might not give, where all bytes are tokens.
    #[inline]
    pub(crate) fn whole(&self, word: &[u8]) -> Option<u32> {
        if self.may_be_whole(word) { self.id_of(word) } else { None }
    }

    /// Asks for what [`whole`](Self::whole) will read to be fetched.
    #[inline]
    pub(crate) fn ask_for_whole(&self, word: &[u8]) {
        if self.may_be_whole(word) {
            self.contents.ask_for(word);
        }
    }

    #[inline]
    fn may_be_whole(&self, word: &[u8]) -> bool {
        self.whole_first && self.unreached & bit_of_length(word.len()) != 0
    }

    /// Whether every byte is a token.
    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    /// Whether all bytes of a word are tokens.
    #[inline]
    pub(crate) fn has_bytes(&self, word: &[u8]) -> bool {
        self.complete || word.iter().all(|&byte| self.byte(byte) != NONE)
    }

    /// The id of the content that is this one byte, or [`NONE`].
    #[inline]
    pub(crate) fn byte(&self, byte: u8) -> u32 {
        self.bytes[usize::from(byte)]
    }
}

/// The bit of a length in a set of lengths; the highest is for all from there on.
fn bit_of_length(length: usize) -> u64 {
    1 << length.min(63)
}

/// Adds the merge of this rank: the ids and the contents of its sides and of what it makes. [`NONE`] is no token's id.
/// `are_base` says that a side of one byte is the token that a text's byte becomes.
fn add(
    pairs: &mut Pairs,
    are_base: bool,
    rank: u32,
    &[left, right, id]: &[u32; 3],
    &[one, two, joined]: &[&[u8]; 3],
) -> Result<()> {
    if left == NONE || right == NONE {
        return Err(no_token(rank, one, two, if left == NONE { one } else { two }));
    }
    if id == NONE {
        return Err(not_a_token(rank, one, two, joined));
    }
    let made = Made { rank, id };
    if let Some(first) = pairs.add(left, right, made) {
        return Err(stands_twice(first, rank, one, two));
    }
    if let (true, &[one], &[two]) = (are_base, one, two) {
        pairs.add_bytes(one, two, made);
    }
    Ok(())
}

/// An id for each byte.
fn ids_of_bytes(id_of: impl Fn(u8) -> Option<u32>) -> Box<[u32; 256]> {
    let mut ids = Box::new([NONE; 256]);
    for (byte, id) in (0..=u8::MAX).zip(ids.iter_mut()) {
        *id = id_of(byte).unwrap_or(NONE);
    }
    ids
}
