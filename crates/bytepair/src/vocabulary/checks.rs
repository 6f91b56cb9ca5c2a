//! What is refused of a vocabulary, in words.

use super::contents::{Contents, Fault, NONE};
use super::{Alphabet, MARK, Tokens};
use crate::encode::piece::LONGEST;
use crate::error::{Error, Report, Result};

/// The content of one side of a merge.
pub(super) fn part(contents: &Contents, rank: u32, left: u32, right: u32, id: u32) -> Result<&[u8]> {
    let name = |id| contents.get(id).map_or_else(|| format!("id {id}"), |content| format!("`{}`", show(content)));
    contents.get(id).ok_or_else(|| {
        Error::Vocabulary(Report::new(
            format!("merges[{rank}] joins {} and {}, and no token has id {id}", name(left), name(right)),
            format!("add a token with id {id}, or leave the merge out"),
        ))
    })
}

pub(super) fn no_token(rank: u32, left: &[u8], right: &[u8], half: &[u8]) -> Error {
    Error::Vocabulary(Report::new(
        format!("merges[{rank}] joins `{}` and `{}`, and `{}` is no token", show(left), show(right), show(half)),
        "add the token, or leave the merge out",
    ))
}

pub(super) fn not_a_token(rank: u32, left: &[u8], right: &[u8], joined: &[u8]) -> Error {
    Error::Vocabulary(Report::new(
        format!(
            "merges[{rank}] makes `{}`, which is not in the vocabulary (it joins `{}` and `{}`)",
            show(joined),
            show(left),
            show(right)
        ),
        "add the token that the merge makes, or leave the merge out",
    ))
}

pub(super) fn stands_twice(first: u32, rank: u32, left: &[u8], right: &[u8]) -> Error {
    Error::Vocabulary(Report::new(
        format!("merges[{rank}] joins `{}` and `{}`, and so does merges[{first}]", show(left), show(right)),
        "leave the later of the two out: it can never be reached",
    ))
}

/// In characters mode a content is text, with marks only if there is a mark; or text, or a mark and a byte.
pub(super) fn check_characters(alphabet: &Alphabet, tokens: &Tokens) -> Result<()> {
    let end_of_word = match alphabet {
        Alphabet::Bytes | Alphabet::MarkedBytes { .. } => return Ok(()),
        Alphabet::Characters { end_of_word } => end_of_word,
        Alphabet::Unicode { .. } => return check_unicode(tokens),
    };
    for (id, content) in tokens.iter() {
        if end_of_word.is_none() && content.contains(&MARK) {
            return Err(Error::Vocabulary(Report::new(
                format!("the token with id {id}, `{}`, holds an end-of-word mark, and there is none", show(content)),
                "name the mark (`end_of_word`), or leave the token out",
            )));
        }
        if content.split(|&byte| byte == MARK).any(|text| std::str::from_utf8(text).is_err()) {
            return Err(Error::Vocabulary(Report::new(
                format!("the token with id {id}, `{}`, is not made of characters", show(content)),
                "use the alphabet of bytes for tokens that are not valid UTF-8",
            )));
        }
    }
    Ok(())
}

/// A content is text, or a mark and the byte that it means.
fn check_unicode(tokens: &Tokens) -> Result<()> {
    let is_wrong = |content: &[u8]| !matches!(content, &[MARK, _]) && std::str::from_utf8(content).is_err();
    match tokens.iter().find(|(_, content)| is_wrong(content)) {
        None => Ok(()),
        Some((id, content)) => Err(Error::Vocabulary(Report::new(
            format!("the token with id {id}, `{}`, is not made of characters", show(content)),
            "a content is UTF-8, or the byte FF and the byte that the token means",
        ))),
    }
}

pub(super) fn refuse(fault: &Fault) -> Error {
    Error::Vocabulary(match *fault {
        Fault::Id(id) => Report::new(format!("two tokens have id {id}"), "give every token an id of its own"),
        Fault::Empty(id) => Report::new(format!("the token with id {id} is empty"), "leave it out"),
        Fault::Long(id) => Report::new(
            format!("the token with id {id} has more than {LONGEST} bytes"),
            "leave it out: no pretoken is that long",
        ),
        Fault::Large(id) => Report::new(format!("{id} is too large for an id"), format!("use ids below {NONE}")),
    })
}

/// A content for messages: as text where it is text, other bytes as `\xNN`, the mark among them.
pub(crate) fn show(content: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut shown = String::new();
    for chunk in content.utf8_chunks() {
        shown.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown
}
