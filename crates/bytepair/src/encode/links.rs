//! The symbols of a long pretoken, as a list of stretches.
//!
//! Idea: symbols in a row that are all followed by the same as themselves have the same pair, and stand as one link: a
//! million equal letters are two links, the last letter being one of its own. Any other symbol is a link of count one.
//!
//! Invariant: a link lies at the position of its first base symbol, and the links from the first on cover all base symbols.
//! Where `count` is more than one, the symbol after the link is the same. What other places hold says nothing.
//!
//! Cost: nothing is written where no link begins. So a fresh list of zeros costs only what the system is asked for, and
//! an old one serves again as it is.

/// No neighbour.
pub(super) const END: u32 = u32::MAX;

/// Some symbols in a row, of one id and one pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub(super) id: u32,
    pub(super) count: u32,
    /// The links beside this one, or [`END`].
    pub(super) before: u32,
    pub(super) after: u32,
}

/// The links, by their place. Arrays of numbers, as the system gives a vector of zeros of these without writing them.
#[derive(Debug, Default)]
pub(super) struct Links {
    links: Vec<[u32; 4]>,
    length: u32,
}

impl Links {
    /// Makes room for links of so many base symbols.
    pub(super) fn reset(&mut self, length: u32) {
        if self.links.len() < length as usize {
            self.links = vec![[0; 4]; length as usize];
        }
        self.length = length;
    }

    /// For how many base symbols there is room.
    pub(super) fn capacity(&self) -> usize {
        self.links.len()
    }

    /// The link at a place.
    #[inline]
    pub(super) fn get(&self, at: u32) -> Link {
        let [id, count, before, after] = self.links[at as usize];
        Link { id, count, before, after }
    }

    /// The link at a place, if that is not [`END`].
    #[inline]
    pub(super) fn find(&self, at: u32) -> Option<Link> {
        (at < self.length).then(|| self.get(at))
    }

    #[inline]
    pub(super) fn set(&mut self, at: u32, Link { id, count, before, after }: Link) {
        self.links[at as usize] = [id, count, before, after];
    }

    /// Notes which link stands before the one at a place, if that is not [`END`].
    #[inline]
    pub(super) fn set_before(&mut self, at: u32, to: u32) {
        if let Some([_, _, before, _]) = self.links.get_mut(at as usize) {
            *before = to;
        }
    }

    /// How many base symbols each symbol of the link at a place has. Equal ids have equal contents.
    #[inline]
    pub(super) fn width(&self, at: u32, link: Link) -> u32 {
        let span = link.after.min(self.length) - at;
        if link.count == 1 { span } else { span / link.count }
    }
}
