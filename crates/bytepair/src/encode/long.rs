//! Merging the symbols of a long pretoken.
//!
//! Idea: the symbols are a list of [`Link`]s, and the ranks of their pairs a tree that knows the [`Lowest`]. A link of many
//! symbols is merged at once, every second one with the next, where that is what one merge after the other comes to: each
//! makes pairs of the new symbol with the one before it and with the next, which may in turn become a new one, and if all
//! these have higher ranks, the next pair of the link is the lowest of all, and leftmost.
//!
//! Invariant: the tree has the rank of the first pair of each link, at its place, and no other. Ranks need not rise:
//! nothing here assumes that a merge makes pairs of higher ranks than its own.
//!
//! Cost: n log n in the links; a run of equal symbols costs no more than reading it and writing its ids.

use std::cmp::Ordering;

use crate::encode::links::{END, Link, Links};
use crate::encode::lowest::Lowest;
use crate::encode::piece::{Flow, Merged, Rules};
use crate::vocabulary::NONE;

/// The buffers.
#[derive(Debug, Default)]
pub(super) struct Long {
    links: Links,
    lowest: Lowest,
    /// The pairs of new symbols with what stands before and after them, which mostly are the same again where a text
    /// repeats itself.
    asked: [Asked; 2],
}

/// The pair that was asked for last, and its rank.
#[derive(Debug)]
struct Asked {
    pair: (u32, u32),
    rank: u32,
}

impl Default for Asked {
    fn default() -> Self {
        Self { pair: (NONE, NONE), rank: NONE }
    }
}

impl Asked {
    /// As [`Rules::rank`].
    #[inline]
    fn rank(&mut self, rules: Rules<'_>, left: u32, right: u32) -> u32 {
        if self.pair != (left, right) {
            *self = Self { pair: (left, right), rank: rules.rank(left, right) };
        }
        self.rank
    }
}

impl Long {
    /// How many base symbols there is room for.
    pub(super) fn capacity(&self) -> usize {
        self.links.capacity()
    }

    /// As [`Piece::merge`](super::piece::Piece::merge), of these symbols.
    pub(super) fn merge<F: Flow>(
        &mut self,
        symbols: &[u32],
        rules: Rules<'_>,
        mut on_merge: impl FnMut(Merged) -> F,
        mut emit: impl FnMut(u32, usize),
    ) {
        self.link(symbols, rules);
        while let Some((rank, at)) = self.lowest.first() {
            if self.merge_link(rank, at, rules, &mut on_merge) {
                // What is left in the tree is not wanted.
                self.lowest = Lowest::default();
                break;
            }
        }
        let mut place = 0;
        while let Some(link) = self.links.find(place) {
            let width = self.links.width(place, link);
            for number in 0..link.count {
                emit(link.id, (place + number * width) as usize);
            }
            place = link.after;
        }
    }

    /// Builds the list and the tree.
    #[allow(clippy::cast_possible_truncation)] // pretokens are shorter
    fn link(&mut self, symbols: &[u32], rules: Rules<'_>) {
        self.links.reset(symbols.len() as u32);
        self.lowest.reset(symbols.len());
        self.asked = Default::default();
        let (mut rest, mut at, mut before) = (symbols, 0, END);
        while let Some((&id, others)) = rest.split_first() {
            let count = others.iter().take_while(|&&other| other == id).count().max(1);
            rest = &rest[count..];
            let after = if rest.is_empty() { END } else { at + count as u32 };
            self.links.set(at, Link { id, count: count as u32, before, after });
            if let Some(&next) = rest.first() {
                self.asked.rotate_left(1);
                let rank = self.asked[0].rank(rules, id, next);
                self.lowest.set(at, rank);
            }
            (before, at) = (at, after);
        }
    }

    /// Merges the first pair of the link at a place, which is the lowest, or at once all its pairs that are merged in turn.
    /// Gives whether `on_merge` stops the merging.
    #[inline]
    fn merge_link<F: Flow>(
        &mut self,
        rank: u32,
        at: u32,
        rules: Rules<'_>,
        on_merge: &mut impl FnMut(Merged) -> F,
    ) -> bool {
        let link = self.links.get(at);
        // A pair with a rank has a right side.
        let right = self.links.get(link.after);
        let pair = (link.id, right.id);
        let id = rules.vocabulary.makes(rank, pair.0, pair.1);
        let width = self.links.width(at, link);
        let outer = self.links.find(link.before).map_or(NONE, |before| self.asked[0].rank(rules, before.id, id));
        let merges = if link.count > 2 && outer.min(rules.rank(id, link.id)).min(rules.rank(id, id)) > rank {
            link.count.div_ceil(2)
        } else {
            1
        };
        for left in (0..merges).map(|number| at + 2 * number * width) {
            let (left, right) = (left as usize, (left + width) as usize);
            if on_merge(Merged { left, right, pair, rank, id }).stops() {
                return true;
            }
        }
        let after = self.cut(at, link, right, width, 2 * merges, rank);
        let before = if link.before == END { END } else { self.join(link.before, id, outer, at) };
        let last = at + 2 * width * (merges - 1);
        let next = self.links.find(after).map_or(NONE, |next| self.asked[1].rank(rules, id, next.id));
        self.links.set(last, Link { id, count: 1, before: if merges > 1 { at } else { before }, after });
        self.links.set_before(after, last);
        if merges > 1 {
            self.lowest.set(last, next);
            self.links.set(at, Link { id, count: merges - 1, before, after: last });
        }
        self.lowest.set_first(at, if merges > 1 { rules.rank(id, id) } else { next });
        false
    }

