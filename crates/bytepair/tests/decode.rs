//! Decoding, and text that arrives in pieces.
#![allow(clippy::unwrap_used)]

mod encode_oracle;

use std::sync::LazyLock;

use bytepair::decode::{Decoding, Texts, Utf8Stream};
use bytepair::tokenizer::{DecodeOptions, EncodeOptions, UnknownId};
use bytepair::vocabulary::MARK;
use bytepair::{Allowed, Alphabet, EndOfWord, Error, SpecialToken, SpecialTokens, Splitter, Tokenizer, Vocabulary};
use encode_oracle::{byte_recipes, texts, tokenizer};
use proptest::prelude::*;

fn decode(tokenizer: &Tokenizer, ids: &[u32], options: DecodeOptions) -> Result<String, Error> {
    let mut out = b">".to_vec();
    let done = tokenizer.decode(ids, options, &mut out);
    assert!(done.is_ok() || out == b">", "an error leaves the bytes as they were");
    done.map(|()| String::from_utf8_lossy(&out[1..]).into_owned())
}

/// All bytes and `hello`, ` world`, with a hole at 300 and two special tokens after it.
fn hello() -> Tokenizer {
    let mut tokens: Vec<_> = (0..=255u8).map(|byte| (u32::from(byte), vec![byte])).collect();
    tokens.extend([(256, b"hello".to_vec()), (257, b" world".to_vec()), (400, b"<|both|>".to_vec())]);
    let special = |content: &str, id, special| SpecialToken {
        content: content.to_owned(),
        id,
        special,
        ..SpecialToken::default()
    };
    let specials = [special("<|end|>", 301, true), special("<word>", 302, false), special("<|both|>", 400, true)];
    Tokenizer::new(
        Splitter::whole(),
        Vocabulary::from_ranks(tokens).unwrap(),
        SpecialTokens::new(specials.to_vec()).unwrap(),
    )
    .unwrap()
}

#[test]
fn an_id_that_no_token_has() {
    let options = |unknown| DecodeOptions { unknown, skip_special: false };
    let ids = [256, 300, 257];
    let error = decode(&hello(), &ids, options(UnknownId::Raise)).unwrap_err();
    assert_eq!(error, Error::UnknownId { id: 300, at: 1 });
    assert!(error.to_string().contains("300"));
    assert_eq!(decode(&hello(), &ids, options(UnknownId::Skip)).unwrap(), "hello world");
    assert_eq!(decode(&hello(), &ids, options(UnknownId::Replace)).unwrap(), "hello\u{FFFD} world");
    for id in [u32::MAX, u32::MAX - 1, 401] {
        assert_eq!(decode(&hello(), &[id], options(UnknownId::Raise)), Err(Error::UnknownId { id, at: 0 }));
    }
}

#[test]
fn special_tokens_can_be_left_out_but_added_words_cannot() {
    let options = |skip_special| DecodeOptions { skip_special, ..DecodeOptions::default() };
    let ids = [256, 301, 257, 302, 400];
    assert_eq!(decode(&hello(), &ids, options(true)).unwrap(), "hello world<word>");
    assert_eq!(decode(&hello(), &ids, options(false)).unwrap(), "hello<|end|> world<word><|both|>");
}

#[test]
fn sizes_count_tokens_in_both_parts_once() {
    assert_eq!((hello().n_vocab(), hello().len()), (401, 256 + 2 + 1 + 2));
}

