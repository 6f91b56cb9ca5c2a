//! Tokens on their way into a vocabulary.
//!
//! Idea: all contents lie end to end, as the vocabulary keeps them, so that tokens in the order of their ids are moved into
//! it and not copied.
//!
//! Invariant: there are as many `ends` as `ids`; they ascend, and the last is the length of `contents`.

/// Ids and contents, in any order.
///
/// ```
/// use bytepair::Vocabulary;
/// use bytepair::vocabulary::Tokens;
///
/// let mut tokens = Tokens::default();
/// tokens.push(0, b"a");
/// tokens.push(1, b"aa");
/// assert_eq!(Vocabulary::of_ranks(tokens)?.merges(), [(0, 0)]);
/// # Ok::<(), bytepair::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Tokens {
    pub(super) ids: Vec<u32>,
    /// Where each content ends in `contents`.
    pub(super) ends: Vec<usize>,
    pub(super) contents: Vec<u8>,
}

impl Tokens {
    /// With room for so many tokens, of so many bytes together.
    pub fn with_capacity(tokens: usize, bytes: usize) -> Self {
        Self { ids: Vec::with_capacity(tokens), ends: Vec::with_capacity(tokens), contents: Vec::with_capacity(bytes) }
    }

    /// Adds a token.
    pub fn push(&mut self, id: u32, content: &[u8]) {
        self.contents.extend_from_slice(content);
        self.ids.push(id);
        self.ends.push(self.contents.len());
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// How many bytes they have together.
    pub fn bytes(&self) -> usize {
        self.contents.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// (id, content) of each.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let mut start = 0;
        let content = move |&end: &usize| &self.contents[std::mem::replace(&mut start, end)..end];
        self.ids.iter().copied().zip(self.ends.iter().map(content))
    }

    /// The same tokens in the order of their ids.
    pub(super) fn sorted(self) -> Self {
        if self.ids.is_sorted() {
            return self;
        }
        let mut tokens: Vec<(u32, &[u8])> = self.iter().collect();
        tokens.sort_by_key(|token| token.0);
        tokens.into()
    }
}

impl<C: AsRef<[u8]>> From<Vec<(u32, C)>> for Tokens {
    fn from(tokens: Vec<(u32, C)>) -> Self {
        let mut made = Self::with_capacity(tokens.len(), tokens.iter().map(|token| token.1.as_ref().len()).sum());
        for (id, content) in tokens {
            made.push(id, content.as_ref());
        }
        made
    }
}
