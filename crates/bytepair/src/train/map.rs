//! (left id, right id) -> the number of the pair, counted in the order in which pairs were added.
//!
//! The idea: pairs of the first 256 ids, the most asked for, have a square table; all others an open-addressed
//! one. Nothing is ever removed. Invariant: the open-addressed table is a power of two and at most half full.
//! Cost: one or two memory accesses a look-up; 256 KiB, and 24 to 48 bytes a pair outside the square.

/// The side of the square table.
const SIDE: u32 = 256;
/// A place without a number.
const EMPTY: u32 = u32::MAX;

/// The map.
#[derive(Debug, Clone, Default)]
pub(super) struct PairMap {
    square: Vec<u32>,
    slots: Vec<Slot>,
    /// Pairs in `slots`.
    open: usize,
    /// All pairs.
    len: u32,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    left: u32,
    right: u32,
    number: u32,
}

impl PairMap {
    /// How many pairs there are.
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// The number of a pair.
    #[inline]
    pub(super) fn get(&self, left: u32, right: u32) -> Option<u32> {
        let number = if left < SIDE && right < SIDE {
            self.square.get((left * SIDE + right) as usize).copied().unwrap_or(EMPTY)
        } else if self.slots.is_empty() {
            EMPTY
        } else {
            self.slots[self.find(left, right)].number
        };
        (number != EMPTY).then_some(number)
    }

    /// Adds a pair, which must be new, and gives its number.
    pub(super) fn insert(&mut self, left: u32, right: u32) -> u32 {
        let number = self.len;
        self.len += 1;
        if left < SIDE && right < SIDE {
            self.square.resize((SIDE * SIDE) as usize, EMPTY);
            self.square[(left * SIDE + right) as usize] = number;
            return number;
        }
        self.open += 1;
        if self.open * 2 > self.slots.len() {
            self.grow();
        }
        let slot = self.find(left, right);
        self.slots[slot] = Slot { left, right, number };
        number
    }

    /// The slot that holds a pair, or the empty one where it would go.
    #[inline]
    fn find(&self, left: u32, right: u32) -> usize {
        let key = u64::from(left) << 32 | u64::from(right);
        let hash = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mask = self.slots.len() - 1;
        #[allow(clippy::cast_possible_truncation)] // only some bits count
        let mut slot = (hash ^ hash >> 32) as usize & mask;
        loop {
            let found = &self.slots[slot];
            if found.number == EMPTY || (found.left == left && found.right == right) {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(1024);
        let empty = Slot { left: 0, right: 0, number: EMPTY };
        for old in std::mem::replace(&mut self.slots, vec![empty; size]) {
            if old.number != EMPTY {
                let slot = self.find(old.left, old.right);
                self.slots[slot] = old;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_added_and_nothing_else() {
        let mut map = PairMap::default();
        let pairs: Vec<(u32, u32)> = (0..60).flat_map(|i| (0..60).map(move |j| (i * 9, j * 7))).collect();
        assert_eq!(map.get(1, 1), None);
        assert_eq!(map.get(1000, 1), None);
        for (number, &(left, right)) in (0..).zip(&pairs) {
            assert_eq!(map.get(left, right), None);
            assert_eq!(map.insert(left, right), number);
        }
        for (number, &(left, right)) in (0..).zip(&pairs) {
            assert_eq!(map.get(left, right), Some(number));
            assert_eq!(map.get(left, right + 1), None);
        }
        assert_eq!(map.len(), 3600);
    }
}