#[test]
fn marks_become_spaces_and_the_last_is_dropped() {
    let mark = EndOfWord { mark: "</w>".to_owned(), joined: false };
    let tokens = vec![(0, vec![MARK]), (1, b"low".to_vec()), (2, b"est\xFF".to_vec()), (3, b"a\xFFb".to_vec())];
    let alphabet = Alphabet::Characters { end_of_word: Some(mark) };
    let vocabulary = Vocabulary::from_merges(alphabet, tokens, vec![], false).unwrap();
    let specials = SpecialTokens::new(vec![encode_oracle::special("</w>", 9)]).unwrap();
    let tokenizer = Tokenizer::new(Splitter::white_space(), vocabulary, specials).unwrap();
    let text = |ids: &[u32]| decode(&tokenizer, ids, DecodeOptions::default()).unwrap();
    assert_eq!(text(&[1, 2, 1, 0]), "lowest low");
    assert_eq!(text(&[1, 0, 1]), "low low");
    assert_eq!(text(&[1, 0, 0]), "low ");
    assert_eq!(text(&[0]), "");
    assert_eq!(text(&[3]), "a b");
    assert_eq!(text(&[1, 0, 9]), "low </w>");
    let skip = DecodeOptions { skip_special: true, ..DecodeOptions::default() };
    assert_eq!(decode(&tokenizer, &[1, 0, 9], skip).unwrap(), "low");
}

/// What decoding is by its description: one id after the other, the last mark dropped.
fn decode_plainly(tokenizer: &Tokenizer, ids: &[u32], options: DecodeOptions) -> Result<Vec<u8>, Error> {
    let characters = *tokenizer.vocabulary().alphabet() != Alphabet::Bytes;
    let (mut out, mut marked) = (Vec::new(), false);
    for (at, &id) in ids.iter().enumerate() {
        let special = tokenizer.specials().tokens().iter().find(|token| token.id == id);
        let (text, mark) = match (special, tokenizer.vocabulary().content(id), options.unknown) {
            (Some(token), ..) if token.special && options.skip_special => continue,
            (Some(token), ..) => (token.content.as_bytes(), false),
            (None, Some(content), _) if characters => match content.strip_suffix(&[MARK]) {
                Some(before) => (before, true),
                None => (content, false),
            },
            (None, Some(content), _) => (content, false),
            (None, None, UnknownId::Skip) => continue,
            (None, None, UnknownId::Replace) => ("\u{FFFD}".as_bytes(), false),
            (None, None, UnknownId::Raise) => return Err(Error::UnknownId { id, at }),
        };
        out.extend(marked.then_some(b' '));
        out.extend_from_slice(text);
        marked = mark;
    }
    Ok(out)
}

/// A tokenizer whose tokens have lengths around those of a slot and whose ids have holes and outliers; with characters,
/// some tokens end with a mark. Special tokens: a control token, a word, and one of each that is a token as well.
fn tokenizers() -> impl Strategy<Value = Tokenizer> {
    let length = prop_oneof![1usize..8, 13usize..19, 30usize..34, 60usize..70];
    let token = (length, 0u8..4, 0u8..8);
    (any::<bool>(), proptest::collection::btree_map(0u32..60, token, 1..40)).prop_map(|(characters, drawn)| {
        let mut tokens = Vec::new();
        for (&id, &(length, marked, far)) in &drawn {
            // Two letters tell the ids apart.
            let mut content = vec![b'a' + u8::try_from(id / 26).unwrap(), b'a' + u8::try_from(id % 26).unwrap()];
            content.extend(std::iter::repeat_n(b'x', length));
            if characters && marked == 0 {
                content.push(MARK);
            }
            tokens.push((if far == 0 { 2_000_000_000 + id } else { id }, content));
        }
        let special = |content: &str, id, special| SpecialToken {
            content: content.to_owned(),
            id,
            special,
            ..SpecialToken::default()
        };
        let mut specials = vec![
            special("<|end|>", 61, true),
            special("<a word of more than 15 bytes>", 62, false),
            special("<|far and long: 24 bytes|>", 3_000_000_000, true),
        ];
        tokens.extend([(63, b"<|control and token|>".to_vec()), (64, b"<both>".to_vec())]);
        specials.extend([special("<|control and token|>", 63, true), special("<both>", 64, false)]);
        let end_of_word = Some(EndOfWord { mark: "</w>".to_owned(), joined: true });
        let alphabet = if characters { Alphabet::Characters { end_of_word } } else { Alphabet::Bytes };
        let splitter = if characters { Splitter::white_space() } else { Splitter::whole() };
        let vocabulary = Vocabulary::from_merges(alphabet, tokens, vec![], false).unwrap();
        Tokenizer::new(splitter, vocabulary, SpecialTokens::new(specials).unwrap()).unwrap()
    })
}

