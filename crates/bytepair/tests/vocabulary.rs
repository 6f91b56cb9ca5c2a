//! Vocabularies: what is refused, what is given back, and rank files against merge lists.
#![allow(clippy::unwrap_used)]

mod encode_oracle;

use std::collections::{HashMap, HashSet};

use bytepair::tokenizer::{EncodeOptions, UnknownSymbol};
use bytepair::{Alphabet, EndOfWord, SpecialTokens, Splitter, Tokenizer, Vocabulary};
use encode_oracle::{Recipe, byte_recipes, character_recipes, tokenizer};
use proptest::prelude::*;

fn tokens(texts: &[&str]) -> Vec<(u32, Vec<u8>)> {
    (0..).zip(texts.iter().map(|text| text.as_bytes().to_vec())).collect()
}

fn refused(tokens: Vec<(u32, Vec<u8>)>, merges: &[(u32, u32)]) -> String {
    Vocabulary::from_merges(Alphabet::Bytes, tokens, merges.to_vec(), false).unwrap_err().to_string()
}

#[test]
fn what_contradicts_itself_is_refused_by_name() {
    let missing = refused(tokens(&["a", "b"]), &[(0, 1)]);
    assert!(missing.starts_with("merges[0] makes `ab`, which is not in the vocabulary"), "{missing}");
    assert!(missing.contains("`a` and `b`") && missing.contains("\nhint: "), "{missing}");
    let unknown = refused(tokens(&["a", "b", "ab"]), &[(0, 1), (2, 9)]);
    assert!(unknown.starts_with("merges[1] joins `ab` and id 9, and no token has id 9"), "{unknown}");
    let twice = refused(tokens(&["a", "b", "ab"]), &[(0, 1), (0, 1)]);
    assert!(twice.starts_with("merges[1] joins `a` and `b`, and so does merges[0]"), "{twice}");
    assert!(refused(vec![(7, b"a".to_vec()), (7, b"b".to_vec())], &[]).contains("id 7"));
    assert!(refused(vec![(7, vec![])], &[]).contains("id 7 is empty"));
    assert!(refused(vec![(u32::MAX, vec![1])], &[]).contains("4294967295"));
    assert!(Vocabulary::from_ranks(vec![(1, vec![0]), (1, vec![1])]).is_err());
}

#[test]
fn a_merge_of_another_token_of_one_byte_is_not_made_of_that_byte() {
    let texts = ["a", "b", "ab", "ba", "a"];
    for (merges, expected) in
        [(vec![(4, 1)], &[0, 1, 0, 1][..]), (vec![(4, 1), (1, 0)], &[0, 3, 1]), (vec![(1, 4), (0, 1)], &[2, 2])]
    {
        let vocabulary = Vocabulary::from_merges(Alphabet::Bytes, tokens(&texts), merges, false).unwrap();
        let tokenizer = Tokenizer::new(Splitter::whole(), vocabulary, SpecialTokens::default()).unwrap();
        let mut ids = Vec::new();
        tokenizer.encode(b"abab", EncodeOptions::default(), &mut ids).unwrap();
        assert_eq!(ids, expected);
    }
}

#[test]
fn of_tokens_with_the_same_content_each_merge_makes_its_own() {
    let texts = ["a", "b", "ab", "ba", "aba", "aba", "aba"];
    let merges = vec![(0, 1), (1, 0), (0, 3), (2, 0)];
    let vocabulary = Vocabulary::from_merges(Alphabet::Bytes, tokens(&texts), merges.clone(), false).unwrap();
    assert_eq!(vocabulary.twins(), [5, 6]);
    assert_eq!((vocabulary.merge(0, 3), vocabulary.merge(2, 0)), (Some((2, 4)), Some((3, 5))));
    assert_eq!((vocabulary.id_of(b"aba"), vocabulary.content(6)), (Some(4), Some(&b"aba"[..])));
    let joins: Vec<(&[u8], usize)> = vec![(b"ab", 1), (b"ba", 1), (b"aba", 1), (b"aba", 2)];
    let again = Vocabulary::of_joins(tokens(&texts).into(), &joins, false).unwrap();
    assert_eq!((again.merges(), again.merge(2, 0)), (merges, Some((3, 5))));
    assert!(vocabulary.ranks_equal_merges().unwrap_err().to_string().contains("two tokens have the bytes `aba`"));
}

#[test]
fn in_a_rank_file_the_last_of_them_counts() {
    let texts = ["a", "b", "ab", "b", "ab"];
    let vocabulary = Vocabulary::from_ranks(tokens(&texts)).unwrap();
    assert_eq!(vocabulary.twins(), [1, 2]);
    assert_eq!((vocabulary.id_of(b"ab"), vocabulary.merge(0, 3)), (Some(4), Some((4, 4))));
    assert_eq!(vocabulary.pairs(), [(0, 3)]);
}

