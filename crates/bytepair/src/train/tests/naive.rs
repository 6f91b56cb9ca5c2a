//! Training without any cleverness: before every merge, all pairs of all pretokens are counted again.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::LazyLock;

use super::super::{Goal, Merge, Start, Stopped, Ties, TrainOptions};
use crate::tokenizer::Tokenizer;
use crate::vocabulary::Alphabet;

/// One pretoken: its symbols as ids, and its count.
pub type Word = (Vec<u32>, u64);

/// What is known of a pair: its count, and the pretoken and index at which it first stands.
type Seen = (u64, (usize, usize));

/// The naive trainer.
pub struct Naive {
    /// The contents of the tokens, by id.
    pub tokens: BTreeMap<u32, Vec<u8>>,
    /// The pretokens as they stand.
    pub words: Vec<Word>,
    /// The merges so far.
    pub merges: Vec<Merge>,
    /// How often a merge was made again because its pair came back.
    pub again: usize,
    /// The merges of the base in the order of their ranks: pair and what it makes.
    known: Vec<((u32, u32), u32)>,
    next: u32,
    options: TrainOptions,
}

impl Naive {
    /// The state before the first merge. The pretokens are distinct and in the order of first appearance.
    pub fn new(words: &[(Vec<u8>, u64)], options: &TrainOptions) -> Self {
        Self::from(words, options, &Start::default())
    }

    /// The state before the first merge that is not one of a seed.
    pub fn from(words: &[(Vec<u8>, u64)], options: &TrainOptions, start: &Start<'_>) -> Self {
        let mark = match &options.alphabet {
            Alphabet::Characters { end_of_word: Some(mark) } => Some(mark),
            _ => None,
        };
        let seeds: BTreeSet<(usize, Vec<Vec<u8>>)> = start
            .seeds
            .iter()
            .map(|seed| match mark.and_then(|mark| seed.strip_suffix(mark.mark.as_bytes())) {
                Some(before) if !before.is_empty() => symbols(before, &options.alphabet),
                _ if options.alphabet == Alphabet::Bytes => symbols(seed, &options.alphabet),
                _ => symbols(seed, &Alphabet::Characters { end_of_word: None }),
            })
            .enumerate()
            .collect();
        let pretokens: Vec<Vec<Vec<u8>>> = words.iter().map(|(word, _)| symbols(word, &options.alphabet)).collect();
        let mut naive = Self::of(BTreeMap::new(), Vec::new(), options);
        let known = naive.take_base(start.base);
        naive.add_symbols(seeds.iter().map(|(_, seed)| seed).chain(&pretokens).flatten().cloned().collect());
        let cut = |naive: &Self, word: &[Vec<u8>]| naive.cut(word, start.base, &known);
        naive.words = pretokens.iter().map(|word| cut(&naive, word)).zip(words.iter().map(|word| word.1)).collect();
        naive.known = start.base.map_or_else(Vec::new, |base| {
            let made = |(left, right)| ((left, right), base.vocabulary().merge(left, right).unwrap().1);
            base.vocabulary().pairs().into_iter().map(made).collect()
        });
        naive.plant(&seeds.into_iter().map(|(_, seed)| cut(&naive, &seed)).collect::<Vec<_>>());
        naive
    }

    /// Takes the tokens of a base. Gives its merges: pair -> rank and id.
    fn take_base(&mut self, base: Option<&Tokenizer>) -> BTreeMap<(u32, u32), (u32, u32)> {
        let Some(base) = base else { return BTreeMap::new() };
        let vocabulary = base.vocabulary();
        self.next = u32::try_from(base.n_vocab()).unwrap();
        self.tokens = vocabulary.ids().iter().map(|&id| (id, vocabulary.content(id).unwrap().to_vec())).collect();
        let ids = vocabulary.ids();
        let pairs = ids.iter().flat_map(|&left| ids.iter().map(move |&right| (left, right)));
        pairs.filter_map(|(left, right)| Some(((left, right), vocabulary.merge(left, right)?))).collect()
    }

    /// Adds the base symbols that there are not.
    fn add_symbols(&mut self, found: BTreeSet<Vec<u8>>) {
        for symbol in base_symbols(found, &self.options.alphabet) {
            if !self.tokens.values().any(|token| *token == symbol) {
                self.tokens.insert(self.next, symbol);
                self.next += 1;
            }
        }
    }

