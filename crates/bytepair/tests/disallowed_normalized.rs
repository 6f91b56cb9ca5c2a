//! Disallowed special tokens where texts are normalised: what would be found if it were allowed is refused.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;

use bytepair::encode::{Counter, Stream};
use bytepair::normalize::{Form, Normalizer, Old, Scheme, Step};
use bytepair::tokenizer::EncodeOptions;
use bytepair::{Allowed, Error, SpecialToken, SpecialTokens, Splitter, Tokenizer, Vocabulary};
use proptest::prelude::*;

fn tokenizer(specials: Vec<SpecialToken>, before: Vec<Step>, after: Vec<Step>, plain: bool) -> Tokenizer {
    let bytes = Vocabulary::from_ranks((0..=255u8).map(|byte| (u32::from(byte), vec![byte])).collect()).unwrap();
    let plainly = Tokenizer::new(Splitter::whole(), bytes, SpecialTokens::new(specials).unwrap()).unwrap();
    plainly.with_normalizer(Normalizer { before, after, plain }).unwrap()
}

fn special(content: &str, id: u32, normalized: bool) -> SpecialToken {
    SpecialToken { content: content.to_owned(), id, special: true, normalized, ..SpecialToken::default() }
}

fn refused(tokenizer: &Tokenizer, text: &str) -> Option<(String, usize)> {
    let options = EncodeOptions { disallowed: Allowed::All, ..EncodeOptions::default() };
    let (mut ids, done) = (vec![7], tokenizer.count(text.as_bytes(), options));
    let encoded = tokenizer.encode(text.as_bytes(), options, &mut ids);
    assert_eq!(encoded.as_ref().err(), done.as_ref().err());
    match encoded {
        Err(Error::DisallowedSpecial { token, at }) => {
            assert_eq!(ids, [7]);
            Some((token, at))
        }
        done => {
            done.unwrap();
            None
        }
    }
}

#[test]
fn what_normalising_makes_a_token_is_refused_where_it_came_from() {
    let found = |token: &str, at| Some((token.to_owned(), at));
    let lower =
        tokenizer(vec![special("<X>", 300, true), special("<B>", 301, false)], vec![Step::Lowercase], vec![], false);
    assert_eq!(refused(&lower, "ab <X>"), found("<X>", 3), "as it is written");
    assert_eq!(refused(&lower, "É <x>"), found("<X>", 3), "as it becomes, though it is not written so");
    assert_eq!(refused(&lower, "<b>"), None, "found before normalising, so only as it is written");
    assert_eq!(refused(&lower, "<x><B>"), found("<B>", 3), "what is written comes first");

    let space =
        vec![Step::Prepend("_".to_owned(), Scheme::All), Step::Replace(Old::Text(" ".to_owned()), "_".to_owned())];
    let marked = tokenizer(vec![special("<x>", 300, true)], space.clone(), vec![], false);
    assert_eq!(refused(&marked, "<x>"), found("<x>", 0));
    assert_eq!(refused(&marked, "a <x>"), found("<x>", 2));
    assert_eq!(refused(&marked, "a<x>"), found("<x>", 1), "it is written, though no option would find it");
    let plain = tokenizer(vec![special("_x", 300, true)], space, vec![], true);
    assert_eq!(refused(&plain, "a x"), found("_x", 1));

    let gone = tokenizer(
        vec![special("<x>", 300, true)],
        vec![Step::Replace(Old::Text("-".to_owned()), String::new())],
        vec![],
        false,
    );
    assert_eq!(refused(&gone, "a<-x>"), found("<x>", 1));
    let options = EncodeOptions { disallowed: Allowed::All, allowed: Allowed::All, ..EncodeOptions::default() };
    assert_eq!(gone.count(b"a<-x>", options), Ok(2));
}

/// Of a text that comes in parts the end decides what the rest becomes.
#[test]
fn a_text_in_parts_is_refused_when_it_is_whole() {
    let tokenizer = tokenizer(vec![special("e", 300, true)], vec![Step::Form(Form::Nfc)], vec![], false);
    let options = EncodeOptions { disallowed: Allowed::All, ..EncodeOptions::default() };
    let fed = Stream::default().feed(&tokenizer, &b"-e".repeat(5000), options, 1, &mut Vec::new());
    assert!(fed.is_err(), "what is written stays written");
    // Made of two parts, and of neither.
    let tokenizer = self::tokenizer(vec![special("é", 300, true)], vec![Step::Form(Form::Nfc)], vec![], false);
    let (mut stream, mut counter) = (Stream::default(), Counter::default());
    for part in ["-".repeat(5000), "e".to_owned(), "\u{301}".to_owned()] {
        assert_eq!(stream.feed(&tokenizer, part.as_bytes(), options, 1, &mut Vec::new()), Ok(()));
        counter.append(&tokenizer, part.as_bytes(), options).unwrap();
    }
    let error = Error::DisallowedSpecial { token: "é".to_owned(), at: 5000 };
    assert_eq!(stream.finish(&tokenizer, options, &mut Vec::new()), Err(error.clone()));
    assert_eq!(counter.count(&tokenizer, options), Err(error));
}

