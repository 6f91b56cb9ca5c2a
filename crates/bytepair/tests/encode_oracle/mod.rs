//! A plain second opinion on encoding: everything is recomputed at every step.
#![allow(dead_code, clippy::unwrap_used)] // each test file uses a part of it

use std::collections::{HashMap, HashSet};

use bytepair::tokenizer::UnknownSymbol;
use bytepair::vocabulary::MARK;
use bytepair::{Alphabet, EndOfWord, SpecialToken, Splitter, Tokenizer, Vocabulary};
use proptest::prelude::*;

/// What a vocabulary is made from; `merges: None` is a rank file.
#[derive(Debug, Clone)]
pub struct Recipe {
    pub alphabet: Alphabet,
    pub tokens: Vec<(u32, Vec<u8>)>,
    pub merges: Option<Vec<(u32, u32)>>,
    pub whole_first: bool,
}

/// A symbol while merging: its content, or `None` for an unknown one that was replaced.
type Symbol = Option<Vec<u8>>;

impl Recipe {
    pub fn build(&self) -> Vocabulary {
        match &self.merges {
            Some(merges) => {
                Vocabulary::from_merges(self.alphabet.clone(), self.tokens.clone(), merges.clone(), self.whole_first)
            }
            None => Vocabulary::from_ranks(self.tokens.clone()),
        }
        .unwrap()
    }

    pub fn contents(&self) -> HashMap<u32, Vec<u8>> {
        self.tokens.iter().cloned().collect()
    }

    pub fn ids(&self) -> HashMap<Vec<u8>, u32> {
        self.tokens.iter().map(|(id, content)| (content.clone(), *id)).collect()
    }

    fn end_of_word(&self) -> Option<&EndOfWord> {
        match &self.alphabet {
            Alphabet::Bytes | Alphabet::MarkedBytes { .. } | Alphabet::Unicode { .. } => None,
            Alphabet::Characters { end_of_word } => end_of_word.as_ref(),
        }
    }

    /// The base symbols of a word, each as (content, is it text).
    fn symbols(&self, word: &[u8]) -> Vec<(Vec<u8>, bool)> {
        if self.alphabet == Alphabet::Bytes {
            return word.iter().map(|&byte| (vec![byte], true)).collect();
        }
        let mut symbols: Vec<(Vec<u8>, bool)> = Vec::new();
        for chunk in word.utf8_chunks() {
            symbols.extend(chunk.valid().chars().map(|c| (c.to_string().into_bytes(), true)));
            symbols.extend(chunk.invalid().iter().map(|&byte| (vec![byte], false)));
        }
        match self.end_of_word() {
            Some(mark) if mark.joined => {
                if let Some((last, true)) = symbols.last_mut() {
                    last.push(MARK);
                }
            }
            Some(_) => symbols.push((vec![MARK], true)),
            None => {}
        }
        symbols
    }

    /// The merges as (left content, right content), if this is a merge list.
    fn pairs(&self) -> Option<Vec<(Vec<u8>, Vec<u8>)>> {
        let contents = self.contents();
        let pair = |&(left, right): &(u32, u32)| (contents[&left].clone(), contents[&right].clone());
        Some(self.merges.as_ref()?.iter().map(pair).collect())
    }

    /// The ids of one pretoken; `None` for an unknown symbol that raises.
    pub fn word(&self, word: &[u8], unknown: UnknownSymbol) -> Option<Vec<u32>> {
        let ids = self.ids();
        if self.whole_first || self.merges.is_none() {
            let mut whole = word.to_vec();
            if self.end_of_word().is_some() {
                whole.push(MARK);
            }
            let is_text = self.alphabet == Alphabet::Bytes || std::str::from_utf8(word).is_ok();
            if let Some(&id) = ids.get(&whole).filter(|_| is_text) {
                return Some(vec![id]);
            }
        }
        let mut symbols: Vec<Symbol> = Vec::new();
        for (content, is_text) in self.symbols(word) {
            if is_text && ids.contains_key(&content) {
                symbols.push(Some(content));
                continue;
            }
            match unknown {
                UnknownSymbol::Raise => return None,
                UnknownSymbol::Replace(_) => symbols.push(None),
                UnknownSymbol::Skip => {}
            }
        }
        self.merge(&mut symbols);
        let id_of = |symbol: Symbol| match (symbol, unknown) {
            (Some(content), _) => ids[&content],
            (None, UnknownSymbol::Replace(id)) => id,
            (None, _) => unreachable!(),
        };
        Some(symbols.into_iter().map(id_of).collect())
    }

