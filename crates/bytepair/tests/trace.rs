//! Traces, merge trees and steps against their definitions.
#![allow(clippy::unwrap_used)]

mod encode_oracle;

use bytepair::tokenizer::{EncodeOptions, UnknownSymbol};
use bytepair::trace::{Forest, Step, TreeNode};
use bytepair::vocabulary::MARK;
use bytepair::{Allowed, Alphabet, EndOfWord, SpecialTokens, Splitter, Tokenizer, Vocabulary};
use encode_oracle::{Recipe, byte_recipes, character_recipes, edges, special, texts, tokenizer, unknowns};
use proptest::prelude::*;

fn bytes_and(more: &[(u32, &str)]) -> Vec<(u32, Vec<u8>)> {
    let bytes = (0..=255u8).map(|byte| (u32::from(byte), vec![byte]));
    bytes.chain(more.iter().map(|&(id, text)| (id, text.as_bytes().to_vec()))).collect()
}

fn with_bytes(more: &[(u32, &str)], merges: Option<Vec<(u32, u32)>>) -> Tokenizer {
    tokenizer(
        &Recipe { alphabet: Alphabet::Bytes, tokens: bytes_and(more), merges, whole_first: true },
        Splitter::whole(),
    )
}

#[test]
fn ids_inside_a_character_share_its_span() {
    let trace = with_bytes(&[], None).trace("i ⭢ j".as_bytes(), EncodeOptions::default()).unwrap();
    assert_eq!(trace.characters, [(0, 1), (1, 2), (2, 3), (2, 3), (2, 3), (3, 4), (4, 5)]);
    assert_eq!(trace.bytes, (0..7).map(|at| (at, at + 1)).collect::<Vec<_>>());
    assert_eq!(trace.partial, [false, false, true, true, true, false, false]);
}

#[test]
fn a_whole_pretoken_has_its_span() {
    let tokenizer = with_bytes(&[(256, "abc")], Some(vec![]));
    let trace = tokenizer.trace(b"abc", EncodeOptions::default()).unwrap();
    assert_eq!((trace.ids, trace.bytes, trace.characters), (vec![256], vec![(0, 3)], vec![(0, 3)]));
    // No merge makes it: it is a leaf, and nothing happens in its encoding.
    let leaf = [TreeNode { id: 256, children: None, rank: None }];
    assert_eq!(tokenizer.explain(b"abc", EncodeOptions::default()).unwrap().nodes, leaf);
    assert_eq!(tokenizer.explain_id(256).unwrap().nodes, leaf);
    assert_eq!(tokenizer.steps(b"abc", EncodeOptions::default()).unwrap(), (vec![vec![256]], vec![]));
}

#[test]
fn an_example_by_hand() {
    let tokenizer = with_bytes(&[(256, "ab"), (257, "abab")], Some(vec![(97, 98), (256, 256)]));
    let (bases, steps) = tokenizer.steps(b"ababc", EncodeOptions::default()).unwrap();
    assert_eq!(bases, [[97, 98, 97, 98, 99]]);
    let step = |at, pair, rank, id| Step { pretoken: 0, at, pair, rank, id };
    assert_eq!(steps, [step(0, (97, 98), 0, 256), step(1, (97, 98), 0, 256), step(0, (256, 256), 1, 257)]);

    let forest = tokenizer.explain_id(257).unwrap();
    let node = |id, children, rank| TreeNode { id, children, rank };
    assert_eq!(
        forest.nodes[4..],
        [node(256, Some((0, 1)), Some(0)), node(256, Some((2, 3)), Some(0)), node(257, Some((4, 5)), Some(1)),]
    );
    assert_eq!(forest.roots, [6]);
    assert!(tokenizer.explain_id(999).is_none());
}