    /// A word of these symbols as the base encodes it; symbols that it lacks merge with nothing.
    fn cut(&self, word: &[Vec<u8>], base: Option<&Tokenizer>, merges: &BTreeMap<(u32, u32), (u32, u32)>) -> Vec<u32> {
        let id = |content: &Vec<u8>| *self.tokens.iter().find(|(_, token)| *token == content).unwrap().0;
        let whole = self.tokens.iter().find(|(_, token)| **token == word.concat());
        if let (true, Some((&id, _))) = (base.is_some_and(|base| base.vocabulary().whole_first()), whole) {
            return vec![id];
        }
        let mut ids: Vec<u32> = word.iter().map(id).collect();
        loop {
            let ranks =
                ids.windows(2).enumerate().filter_map(|(at, pair)| Some((merges.get(&(pair[0], pair[1]))?, at)));
            let Some((&(_, id), at)) = ranks.min() else { return ids };
            ids.splice(at..at + 2, [id]);
        }
    }

    /// Trains on the seeds alone, then makes the same merges here.
    fn plant(&mut self, seeds: &[Vec<u32>]) {
        let options = TrainOptions { min_count: 1, goal: Goal::Merges(usize::MAX), ..self.options.clone() };
        let mut distinct: Vec<Word> = Vec::new();
        for seed in seeds {
            if !distinct.contains(&(seed.clone(), 1)) {
                distinct.push((seed.clone(), 1));
            }
        }
        let mut alone = Self::of(self.tokens.clone(), distinct, &options);
        (alone.next, alone.known) = (self.next, self.known.clone());
        alone.run();
        for merge in alone.merges {
            self.merge((merge.left, merge.right));
        }
    }

    /// The state of pretokens that stand in any tokens.
    pub fn of(tokens: BTreeMap<u32, Vec<u8>>, words: Vec<Word>, options: &TrainOptions) -> Self {
        let next = tokens.last_key_value().map_or(0, |(id, _)| id + 1);
        Self { tokens, words, merges: Vec::new(), again: 0, known: Vec::new(), next, options: options.clone() }
    }

    /// Trains to the end.
    pub fn run(&mut self) -> Stopped {
        loop {
            let reached = match self.options.goal {
                Goal::Tokens(goal) => self.tokens.len() >= goal,
                Goal::Merges(goal) => self.merges.len() >= goal,
            };
            if reached {
                return Stopped::Goal;
            }
            let Some((pair, count)) = self.best() else { return Stopped::NoPairs };
            if count < self.options.min_count {
                return Stopped::MinCount;
            }
            debug_assert_eq!(self.pairs()[&pair].0, count);
            self.merge(pair);
        }
    }

    /// Merges a pair, and those that come back.
    pub fn merge(&mut self, pair: (u32, u32)) {
        let count = self.pairs().get(&pair).map_or(0, |seen| seen.0);
        let id = self.join(pair);
        let fired = self.replace(pair, id);
        self.merges.push(Merge { left: pair.0, right: pair.1, id, count, fired });
        while let Some((pair, id)) = self.back() {
            self.replace(pair, id);
            self.again += 1;
        }
    }

    /// The first merge whose pair stands in the pretokens.
    fn back(&self) -> Option<((u32, u32), u32)> {
        let pairs = self.pairs();
        let merges = self.merges.iter().map(|merge| ((merge.left, merge.right), merge.id));
        self.known.iter().copied().chain(merges).find(|(pair, _)| pairs.contains_key(pair))
    }

    fn pairs(&self) -> BTreeMap<(u32, u32), Seen> {
        let mut pairs = BTreeMap::new();
        for (w, (word, count)) in self.words.iter().enumerate() {
            for (i, pair) in word.windows(2).enumerate() {
                pairs.entry((pair[0], pair[1])).or_insert((0, (w, i))).0 += count;
            }
        }
        pairs
    }

    /// The best pair and its count.
    pub fn best(&self) -> Option<((u32, u32), u64)> {
        let pairs = self.pairs();
        let allowed = pairs.into_iter().filter(|((left, right), _)| {
            let content = [&self.tokens[left][..], &self.tokens[right]].concat();
            self.options.max_token_bytes.is_none_or(|max| content.len() <= max)
                && (!self.options.whole_characters
                    || self.options.alphabet != Alphabet::Bytes
                    || whole_or_part(&content))
        });
        let lowest = |pair: (u32, u32)| Reverse(pair);
        let best = match self.options.ties {
            Ties::First => allowed.max_by_key(|(_, (count, first))| (*count, Reverse(*first))),
            Ties::HuggingFace if self.options.alphabet == Alphabet::Bytes => {
                // The ids of bytes, dealt out in the order of the alphabet.
                let ids: Vec<u32> =
                    self.tokens.iter().filter(|(_, token)| token.len() == 1).map(|(&id, _)| id).collect();
                let number = |id: u32| match self.tokens[&id][..] {
                    [byte] => ids[position_in_hugging_face(byte)],
                    _ => id,
                };
                allowed.max_by_key(|&((left, right), (count, _))| (count, Reverse((number(left), number(right)))))
            }
            Ties::Greatest => allowed
                .max_by_key(|&(pair, (count, _))| (count, (self.written(pair.0), self.written(pair.1)), lowest(pair))),
            _ => allowed.max_by_key(|&(pair, (count, _))| (count, lowest(pair))),
        };
        best.map(|(pair, (count, _))| (pair, count))
    }