#[test]
fn joins_of_contents_are_merges_of_ids() {
    let texts = ["a", "b", "ab", "c", "abc"];
    let joins: [(&[u8], usize); 2] = [(b"ab", 1), (b"abc", 2)];
    let by_contents = Vocabulary::of_joins(tokens(&texts).into(), &joins, true).unwrap();
    let by_ids = Vocabulary::from_merges(Alphabet::Bytes, tokens(&texts), vec![(0, 1), (2, 3)], true).unwrap();
    assert_eq!((by_contents.merges(), by_contents.whole_first()), (by_ids.merges(), true));
    assert_eq!(by_contents.merge(2, 3), Some((1, 4)));
    let refused =
        |joins: &[(&[u8], usize)]| Vocabulary::of_joins(tokens(&texts).into(), joins, false).unwrap_err().to_string();
    let missing = refused(&[(b"ab", 1), (b"bc", 1)]);
    assert!(missing.starts_with("merges[1] makes `bc`, which is not in the vocabulary"), "{missing}");
    let unknown = refused(&[(b"ad", 1)]);
    assert!(unknown.starts_with("merges[0] joins `a` and `d`, and `d` is no token"), "{unknown}");
    assert!(refused(&[(b"ab", 1), (b"ab", 1)]).contains("and so does merges[0]"));
    assert!(refused(&[(b"ab", 7)]).contains("is no token"));
}

#[test]
fn contents_of_characters_are_text() {
    let make = |content: &[u8], mark: bool| {
        let end_of_word = mark.then(|| EndOfWord { mark: "_".to_owned(), joined: true });
        Vocabulary::from_merges(Alphabet::Characters { end_of_word }, vec![(0, content.to_vec())], vec![], false)
    };
    assert!(make("é".as_bytes(), false).is_ok());
    assert!(make(b"e\xFF", true).is_ok());
    assert!(make(b"e\xFF", false).unwrap_err().to_string().contains("end-of-word mark"));
    assert!(make(b"\xC3", true).unwrap_err().to_string().contains("not made of characters"));
}

#[test]
fn an_empty_vocabulary_is_one() {
    let vocabulary = Vocabulary::from_ranks(vec![]).unwrap();
    assert_eq!((vocabulary.len(), vocabulary.n_vocab(), vocabulary.merges()), (0, 0, vec![]));
    assert_eq!((vocabulary.content(0), vocabulary.id_of(b""), vocabulary.merge(0, 0)), (None, None, None));
}

#[test]
fn ids_far_apart_cost_no_memory() {
    let far = u32::MAX - 1;
    let vocabulary = Vocabulary::from_ranks(vec![(0, b"a".to_vec()), (far, b"aa".to_vec())]).unwrap();
    assert_eq!((vocabulary.len(), vocabulary.n_vocab()), (2, far as usize + 1));
    assert_eq!((vocabulary.content(far), vocabulary.content(1)), (Some(&b"aa"[..]), None));
    assert_eq!((vocabulary.merge(0, 0), vocabulary.merge(u32::MAX, u32::MAX)), (Some((far, far)), None));
}

#[test]
fn several_merges_may_make_one_token() {
    let vocabulary = Vocabulary::from_merges(
        Alphabet::Bytes,
        tokens(&["a", "b", "ab", "ba", "aba"]),
        vec![(0, 1), (1, 0), (2, 0), (0, 3)],
        false,
    )
    .unwrap();
    assert_eq!((vocabulary.merge(2, 0), vocabulary.merge(0, 3)), (Some((2, 4)), Some((3, 4))));
    assert_eq!(vocabulary.merges(), [(0, 1), (1, 0), (2, 0), (0, 3)]);
}

#[test]
fn the_merges_of_a_rank_file() {
    // `abc` is merged from `ab` and `c`, though `a` and `bc` would make it too; `xyz` is reached by nothing.
    let vocabulary = Vocabulary::from_ranks(tokens(&["a", "b", "c", "ab", "bc", "abc", "x", "y", "z", "xyz"])).unwrap();
    assert_eq!(vocabulary.merges(), [(0, 1), (1, 2), (3, 2)]);
    assert_eq!(vocabulary.merge(0, 4), Some((5, 5)));
    assert!(vocabulary.is_ranks() && vocabulary.whole_first());
}