#[test]
fn special_tokens_belong_to_no_pretoken() {
    let specials = SpecialTokens::new(vec![special("<é>", 300)]).unwrap();
    let vocabulary = Vocabulary::from_ranks(bytes_and(&[])).unwrap();
    let tokenizer = Tokenizer::new(Splitter::whole(), vocabulary, specials).unwrap();
    let options = EncodeOptions { allowed: Allowed::All, ..EncodeOptions::default() };
    let trace = tokenizer.trace("a<é>b<é>".as_bytes(), options).unwrap();
    assert_eq!(trace.ids, [97, 300, 98, 300]);
    assert_eq!(trace.bytes, [(0, 1), (1, 5), (5, 6), (6, 10)]);
    assert_eq!(trace.characters, [(0, 1), (1, 4), (4, 5), (5, 8)]);
    assert_eq!(trace.special, [false, true, false, true]);
    assert_eq!(trace.pretoken, [0, usize::MAX, 1, usize::MAX]);
    assert_eq!(trace.pretokens.iter().map(|at| (at.start, at.end)).collect::<Vec<_>>(), [(0, 1), (5, 6)]);
    assert_eq!(tokenizer.explain_id(300).unwrap().nodes, [TreeNode { id: 300, children: None, rank: None }]);
}

#[test]
fn a_mark_has_an_empty_span_at_the_end_of_its_word() {
    let end_of_word = Some(EndOfWord { mark: "</w>".to_owned(), joined: false });
    let tokens = vec![(0, vec![MARK]), (1, "é".as_bytes().to_vec()), (2, b"b".to_vec())];
    let vocabulary = Vocabulary::from_merges(Alphabet::Characters { end_of_word }, tokens, vec![], false).unwrap();
    let tokenizer = Tokenizer::new(Splitter::white_space(), vocabulary, SpecialTokens::default()).unwrap();
    let trace = tokenizer.trace("é  bb".as_bytes(), EncodeOptions::default()).unwrap();
    assert_eq!(trace.ids, [1, 0, 2, 2, 0]);
    assert_eq!(trace.bytes, [(0, 2), (2, 2), (4, 5), (5, 6), (6, 6)]);
    assert_eq!(trace.characters, [(0, 1), (1, 1), (3, 4), (4, 5), (5, 5)]);
    assert_eq!(trace.partial, [false; 5]);
}

/// The character that holds each byte.
fn character_of(text: &[u8]) -> Vec<usize> {
    let edges = edges(text);
    edges.windows(2).enumerate().flat_map(|(index, edge)| vec![index; edge[1] - edge[0]]).collect()
}

/// The content of a tree: its leaves', one after the other.
fn leaves(forest: &Forest, root: usize) -> Vec<u32> {
    match forest.nodes[root].children {
        Some((left, right)) => [leaves(forest, left), leaves(forest, right)].concat(),
        None => vec![forest.nodes[root].id],
    }
}