    fn join(&mut self, pair: (u32, u32)) -> u32 {
        let content = [&self.tokens[&pair.0][..], &self.tokens[&pair.1]].concat();
        if let Some((&id, _)) = self.tokens.iter().find(|(_, token)| **token == content) {
            return id;
        }
        self.tokens.insert(self.next, content);
        self.next += 1;
        self.next - 1
    }

    fn replace(&mut self, pair: (u32, u32), id: u32) -> u64 {
        let mut fired = 0;
        for (word, count) in &mut self.words {
            let mut at = 0;
            while at + 1 < word.len() {
                if (word[at], word[at + 1]) == pair {
                    word.splice(at..at + 2, [id]);
                    fired += *count;
                }
                at += 1;
            }
        }
        fired
    }

    fn written(&self, id: u32) -> Vec<u8> {
        let content = &self.tokens[&id];
        match &self.options.alphabet {
            Alphabet::Characters { end_of_word: Some(mark) } => {
                content.iter().flat_map(|&b| if b == 0xFF { mark.mark.as_bytes().to_vec() } else { vec![b] }).collect()
            }
            _ => content.clone(),
        }
    }
}

/// All base symbols, in order, where these were found.
fn base_symbols(mut found: BTreeSet<Vec<u8>>, alphabet: &Alphabet) -> Vec<Vec<u8>> {
    let Alphabet::Characters { end_of_word } = alphabet else { return (0..=255).map(|byte| vec![byte]).collect() };
    let mark = end_of_word.as_ref().filter(|mark| !mark.joined).map(|_| vec![0xFF]);
    found.retain(|symbol| Some(symbol) != mark.as_ref());
    if end_of_word.as_ref().is_some_and(|mark| mark.joined) {
        let plain = found.iter().map(|symbol| symbol.strip_suffix(&[0xFF]).unwrap_or(symbol).to_vec());
        found = plain.flat_map(|symbol| [symbol.clone(), [symbol, vec![0xFF]].concat()]).collect();
    }
    // No UTF-8 holds 0xFF, so the order of bytes is that of code points, the joined mark last.
    mark.into_iter().chain(found).collect()
}

/// Whether this is text or stands in one character.
fn whole_or_part(content: &[u8]) -> bool {
    static PARTS: LazyLock<HashSet<Vec<u8>>> = LazyLock::new(|| {
        let characters = ('\u{80}'..=char::MAX).map(|c| c.to_string().into_bytes());
        characters
            .flat_map(|c| (2..c.len()).flat_map(move |n| c.windows(n).map(<[u8]>::to_vec).collect::<Vec<_>>()))
            .collect()
    });
    std::str::from_utf8(content).is_ok() || PARTS.contains(content)
}

/// The symbols of a pretoken, as contents.
fn symbols(word: &[u8], alphabet: &Alphabet) -> Vec<Vec<u8>> {
    let Alphabet::Characters { end_of_word } = alphabet else { return word.iter().map(|&byte| vec![byte]).collect() };
    let text = std::str::from_utf8(word).unwrap();
    let mut symbols: Vec<Vec<u8>> = text.chars().map(|c| c.to_string().into_bytes()).collect();
    match end_of_word {
        Some(mark) if mark.joined => symbols.iter_mut().next_back().into_iter().for_each(|last| last.push(0xFF)),
        Some(_) => symbols.push(vec![0xFF]),
        None => {}
    }
    symbols
}

/// The place of a byte among the characters that GPT-2's `bytes_to_unicode` gives to the bytes.
fn position_in_hugging_face(byte: u8) -> usize {
    let mut next = 256;
    let characters: Vec<u32> = (0..=255_u32)
        .map(|b| {
            if (33..=126).contains(&b) || (161..=172).contains(&b) || (174..=255).contains(&b) {
                return b;
            }
            next += 1;
            next - 1
        })
        .collect();
    characters.iter().filter(|&&c| c < characters[usize::from(byte)]).count()
}