/// Learns merges the plain way: the most frequent pair, the smallest of equals.
fn trained(words: &[Vec<u8>], merges: usize, id_of: impl Fn(usize) -> u32) -> Recipe {
    let mut tokens: Vec<(u32, Vec<u8>)> = [b'a', b'b', b'c'].map(|byte| (u32::from(byte), vec![byte])).to_vec();
    let mut learned = Vec::new();
    let mut words: Vec<Vec<u32>> =
        words.iter().map(|word| word.iter().map(|&byte| u32::from(byte)).collect()).collect();
    while learned.len() < merges {
        let mut counts: HashMap<(u32, u32), usize> = HashMap::new();
        for pair in words.iter().flat_map(|word| word.windows(2)) {
            *counts.entry((pair[0], pair[1])).or_default() += 1;
        }
        let Some((&pair, _)) = counts.iter().max_by_key(|&(&pair, &count)| (count, std::cmp::Reverse(pair))) else {
            break;
        };
        let contents: HashMap<u32, Vec<u8>> = tokens.iter().cloned().collect();
        let joined = [contents[&pair.0].clone(), contents[&pair.1].clone()].concat();
        let known = tokens.iter().find(|(_, content)| *content == joined).map(|&(id, _)| id);
        let id = known.unwrap_or_else(|| id_of(learned.len()));
        if known.is_none() {
            tokens.push((id, joined));
        }
        learned.push(pair);
        for word in &mut words {
            let mut at = 0;
            while at + 1 < word.len() {
                if (word[at], word[at + 1]) == pair {
                    word[at] = id;
                    word.remove(at + 1);
                }
                at += 1;
            }
        }
    }
    Recipe { alphabet: Alphabet::Bytes, tokens, merges: Some(learned), whole_first: false }
}

fn words() -> impl Strategy<Value = Vec<Vec<u8>>> {
    proptest::collection::vec(proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'b'), Just(b'c')], 1..12), 1..6)
}