    /// Merges the pair of the lowest rank, the leftmost of equals, until there is none.
    fn merge(&self, symbols: &mut Vec<Symbol>) {
        let ids = self.ids();
        let pairs = self.pairs();
        let rank = |left: &Symbol, right: &Symbol| -> Option<usize> {
            let (left, right) = (left.as_ref()?, right.as_ref()?);
            match &pairs {
                Some(pairs) => pairs.iter().position(|pair| pair.0 == *left && pair.1 == *right),
                None => ids.get(&[left.as_slice(), right].concat()).map(|&id| id as usize),
            }
        };
        loop {
            let ranks = (1..symbols.len()).filter_map(|at| Some((rank(&symbols[at - 1], &symbols[at])?, at)));
            let Some((_, at)) = ranks.min() else { return };
            let right = symbols.remove(at).unwrap();
            symbols[at - 1].as_mut().unwrap().extend(right);
        }
    }

    /// The ids of a text; `None` for an unknown symbol that raises.
    pub fn text(
        &self,
        splitter: &Splitter,
        specials: &[SpecialToken],
        allowed: &HashSet<u32>,
        text: &[u8],
        unknown: UnknownSymbol,
    ) -> Option<Vec<u32>> {
        let mut ids = Vec::new();
        let mut from = 0;
        loop {
            let found = find(specials, allowed, text, from);
            let between = &text[from..found.map_or(text.len(), |(at, _)| at)];
            let mut words = Vec::new();
            splitter
                .split(between, |at| {
                    words.push(&between[at.start..at.end]);
                    std::ops::ControlFlow::Continue(())
                })
                .unwrap();
            for word in words {
                ids.extend(self.word(word, unknown)?);
            }
            let Some((at, token)) = found else { return Some(ids) };
            ids.push(token.id);
            from = at + token.content.len();
        }
    }
}

/// The first allowed special token from `from` on, the longest of those that start there.
pub fn find<'a>(
    specials: &'a [SpecialToken],
    allowed: &HashSet<u32>,
    text: &[u8],
    from: usize,
) -> Option<(usize, &'a SpecialToken)> {
    (from..text.len()).find_map(|at| {
        let here =
            |token: &&SpecialToken| allowed.contains(&token.id) && text[at..].starts_with(token.content.as_bytes());
        specials.iter().filter(here).max_by_key(|token| token.content.len()).map(|token| (at, token))
    })
}

/// The bytes of a text at which a new character, or a replaced part of one, starts; and its end.
pub fn edges(text: &[u8]) -> Vec<usize> {
    let mut edges = vec![0];
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            edges.push(edges[edges.len() - 1] + character.len_utf8());
        }
        if !chunk.invalid().is_empty() {
            edges.push(edges[edges.len() - 1] + chunk.invalid().len());
        }
    }
    edges
}

/// A special token.
pub fn special(content: &str, id: u32) -> SpecialToken {
    SpecialToken { content: content.to_owned(), id, special: true, ..SpecialToken::default() }
}

/// A tokenizer without special tokens.
pub fn tokenizer(recipe: &Recipe, splitter: Splitter) -> Tokenizer {
    Tokenizer::new(splitter, recipe.build(), bytepair::SpecialTokens::default()).unwrap()
}

/// Byte vocabularies over `ab` and a few bytes more: ids with gaps in any order, merges in any order (so that a merge may
/// have a lower rank than those that make its parts), tokens that nothing makes, and rank files.
pub fn byte_recipes() -> impl Strategy<Value = Recipe> {
    recipes(&[b"a".to_vec(), b"b".to_vec(), vec![0], vec![0xC3], vec![0xA9]], Alphabet::Bytes)
}