fn step() -> impl Strategy<Value = Step> {
    let replace = |old: &str, new: &str| Step::Replace(Old::Text(old.to_owned()), new.to_owned());
    prop_oneof![
        Just(Step::Lowercase),
        Just(Step::Form(Form::Nfc)),
        Just(Step::Form(Form::Nfkd)),
        Just(Step::Strip(true, true)),
        Just(Step::StripAccents),
        Just(replace(" ", "_")),
        Just(replace("-", "")),
        Just(replace("b", "ab")),
        Just(Step::Replace(Old::Pattern(Splitter::new("a+").unwrap()), "a".to_owned())),
        Just(Step::Prepend("_".to_owned(), Scheme::All)),
        Just(Step::Prepend("a".to_owned(), Scheme::Always)),
    ]
}

fn specials() -> impl Strategy<Value = Vec<SpecialToken>> {
    let text = proptest::string::string_regex("[aAb_]{1,3}|<[aA]>|_<b>|é|e\u{301}|a b").unwrap();
    let flags = proptest::collection::vec(any::<[bool; 4]>(), 6);
    (proptest::collection::hash_set(text, 1..6), flags).prop_map(|(texts, flags)| {
        let made = |((content, id), [normalized, lstrip, rstrip, single_word]): ((String, u32), [bool; 4])| {
            SpecialToken { content, id, special: true, normalized, lstrip, rstrip, single_word }
        };
        texts.into_iter().zip(5_000..).zip(flags).map(made).collect()
    })
}

fn text() -> impl Strategy<Value = String> {
    proptest::string::string_regex("([aAb_ -]|<[aA]>|<b>|é|e\u{301}|É|\n){0,16}").unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn what_is_not_refused_means_the_same_when_it_is_allowed(
        specials in specials(),
        before in proptest::collection::vec(step(), 0..4),
        after in proptest::collection::vec(step(), 0..2),
        plain in any::<bool>(),
        text in text(),
        choice in any::<[u8; 2]>(),
        size in 1usize..6,
    ) {
        let chosen = |mask: u8| -> HashSet<u32> { (0..8).filter(|bit| mask >> bit & 1 == 1).map(|bit| 5_000 + bit).collect() };
        let (allowed, disallowed) = (chosen(choice[0]), chosen(choice[1]));
        let both: HashSet<u32> = allowed.union(&disallowed).copied().collect();
        let tokenizer = tokenizer(specials.clone(), before, after, plain);
        let ids = |options| {
            let mut ids = Vec::new();
            tokenizer.encode(text.as_bytes(), options, &mut ids).map(|()| ids)
        };
        let options = EncodeOptions {
            allowed: Allowed::Only(&allowed), disallowed: Allowed::Only(&disallowed), ..EncodeOptions::default()
        };
        let found = ids(options);
        match &found {
            Err(Error::DisallowedSpecial { token, at }) => {
                let token = specials.iter().find(|one| one.content == *token).unwrap();
                prop_assert!(disallowed.contains(&token.id) && !allowed.contains(&token.id));
                prop_assert!(*at <= text.len());
                prop_assert!(token.normalized || text[*at..].starts_with(&token.content));
            }
            found => {
                let allowed = EncodeOptions { allowed: Allowed::Only(&both), ..EncodeOptions::default() };
                prop_assert_eq!(found, &ids(allowed));
                for token in specials.iter().filter(|one| disallowed.contains(&one.id) && !allowed_has(options, one.id)) {
                    prop_assert!(!text.contains(&token.content), "{:?}", token);
                }
            }
        }
        let (mut stream, mut streamed) = (Stream::default(), Vec::new());
        let fed = text.as_bytes().chunks(size).try_for_each(|part| stream.feed(&tokenizer, part, options, 1, &mut streamed));
        let done = fed.and_then(|()| stream.finish(&tokenizer, options, &mut streamed));
        prop_assert_eq!(done.map(|()| streamed), found);
    }
}

fn allowed_has(options: EncodeOptions<'_>, id: u32) -> bool {
    options.allowed.contains(id)
}