    /// Takes the first symbols of a link away, which are of this width, and of the next link if there are too few; gives the
    /// place of what follows them. The links beside them still stand as before.
    #[inline]
    fn cut(&mut self, at: u32, link: Link, right: Link, width: u32, taken: u32, rank: u32) -> u32 {
        let (place, cut, rank) = match taken.cmp(&link.count) {
            Ordering::Less => (at + taken * width, Link { count: link.count - taken, ..link }, rank),
            Ordering::Equal => return link.after,
            Ordering::Greater => {
                let rank = self.lowest.get(link.after);
                self.lowest.set(link.after, NONE);
                if right.count == 1 {
                    return right.after;
                }
                let place = link.after + self.links.width(link.after, right);
                (place, Link { count: right.count - 1, ..right }, rank)
            }
        };
        self.links.set(place, cut);
        self.links.set_before(cut.after, place);
        self.lowest.set(place, rank);
        place
    }

    /// Gives the last symbol of the link at a place its pair with what now begins after it, as a link of its own or a part
    /// of the one before it. Gives the place of that link.
    #[inline]
    fn join(&mut self, place: u32, id: u32, rank: u32, after: u32) -> u32 {
        let link = self.links.get(place);
        if link.count > 1 {
            let count = link.count - 1;
            let last = place + count * self.links.width(place, link);
            self.links.set(place, Link { count, after: last, ..link });
            self.links.set(last, Link { count: 1, before: place, after, ..link });
            self.lowest.set(last, rank);
            return last;
        }
        if link.id == id
            && let Some(before) = self.links.find(link.before)
            && before.id == id
        {
            self.lowest.set(place, NONE);
            self.links.set(link.before, Link { count: before.count + 1, after, ..before });
            return link.before;
        }
        self.lowest.set(place, rank);
        place
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test's way to fail
mod tests {
    use std::ops::ControlFlow;

    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::Long;
    use crate::encode::piece::{Merged, Rules};
    use crate::vocabulary::{Alphabet, NONE, Vocabulary};

    /// Merges the leftmost of the lowest pairs, looked for anew each time. Gives the merges, and the symbols left with the
    /// first base symbol of each.
    fn plainly(symbols: &[u32], rules: Rules<'_>) -> (Vec<Merged>, Vec<(u32, usize)>) {
        let mut left: Vec<(u32, usize)> = symbols.iter().copied().zip(0..).collect();
        let mut merges = Vec::new();
        loop {
            let ranks = left.windows(2).map(|pair| rules.made(pair[0].0, pair[1].0)).zip(0..);
            let Some((made, at)) =
                ranks.min_by_key(|&(made, at)| (made.rank, at)).filter(|(made, _)| made.rank != NONE)
            else {
                return (merges, left);
            };
            let (one, two) = (left[at], left.remove(at + 1));
            merges.push(Merged { left: one.1, right: two.1, pair: (one.0, two.0), rank: made.rank, id: made.id });
            left[at].0 = made.id;
        }
    }

    /// A vocabulary of the bytes and of what some joins make, each of two earlier tokens. The ranks are in the order of the
    /// keys, not in that in which the tokens were made, so that they need not rise.
    fn vocabulary(joins: &[(Index, Index, u8)], is_ranks: bool, far: u32) -> Vocabulary {
        let mut tokens: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
        let (mut parts, mut merges) = (vec![97, 98, 99], Vec::new());
        for (left, right, key) in joins {
            let (left, right) = (*left.get(&parts), *right.get(&parts));
            let joined = [tokens[left].as_slice(), &tokens[right]].concat();
            if joined.len() < 50 && !tokens.contains(&joined) {
                merges.push((key, (u32::try_from(left).unwrap(), u32::try_from(right).unwrap())));
                parts.push(tokens.len());
                tokens.push(joined);
            }
        }
        if is_ranks {
            let mut made: Vec<_> = merges.iter().map(|(key, _)| key).zip(tokens.split_off(256)).collect();
            made.sort();
            tokens.extend(made.into_iter().map(|(_, token)| token));
            return Vocabulary::from_ranks((far..).zip(tokens).collect()).unwrap();
        }
        merges.sort();
        let merges = merges.into_iter().map(|(_, (left, right))| (left + far, right + far)).collect();
        Vocabulary::from_merges(Alphabet::Bytes, (far..).zip(tokens).collect(), merges, false).unwrap()
    }

    /// A run, two letters in turn, runs in a row, a text that repeats itself, any text.
    fn word() -> impl Strategy<Value = Vec<u8>> {
        let letters = || proptest::sample::select(&b"aabbc"[..]);
        let run = |most| (letters(), 1usize..most).prop_map(|(letter, count)| vec![letter; count]);
        prop_oneof![
            run(201),
            (1usize..201).prop_map(|count| b"ab".iter().copied().cycle().take(count).collect()),
            proptest::collection::vec(run(20), 1..12).prop_map(|runs| runs.concat()),
            (proptest::collection::vec(letters(), 1..9), 1usize..40).prop_map(|(word, count)| word.repeat(count)),
            proptest::collection::vec(letters(), 0..150),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn it_merges_as_the_plain_rule_does(
            joins in proptest::collection::vec((any::<Index>(), any::<Index>(), any::<u8>()), 0..25),
            is_ranks in any::<bool>(),
            far in prop_oneof![4 => Just(0), 1 => Just(1 << 21)],
            below in prop_oneof![4 => Just(NONE), 1 => 0u32..280],
            words in proptest::collection::vec(word(), 1..4),
            patience in 1usize..200,
        ) {
            let vocabulary = vocabulary(&joins, is_ranks, far);
            let rules = Rules { vocabulary: &vocabulary, below };
            let mut long = Long::default();
            for word in words {
                let mut symbols: Vec<u32> = word.iter().map(|&byte| vocabulary.byte(byte)).collect();
                for at in (patience..symbols.len()).step_by(97) {
                    symbols[at] = NONE;
                }
                let expected = plainly(&symbols, rules);
                let (mut merges, mut left) = (Vec::new(), Vec::new());
                long.merge(&symbols, rules, |merge| merges.push(merge), |id, at| left.push((id, at)));
                prop_assert_eq!(&(merges, left), &expected);
                let mut merges = Vec::new();
                let on_merge = |merge| {
                    merges.push(merge);
                    if merges.len() < patience { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                };
                long.merge(&symbols, rules, on_merge, |_, _| {});
                prop_assert_eq!(&merges, &expected.0[..patience.min(expected.0.len())]);
            }
        }
    }

    #[test]
    fn runs_and_turns_of_every_length() {
        let joins: [&[&[u8]]; 4] = [
            &[b"a|a", b"aa|aa", b"aaaa|aaaa"],
            &[b"aa|a", b"a|a", b"aa|aa", b"a|aa"],
            &[b"aa|aa", b"aaa|aa", b"a|aa", b"a|a"],
            &[b"ab|ab", b"b|a", b"ab|a", b"a|b", b"ba|ba"],
        ];
        for joins in joins {
            let mut tokens: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
            let halves = |join: &[u8]| {
                let mut halves = join.split(|&byte| byte == b'|').map(<[u8]>::to_vec);
                (halves.next().unwrap(), halves.next().unwrap())
            };
            for (left, right) in joins.iter().map(|join| halves(join)) {
                let joined = [left, right].concat();
                if !tokens.contains(&joined) {
                    tokens.push(joined);
                }
            }
            let id = |token: Vec<u8>| u32::try_from(tokens.iter().position(|other| *other == token).unwrap()).unwrap();
            let merges = joins.iter().map(|join| halves(join)).map(|(left, right)| (id(left), id(right))).collect();
            let all = || (0..).zip(tokens.clone()).collect();
            let list = Vocabulary::from_merges(Alphabet::Bytes, all(), merges, false).unwrap();
            for vocabulary in [list, Vocabulary::from_ranks(all()).unwrap()] {
                let rules = Rules { vocabulary: &vocabulary, below: NONE };
                let mut long = Long::default();
                for (word, length) in
                    [b"a", b"ab".as_slice()].into_iter().flat_map(|word| (1..=200).map(move |length| (word, length)))
                {
                    let symbols: Vec<u32> =
                        word.iter().cycle().take(length).map(|&byte| vocabulary.byte(byte)).collect();
                    let (mut merges, mut left) = (Vec::new(), Vec::new());
                    long.merge(&symbols, rules, |merge| merges.push(merge), |id, at| left.push((id, at)));
                    assert_eq!((merges, left), plainly(&symbols, rules));
                }
            }
        }
    }
}