/// Vocabularies of characters, with each kind of mark.
pub fn character_recipes() -> impl Strategy<Value = Recipe> {
    let alphabet = |mark: Option<bool>| Alphabet::Characters {
        end_of_word: mark.map(|joined| EndOfWord { mark: "</w>".to_owned(), joined }),
    };
    proptest::option::of(any::<bool>()).prop_flat_map(move |mark| {
        let mut base: Vec<Vec<u8>> = ["a", "b", "é"].map(|text| text.as_bytes().to_vec()).to_vec();
        match mark {
            Some(true) => base.extend(base.clone().into_iter().map(|text| [text, vec![MARK]].concat())),
            Some(false) => base.push(vec![MARK]),
            None => {}
        }
        recipes(&base, alphabet(mark)).prop_map(|mut recipe| {
            recipe.merges.get_or_insert_default();
            recipe
        })
    })
}

/// Vocabularies over some of these base symbols.
fn recipes(base: &[Vec<u8>], alphabet: Alphabet) -> impl Strategy<Value = Recipe> + use<> {
    let parts = (
        proptest::sample::subsequence(base.to_vec(), 1..=base.len()),
        proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..12),
        proptest::collection::vec(0u32..1000, 40),
        any::<u64>(),
        0u8..4,
    );
    parts.prop_map(move |(base, joins, ids, seed, kind)| {
        let mut contents = base;
        let mut merges: Vec<(usize, usize)> = Vec::new();
        for (left, right) in joins {
            let (left, right) = (left.index(contents.len()), right.index(contents.len()));
            let joined = [contents[left].clone(), contents[right].clone()].concat();
            // The mark only ends words.
            if joined[..joined.len() - 1].contains(&MARK) || merges.contains(&(left, right)) {
                continue;
            }
            if !contents.contains(&joined) {
                contents.push(joined);
            }
            merges.push((left, right));
        }
        let mut random = seed;
        let mut next = |below: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(random >> 33).unwrap() % below
        };
        if kind & 1 == 1 {
            for at in (1..merges.len()).rev() {
                merges.swap(at, next(at + 1));
            }
            if !merges.is_empty() {
                merges.truncate(next(merges.len() + 1));
            }
        }
        let mut numbers: Vec<u32> = Vec::new();
        for (index, _) in contents.iter().enumerate() {
            // Rank files whose ids ascend, and any order.
            let mut id = ids[index % ids.len()] * u32::from(kind & 2 == 0) + u32::try_from(index).unwrap();
            while numbers.contains(&id) {
                id += 1;
            }
            numbers.push(id);
        }
        Recipe {
            alphabet: alphabet.clone(),
            tokens: numbers.iter().copied().zip(contents).collect(),
            merges: (seed % 3 != 0)
                .then(|| merges.iter().map(|&(left, right)| (numbers[left], numbers[right])).collect()),
            whole_first: seed % 2 == 0,
        }
    })
}

/// Texts of the letters that the vocabularies know and some that they do not; long enough for the long path at times.
pub fn texts() -> impl Strategy<Value = Vec<u8>> {
    let letter = prop_oneof![
        8 => Just("a".as_bytes()),
        8 => Just("b".as_bytes()),
        2 => Just("é".as_bytes()),
        1 => Just(&[0u8][..]),
        1 => Just(&[0xFFu8][..]),
        1 => Just(&[0xC3u8][..]),
        1 => Just(&[0xE2u8, 0x82][..]),
        1 => Just("🌶".as_bytes()),
        2 => Just(" ".as_bytes()),
        1 => Just("x".as_bytes()),
    ];
    prop_oneof![
        4 => proptest::collection::vec(letter.clone(), 0..12),
        2 => proptest::collection::vec(letter, 60..150),
        1 => proptest::collection::vec(prop_oneof![Just("a".as_bytes()), Just("b".as_bytes())], 60..150),
    ]
    .prop_map(|letters| letters.concat())
}

/// What to do with unknown symbols.
pub fn unknowns() -> impl Strategy<Value = UnknownSymbol> {
    prop_oneof![Just(UnknownSymbol::Raise), Just(UnknownSymbol::Replace(7777)), Just(UnknownSymbol::Skip)]
}
