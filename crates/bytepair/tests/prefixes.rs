//! Tokens by their beginnings, against a plain search. The trie's arrays are tested from Python, which they are for.
#![allow(clippy::unwrap_used)]

use bytepair::prefixes::Prefixes;
use bytepair::{SpecialTokens, Splitter, Tokenizer, Vocabulary};
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_range_is_all_that_begin_so(contents in btree_set(vec(0u8..3, 1..5), 0..40), prefix in vec(0u8..4, 0..4)) {
        let count = u32::try_from(contents.len()).unwrap();
        let ranks = contents.iter().cloned().enumerate().map(|(i, content)| (count - u32::try_from(i).unwrap(), content));
        let vocabulary = Vocabulary::from_ranks(ranks.collect()).unwrap();
        let tokenizer = Tokenizer::new(Splitter::whole(), vocabulary, SpecialTokens::default()).unwrap();
        let prefixes = Prefixes::new(&tokenizer);
        let found = prefixes.ids()[prefixes.range(&prefix)].iter().map(|&id| tokenizer.vocabulary().content(id).unwrap());
        let expected: Vec<&[u8]> = contents.iter().map(Vec::as_slice).filter(|one| one.starts_with(&prefix)).collect();
        prop_assert_eq!(found.collect::<Vec<_>>(), expected);

        let trie = prefixes.trie().unwrap();
        prop_assert_eq!(trie.children.len(), trie.bytes.len() + 1);
        prop_assert_eq!(trie.ends.first(), Some(&count));
        let mut node = Some(0);
        for &byte in &prefix {
            node = node.and_then(|node: usize| {
                let children = trie.children[node] as usize..trie.children[node + 1] as usize;
                children.into_iter().find(|&child| trie.bytes[child] == byte)
            });
        }
        let range = node.map_or(0..0, |node| trie.starts[node] as usize..trie.ends[node] as usize);
        prop_assert_eq!(range.len(), prefixes.range(&prefix).len());
    }
}
