//! Training without any cleverness: before every merge, all pairs of all pretokens are counted again.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::super::{Goal, Merge, Stopped, Ties, TrainOptions};
use crate::vocabulary::Alphabet;

/// One pretoken: its symbols as ids, and its count.
pub type Word = (Vec<u32>, u64);

/// What is known of a pair: its count, and the pretoken and index at which it first stands.
type Seen = (u64, (usize, usize));

/// The naive trainer.
pub struct Naive {
    /// The contents of the tokens, by id.
    pub tokens: Vec<Vec<u8>>,
    /// The pretokens as they stand.
    pub words: Vec<Word>,
    /// The merges so far.
    pub merges: Vec<Merge>,
    /// How often a merge was made again because its pair came back.
    pub again: usize,
    options: TrainOptions,
}

impl Naive {
    /// The state before the first merge. The pretokens are distinct and in the order of first appearance.
    pub fn new(words: &[(Vec<u8>, u64)], options: &TrainOptions) -> Self {
        let symbols: Vec<Vec<Vec<u8>>> = words.iter().map(|(word, _)| symbols(word, &options.alphabet)).collect();
        let tokens: Vec<Vec<u8>> = match &options.alphabet {
            Alphabet::Bytes => (0..=255).map(|byte| vec![byte]).collect(),
            Alphabet::Characters { end_of_word } => {
                let mut found: BTreeSet<Vec<u8>> = symbols.iter().flatten().cloned().collect();
                let mark = end_of_word.as_ref().filter(|mark| !mark.joined).map(|_| vec![0xFF]);
                found.retain(|symbol| Some(symbol) != mark.as_ref());
                if end_of_word.as_ref().is_some_and(|mark| mark.joined) {
                    let plain = found.iter().map(|symbol| symbol.strip_suffix(&[0xFF]).unwrap_or(symbol).to_vec());
                    found = plain.flat_map(|symbol| [symbol.clone(), [symbol, vec![0xFF]].concat()]).collect();
                }
                // No UTF-8 holds 0xFF, so the order of bytes is that of code points, the joined mark last.
                mark.into_iter().chain(found).collect()
            }
        };
        let id = |symbol: &Vec<u8>| u32::try_from(tokens.iter().position(|t| t == symbol).unwrap()).unwrap();
        let words =
            symbols.iter().zip(words).map(|(word, &(_, count))| (word.iter().map(id).collect(), count)).collect();
        Self::of(tokens, words, options)
    }

    /// The state of pretokens that stand in any tokens.
    pub fn of(tokens: Vec<Vec<u8>>, words: Vec<Word>, options: &TrainOptions) -> Self {
        Self { tokens, words, merges: Vec::new(), again: 0, options: options.clone() }
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
            let id = self.join(pair);
            let fired = self.replace(pair, id);
            self.merges.push(Merge { left: pair.0, right: pair.1, id, count, fired });
            while let Some(merge) = self.back() {
                self.replace((merge.left, merge.right), merge.id);
                self.again += 1;
            }
        }
    }

    /// The first merge whose pair stands in the pretokens.
    fn back(&self) -> Option<Merge> {
        let pairs = self.pairs();
        self.merges.iter().copied().find(|merge| pairs.contains_key(&(merge.left, merge.right)))
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

    fn best(&self) -> Option<((u32, u32), u64)> {
        let pairs = self.pairs();
        let length = |id: u32| self.tokens[id as usize].len();
        let allowed = pairs.into_iter().filter(|((left, right), _)| {
            self.options.max_token_bytes.is_none_or(|max| length(*left) + length(*right) <= max)
        });
        let lowest = |pair: (u32, u32)| Reverse(pair);
        let best = match self.options.ties {
            Ties::First => allowed.max_by_key(|(_, (count, first))| (*count, Reverse(*first))),
            Ties::HuggingFace if self.options.alphabet == Alphabet::Bytes => {
                let number = |id: u32| u8::try_from(id).map_or(u64::from(id), position_in_hugging_face);
                allowed.max_by_key(|&((left, right), (count, _))| (count, Reverse((number(left), number(right)))))
            }
            Ties::Greatest => allowed
                .max_by_key(|&(pair, (count, _))| (count, (self.written(pair.0), self.written(pair.1)), lowest(pair))),
            _ => allowed.max_by_key(|&(pair, (count, _))| (count, lowest(pair))),
        };
        best.map(|(pair, (count, _))| (pair, count))
    }

    fn join(&mut self, pair: (u32, u32)) -> u32 {
        let content = [&self.tokens[pair.0 as usize][..], &self.tokens[pair.1 as usize]].concat();
        let id = self.tokens.iter().position(|token| *token == content).unwrap_or_else(|| {
            self.tokens.push(content);
            self.tokens.len() - 1
        });
        u32::try_from(id).unwrap()
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
        let content = &self.tokens[id as usize];
        match &self.options.alphabet {
            Alphabet::Characters { end_of_word: Some(mark) } => {
                content.iter().flat_map(|&b| if b == 0xFF { mark.mark.as_bytes().to_vec() } else { vec![b] }).collect()
            }
            _ => content.clone(),
        }
    }
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
fn position_in_hugging_face(byte: u8) -> u64 {
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
    characters.iter().filter(|&&c| c < characters[usize::from(byte)]).count() as u64
}
