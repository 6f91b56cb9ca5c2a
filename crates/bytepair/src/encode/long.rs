//! Merging the symbols of a long pretoken.
//!
//! Idea: the symbols are a list of [`Link`]s, and their pairs stand in a [`Queue`] by (rank, position); an entry is out of
//! date, and skipped, when the pair at its position no longer has its rank. A link of many symbols is merged at once, every
//! second one with the next, where that is what one merge after the other comes to: each but the last makes pairs of the new
//! symbol with the one before, with what follows, and then with another new one, and if all these have higher ranks, the
//! next pair of the link is the lowest of all, and the leftmost of these.
//!
//! Invariant: a link with a rank has an entry. Ranks need not rise: nothing here assumes that a merge makes pairs of higher
//! ranks than its own.
//!
//! Cost: n log n in the links; a run of equal symbols costs no more than reading it and writing its ids.

use crate::encode::links::{END, Link, Links};
use crate::encode::piece::{Flow, Merged, Rules};
use crate::encode::queue::Queue;
use crate::vocabulary::NONE;

/// The buffers.
#[derive(Debug, Default)]
pub(super) struct Long {
    links: Links,
    queue: Queue,
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
        while let Some((rank, at)) = self.queue.pop() {
            let link = self.links.get(at);
            if link.rank == rank && self.merge_link(at, link, rules, &mut on_merge) {
                self.queue = Queue::default();
                break;
            }
        }
        let mut next = 0;
        while let Some(link) = self.links.find(next) {
            let width = link.width(next, self.links.length());
            for at in (0..link.count).map(|number| next + number * width) {
                emit(link.id, at as usize);
            }
            next = link.after;
        }
    }

    /// Builds the list and the queue.
    fn link(&mut self, symbols: &[u32], rules: Rules<'_>) {
        let length = u32::try_from(symbols.len()).unwrap_or(END - 1);
        self.links.reset(length);
        let (mut rest, mut at, mut before) = (symbols, 0, END);
        while let Some((&id, others)) = rest.split_first() {
            let same = others.iter().take_while(|&&other| other == id).count();
            let count = same.max(1);
            rest = &rest[count..];
            let rank = rest.first().map_or(NONE, |&next| rules.rank(id, next));
            #[allow(clippy::cast_possible_truncation)] // less than the length
            let count = count as u32;
            let after = if rest.is_empty() { END } else { at + count };
            self.put(at, Link { id, rank, count, before, after });
            (before, at) = (at, at + count);
        }
    }

    /// Writes a link and queues its pair.
    #[inline]
    fn put(&mut self, at: u32, link: Link) {
        self.links.set(at, link);
        if link.rank != NONE {
            self.queue.push(link.rank, at);
        }
    }

    /// Merges the first pair of a link, which is the lowest, or at once all of its pairs that are merged in turn. Gives
    /// whether `on_merge` stops the merging.
    #[inline]
    fn merge_link<F: Flow>(
        &mut self,
        at: u32,
        link: Link,
        rules: Rules<'_>,
        on_merge: &mut impl FnMut(Merged) -> F,
    ) -> bool {
        // A pair with a rank has a right side.
        let right = self.links.get(link.after);
        let id = rules.vocabulary.makes(link.rank, link.id, right.id);
        let width = link.width(at, self.links.length());
        let outer = self.links.find(link.before).map_or(NONE, |before| rules.rank(before.id, id));
        let at_once = link.count > 2 && outer.min(rules.rank(id, link.id)).min(rules.rank(id, id)) > link.rank;
        let merges = if at_once { link.count.div_ceil(2) } else { 1 };
        for left in (0..merges).map(|number| at + 2 * number * width) {
            let (left, right_at) = (left as usize, (left + width) as usize);
            if on_merge(Merged { left, right: right_at, pair: (link.id, right.id), rank: link.rank, id }).stops() {
                return true;
            }
        }
        let after = self.cut(at, link, right, width, 2 * merges);
        let before = if link.before == END { END } else { self.join(link.before, id, outer, at) };
        let last = at + 2 * width * (merges - 1);
        if last != at {
            self.put(at, Link { id, rank: rules.rank(id, id), count: merges - 1, before, after: last });
        }
        let rank = self.links.find(after).map_or(NONE, |next| rules.rank(id, next.id));
        self.put(last, Link { id, rank, count: 1, before: if last == at { before } else { at }, after });
        self.links.set_before(after, last);
        false
    }

    /// Takes the first symbols of a link away, and of the next link if there are not so many; gives the place of what
    /// follows them.
    #[inline]
    fn cut(&mut self, at: u32, link: Link, right: Link, width: u32, taken: u32) -> u32 {
        if taken < link.count {
            let rest = at + taken * width;
            self.put(rest, Link { count: link.count - taken, ..link });
            self.links.set_before(link.after, rest);
            return rest;
        }
        if taken == link.count {
            return link.after;
        }
        self.links.remove(link.after);
        if right.count == 1 {
            return right.after;
        }
        let rest = link.after + right.width(link.after, self.links.length());
        self.put(rest, Link { count: right.count - 1, ..right });
        self.links.set_before(right.after, rest);
        rest
    }

    /// Gives the last symbol of the link before `at` its pair with what now begins there, as a link of its own or a part of
    /// the one before it. Gives the place of that link.
    #[inline]
    fn join(&mut self, place: u32, id: u32, rank: u32, at: u32) -> u32 {
        let link = self.links.get(place);
        if link.count > 1 {
            let count = link.count - 1;
            let last = place + count * link.width(place, self.links.length());
            self.links.set(place, Link { count, after: last, ..link });
            self.put(last, Link { rank, count: 1, before: place, after: at, ..link });
            return last;
        }
        if link.id == id
            && let Some(before) = self.links.find(link.before)
            && before.id == id
        {
            self.links.remove(place);
            self.links.set(link.before, Link { count: before.count + 1, after: at, ..before });
            return link.before;
        }
        self.put(place, Link { rank, after: at, ..link });
        place
    }
}