/// Whether both encode every one of these words alike.
fn alike(merges: &Recipe, words: &[Vec<u8>]) -> Result<(), TestCaseError> {
    let ranks = Recipe { merges: None, ..merges.clone() };
    for word in words {
        let (one, two) = (merges.word(word, UnknownSymbol::Skip), ranks.word(word, UnknownSymbol::Skip));
        prop_assert_eq!(one, two, "{:?}", word);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn everything_is_given_back(recipe in prop_oneof![byte_recipes(), character_recipes()]) {
        let vocabulary = recipe.build();
        prop_assert_eq!(vocabulary.len(), recipe.tokens.len());
        let highest = recipe.tokens.iter().map(|token| token.0).max();
        prop_assert_eq!(vocabulary.n_vocab(), highest.map_or(0, |id| id as usize + 1));
        let contents = recipe.contents();
        for id in 0..=highest.unwrap_or(0) + 1 {
            prop_assert_eq!(vocabulary.content(id), contents.get(&id).map(Vec::as_slice));
        }
        let ids = recipe.ids();
        for (&left, one) in &contents {
            prop_assert_eq!(vocabulary.id_of(one), Some(left));
            for (&right, two) in &contents {
                let joined = [one.as_slice(), two].concat();
                let made = match &recipe.merges {
                    None => ids.get(&joined).map(|&id| (id, id)),
                    Some(merges) => merges
                        .iter()
                        .position(|&pair| pair == (left, right))
                        .map(|rank| (u32::try_from(rank).unwrap(), ids[&joined])),
                };
                prop_assert_eq!(vocabulary.merge(left, right), made);
            }
        }
        if let Some(merges) = recipe.merges {
            prop_assert_eq!(vocabulary.merges(), merges);
        }
    }

    #[test]
    fn the_merges_of_a_rank_file_are_the_last_pairs(recipe in byte_recipes()) {
        let recipe = Recipe { merges: None, ..recipe };
        let mut expected = Vec::new();
        let mut tokens = recipe.tokens.clone();
        tokens.sort();
        for (id, content) in &tokens {
            // With the tokens of lower rank and all bytes only, so that nothing is looked up whole.
            let lower = tokens.iter().filter(|(other, text)| other < id || text.len() == 1).cloned().collect();
            let lower = Recipe { tokens: lower, ..recipe.clone() };
            if content.len() > 1
                && content.iter().all(|&byte| lower.ids().contains_key(&vec![byte]))
                && let [left, right] = lower.word(content, UnknownSymbol::Raise).unwrap()[..]
            {
                expected.push((left, right));
            }
        }
        prop_assert_eq!(recipe.build().merges(), expected);
    }

    #[test]
    fn the_pairs_of_a_rank_file_are_a_merge_list_of_the_same_ids(recipe in byte_recipes(), words in words()) {
        let ranks = Recipe { merges: None, whole_first: true, ..recipe };
        let listed = Recipe { merges: Some(ranks.build().pairs()), ..ranks.clone() };
        prop_assert_eq!(listed.build().pairs(), listed.merges.clone().unwrap());
        let contents = ranks.tokens.iter().map(|(_, content)| content);
        let joined = contents.clone().flat_map(|one| contents.clone().map(move |two| [one.as_slice(), two].concat()));
        let (one, two) = (tokenizer(&ranks, Splitter::whole()), tokenizer(&listed, Splitter::whole()));
        for word in joined.chain(words) {
            let ids = |tokenizer: &bytepair::Tokenizer| {
                let options = EncodeOptions { unknown: UnknownSymbol::Skip, ..EncodeOptions::default() };
                let mut ids = Vec::new();
                tokenizer.encode(&word, options, &mut ids).unwrap();
                ids
            };
            prop_assert_eq!(ids(&one), ids(&two));
        }
    }

    #[test]
    fn what_was_trained_can_be_a_rank_file(words in words(), merges in 0usize..10, gap in 1u32..3) {
        let recipe = trained(&words, merges, |rank| 256 + gap * u32::try_from(rank).unwrap());
        prop_assert_eq!(recipe.build().ranks_equal_merges(), Ok(()));
        alike(&recipe, &words)?;
    }

    #[test]
    fn what_cannot_be_a_rank_file_is_found(recipe in byte_recipes(), words in words()) {
        let Some(merges) = recipe.merges.clone() else { return Ok(()) };
        let contents: Vec<Vec<u8>> = recipe.tokens.iter().map(|(_, content)| content.clone()).collect();
        if recipe.build().ranks_equal_merges().is_ok() {
            let pairs = contents.iter().flat_map(|one| contents.iter().map(move |two| [one.as_slice(), two].concat()));
            alike(&recipe, &pairs.collect::<Vec<_>>())?;
            alike(&recipe, &contents)?;
            alike(&recipe, &words)?;
        } else if merges.is_empty() && !recipe.whole_first {
            prop_assert!(contents.iter().any(|content| content.len() > 1));
        }
    }

    #[test]
    fn a_rank_file_and_its_merges_agree(words in words(), merges in 0usize..10) {
        let recipe = trained(&words, merges, |rank| 256 + u32::try_from(rank).unwrap());
        let ranks = Recipe { merges: None, ..recipe.clone() };
        let again = Recipe { merges: Some(ranks.build().merges()), whole_first: true, ..recipe };
        let (one, two) = (tokenizer(&ranks, Splitter::whole()), tokenizer(&again, Splitter::whole()));
        for word in &words {
            let ids = |tokenizer: &bytepair::Tokenizer| {
                let mut ids = Vec::new();
                tokenizer.encode(word, EncodeOptions::default(), &mut ids).unwrap();
                ids
            };
            prop_assert_eq!(ids(&one), ids(&two));
            let plain = ranks.text(&Splitter::whole(), &[], &HashSet::new(), word, UnknownSymbol::Raise);
            prop_assert_eq!(Some(ids(&one)), plain);
        }
    }
}

#[test]
fn where_ranks_and_merges_differ_the_token_is_named() {
    let differs = |texts: &[&str], merges: &[(u32, u32)], whole_first| {
        let vocabulary = Vocabulary::from_merges(Alphabet::Bytes, tokens(texts), merges.to_vec(), whole_first).unwrap();
        vocabulary.ranks_equal_merges().unwrap_err().to_string()
    };
    // No merge makes `abc`; with lookup first that is no difference.
    let unreached = differs(&["a", "b", "c", "abc"], &[], false);
    assert!(unreached.starts_with("the token `abc` (id 3) is made by no merge"), "{unreached}");
    let vocabulary = Vocabulary::from_merges(Alphabet::Bytes, tokens(&["a", "b", "c", "abc"]), vec![], true).unwrap();
    assert_eq!(vocabulary.ranks_equal_merges(), Ok(()));
    // The merges come in another order than the ids.
    let order = differs(&["a", "b", "c", "ab", "bc"], &[(1, 2), (0, 1)], false);
    assert!(order.starts_with("the token `bc` (id 4) is made by merges[0]"), "{order}");
    // A rank file would merge `a` and `b`.
    let extra = differs(&["a", "b", "ab"], &[], true);
    assert!(extra.starts_with("the token `ab` (id 2) is merged into [0, 1]"), "{extra}");
    let alphabet = Alphabet::Characters { end_of_word: None };
    let characters = Vocabulary::from_merges(alphabet, tokens(&["a"]), vec![], false).unwrap();
    assert!(characters.ranks_equal_merges().is_err());
    assert_eq!(Vocabulary::from_ranks(tokens(&["a", "b", "c", "abc"])).unwrap().ranks_equal_merges(), Ok(()));
}