/// Ids near those of [`tokenizers`], in runs, so that steps and slots are passed.
fn some_ids() -> impl Strategy<Value = Vec<u32>> {
    let id =
        prop_oneof![20 => 0u32..66, 1 => 2_000_000_000u32..2_000_000_060, 1 => Just(3_000_000_000), 1 => any::<u32>()];
    let run = (proptest::collection::vec(id, 0..6), prop_oneof![9 => 1usize..4, 1 => 50usize..300]);
    proptest::collection::vec(run.prop_map(|(ids, times)| ids.repeat(times)), 0..6).prop_map(|runs| runs.concat())
}

fn all_options() -> impl Strategy<Value = DecodeOptions> {
    let unknown =
        proptest::sample::select(vec![UnknownId::Raise, UnknownId::Skip, UnknownId::Skip, UnknownId::Replace]);
    (unknown, any::<bool>()).prop_map(|(unknown, skip_special)| DecodeOptions { unknown, skip_special })
}

/// The texts that come out after each byte, and at the end.
fn deltas(bytes: &[u8]) -> (Vec<String>, String) {
    let mut stream = Utf8Stream::default();
    let deltas = bytes.iter().map(|&byte| stream.feed(&[byte]).into_owned()).collect();
    (deltas, stream.flush())
}

#[test]
fn the_stream_cases() {
    let case = |bytes: &[u8], texts: &[&str], end: &str| {
        let texts = texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        assert_eq!(deltas(bytes), (texts, end.to_owned()), "{bytes:?}");
    };
    case(&[196, 143], &["", "ď"], "");
    case(&[226, 130, 32, 120], &["", "", "\u{FFFD} ", "x"], "");
    case(&[255, 254, 32, 97, 98, 99], &["\u{FFFD}", "\u{FFFD}", " ", "a", "b", "c"], "");
    case(&[240, 159, 140], &["", "", ""], "\u{FFFD}");
    // A surrogate and an overlong form can be told from their second byte.
    case(&[0xED, 0xA0, 0x80], &["", "\u{FFFD}\u{FFFD}", "\u{FFFD}"], "");
    case(&[0xE0, 0x80, 0], &["", "\u{FFFD}\u{FFFD}", "\0"], "");
    case(&[0xC3, 0xC3, 0xA9], &["", "\u{FFFD}", "é"], "");
}

#[test]
fn tokens_that_end_inside_a_character() {
    let mut stream = Utf8Stream::default();
    let tokens: [&[u8]; 6] = ["Пр".as_bytes(), "ив".as_bytes(), b" \xF0\x9F", b"\x8C", b"\xB6", "\u{FE0F}".as_bytes()];
    assert_eq!(tokens.map(|token| stream.feed(token)), ["Пр", "ив", " ", "", "🌶", "\u{FE0F}"]);
    assert_eq!(stream.flush(), "");
}

static WORDS: LazyLock<Splitter> = LazyLock::new(|| Splitter::new(r"\s+(?!\S)|\s+|[a-z]+|[^\sa-z]+").unwrap());