fn check_trace(tokenizer: &Tokenizer, text: &[u8], unknown: UnknownSymbol) -> Result<(), TestCaseError> {
    let options = EncodeOptions { allowed: Allowed::All, unknown, ..EncodeOptions::default() };
    let mut ids = Vec::new();
    if let Err(error) = tokenizer.encode(text, options, &mut ids) {
        prop_assert_eq!(tokenizer.trace(text, options).unwrap_err(), error.clone());
        prop_assert_eq!(tokenizer.explain(text, options).unwrap_err(), error.clone());
        prop_assert_eq!(tokenizer.steps(text, options).unwrap_err(), error);
        return Ok(());
    }
    let trace = tokenizer.trace(text, options).unwrap();
    prop_assert_eq!(&trace.ids, &ids);
    let characters = character_of(text);
    let edges = edges(text);
    let mut before = 0;
    for (index, &(start, end)) in trace.bytes.iter().enumerate() {
        prop_assert!(before <= start && start <= end && end <= text.len());
        before = end;
        let first = characters.get(start).copied().unwrap_or(edges.len() - 1);
        let last = if start == end { first } else { characters[end - 1] + 1 };
        prop_assert_eq!(trace.characters[index], (first, last));
        prop_assert_eq!(trace.partial[index], !edges.contains(&start) || !edges.contains(&end));
        let pretoken = trace.pretokens.get(trace.pretoken[index]);
        prop_assert_eq!(pretoken.is_none(), trace.special[index]);
        prop_assert!(pretoken.is_none_or(|at| at.start <= start && end <= at.end));
        // With nothing left out or replaced, a token's bytes are its content (without the mark).
        if unknown == UnknownSymbol::Raise && !trace.special[index] {
            let content = tokenizer.vocabulary().content(ids[index]).unwrap();
            prop_assert_eq!(content.strip_suffix(&[MARK]).unwrap_or(content), &text[start..end]);
        }
    }

    let forest = tokenizer.explain(text, options).unwrap();
    prop_assert_eq!(forest.roots.iter().map(|&root| forest.nodes[root].id).collect::<Vec<_>>(), ids.clone());
    for (index, node) in forest.nodes.iter().enumerate() {
        prop_assert_eq!(node.children.is_some(), node.rank.is_some());
        if let Some((left, right)) = node.children {
            prop_assert!(left < index && right < index);
            let pair = (forest.nodes[left].id, forest.nodes[right].id);
            prop_assert_eq!(tokenizer.vocabulary().merge(pair.0, pair.1), Some((node.rank.unwrap(), node.id)));
        }
    }

    let (bases, steps) = tokenizer.steps(text, options).unwrap();
    prop_assert_eq!(bases.len(), trace.pretokens.len());
    let mut done = bases.clone();
    for step in &steps {
        let symbols = &mut done[step.pretoken];
        prop_assert_eq!((symbols[step.at], symbols[step.at + 1]), step.pair);
        let rank = |pair: &[u32]| tokenizer.vocabulary().merge(pair[0], pair[1]).map(|(rank, _)| rank);
        let lowest = symbols.windows(2).enumerate().filter_map(|(at, pair)| Some((rank(pair)?, at))).min();
        if unknown == UnknownSymbol::Raise {
            prop_assert_eq!(lowest, Some((step.rank, step.at)));
        }
        symbols[step.at] = step.id;
        symbols.remove(step.at + 1);
    }
    let encoded = ids.iter().zip(&trace.special).filter(|(_, special)| !**special).map(|(&id, _)| id);
    prop_assert_eq!(done.concat(), encoded.collect::<Vec<_>>());
    let from_trees = forest.roots.iter().zip(&trace.special).filter(|(_, special)| !**special);
    let from_trees: Vec<u32> = from_trees.flat_map(|(&root, _)| leaves(&forest, root)).collect();
    prop_assert_eq!(from_trees, bases.concat());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn bytes_by_the_definition(recipe in byte_recipes(), text in texts(), unknown in unknowns()) {
        let specials = SpecialTokens::new(vec![special("b a", 5_000), special("x", 5_001)]).unwrap();
        let splitter = Splitter::new(r"a+|\s+(?!\S)|\s+|[^\sa]+").unwrap();
        check_trace(&Tokenizer::new(splitter, recipe.build(), specials).unwrap(), &text, unknown)?;
    }

    #[test]
    fn one_stream_by_the_definition(recipe in byte_recipes(), text in texts(), unknown in unknowns()) {
        check_trace(&tokenizer(&recipe, Splitter::whole()), &text, unknown)?;
    }

    #[test]
    fn characters_by_the_definition(recipe in character_recipes(), text in texts(), unknown in unknowns()) {
        check_trace(&tokenizer(&recipe, Splitter::white_space()), &text, unknown)?;
    }

    #[test]
    fn the_tree_of_a_token_is_its_own(recipe in prop_oneof![byte_recipes(), character_recipes()]) {
        let tokenizer = tokenizer(&recipe, Splitter::whole());
        for (id, content) in &recipe.tokens {
            let forest = tokenizer.explain_id(*id).unwrap();
            let [root] = forest.roots[..] else { return Err(TestCaseError::fail("one root")) };
            prop_assert_eq!(forest.nodes[root].id, *id);
            let ids = leaves(&forest, root);
            let joined: Vec<u8> = ids.iter().flat_map(|&id| tokenizer.vocabulary().content(id).unwrap().to_vec()).collect();
            prop_assert_eq!(&joined, content);
        }
    }
}

#[test]
fn a_long_pretoken_is_traced_without_recursion() {
    let tokenizer = with_bytes(&[(256, "aa"), (257, "aaaa")], None);
    let text = b"a".repeat(300_000);
    assert_eq!(tokenizer.trace(&text, EncodeOptions::default()).unwrap().ids, vec![257; 75_000]);
    assert_eq!(tokenizer.explain(&text, EncodeOptions::default()).unwrap().roots.len(), 75_000);
    assert_eq!(tokenizer.steps(&text, EncodeOptions::default()).unwrap().1.len(), 225_000);
}