/// Bytes that are often near UTF-8.
fn near_text() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        any::<char>().prop_map(|c| c.to_string().into_bytes()),
        any::<char>().prop_map(|c| c.to_string().into_bytes()[..1].to_vec()),
        proptest::sample::select(vec![0x80u8, 0xA0, 0xC0, 0xED, 0xE2, 0xF0, 0xF4, 0xFF]).prop_map(|byte| vec![byte]),
        any::<u8>().prop_map(|byte| vec![byte]),
    ];
    proptest::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn pieces_give_what_the_whole_gives(bytes in near_text(), cuts in proptest::collection::vec(1usize..6, 1..40)) {
        let mut stream = Utf8Stream::default();
        let (mut text, mut rest) = (String::new(), bytes.as_slice());
        for cut in cuts {
            let (piece, after) = rest.split_at(cut.min(rest.len()));
            text += &stream.feed(piece);
            prop_assert!(String::from_utf8_lossy(&bytes).starts_with(&text));
            rest = after;
        }
        text += &stream.feed(rest);
        text += &stream.flush();
        prop_assert_eq!(text.as_str(), &*String::from_utf8_lossy(&bytes));
        prop_assert_eq!(stream.flush(), "");
    }

    #[test]
    fn slots_give_what_the_description_says(tokenizer in tokenizers(), ids in some_ids(), options in all_options()) {
        let mut out = b">".to_vec();
        let done = tokenizer.decode(&ids, options, &mut out);
        let expected = decode_plainly(&tokenizer, &ids, options);
        prop_assert_eq!(done.map(|()| out[1..].to_vec()), expected);
        // Every id by itself as well.
        for &id in &ids[..ids.len().min(20)] {
            let mut out = Vec::new();
            let done = tokenizer.decode(&[id], options, &mut out);
            prop_assert_eq!(done.map(|()| out), decode_plainly(&tokenizer, &[id], options));
        }
    }

    #[test]
    fn ids_in_pieces_give_what_they_give_at_once(
        tokenizer in tokenizers(),
        ids in some_ids(),
        options in all_options(),
        cuts in proptest::collection::vec(0usize..9, 0..30),
    ) {
        let (mut decoding, mut out, mut kept, mut rest) = (Decoding::new(options), Vec::new(), Vec::new(), ids.as_slice());
        for cut in cuts.into_iter().chain([usize::MAX]) {
            let (piece, after) = rest.split_at(cut.min(rest.len()));
            let before = out.clone();
            match decoding.feed(&tokenizer, piece, &mut out) {
                Ok(()) => kept.extend_from_slice(piece),
                // Nothing of it is kept, and the stream goes on.
                Err(error) => {
                    prop_assert_eq!(Err(error), decode_plainly(&tokenizer, piece, options));
                    prop_assert_eq!(&out, &before);
                }
            }
            prop_assert_eq!(Ok(out.clone()), decode_plainly(&tokenizer, &kept, options));
            rest = after;
        }
    }

    #[test]
    fn a_batch_gives_what_its_lists_give(
        tokenizer in tokenizers(),
        lists in proptest::collection::vec(some_ids(), 0..6),
        options in all_options(),
        threads in 1usize..4,
        times in prop_oneof![9 => Just(1usize), 1 => Just(300)],
    ) {
        // Repeated, they are enough for several threads.
        let lists: Vec<Vec<u32>> = lists.iter().map(|ids| ids.repeat(times)).collect();
        let slices: Vec<&[u32]> = lists.iter().map(Vec::as_slice).collect();
        let each = lists.iter().enumerate().map(|(at, ids)| decode_plainly(&tokenizer, ids, options).map_err(|e| (at, e)));
        let expected: Result<Vec<_>, _> = each.collect();
        let parts = tokenizer.decode_batch(&slices, options, threads);
        let texts = parts.map(|parts| parts.iter().flat_map(Texts::iter).map(<[u8]>::to_vec).collect::<Vec<_>>());
        prop_assert_eq!(texts, expected);
    }

    #[test]
    fn bytes_round_trip(recipe in byte_recipes(), bytes in near_text(), text in texts()) {
        let mut recipe = recipe;
        for byte in 0..=255u8 {
            if !recipe.ids().contains_key(&vec![byte]) {
                recipe.tokens.push((2_000 + u32::from(byte), vec![byte]));
            }
        }
        let tokenizer = tokenizer(&recipe, WORDS.clone());
        for text in [bytes, text] {
            let mut ids = Vec::new();
            let options = EncodeOptions { allowed: Allowed::All, ..EncodeOptions::default() };
            tokenizer.encode(&text, options, &mut ids).unwrap();
            let mut back = Vec::new();
            tokenizer.decode(&ids, DecodeOptions::default(), &mut back).unwrap();
            prop_assert_eq!(back, text);
        }
    }
}
