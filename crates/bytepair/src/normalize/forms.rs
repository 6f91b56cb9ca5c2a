//! Unicode's normalisation forms, with a record of what came from where.
//!
//! Idea: a text is cut before each character that begins a stretch of its own in the form: its decomposition begins with a
//! character that neither moves nor joins what stands before it. A stretch that has the form already is copied, and any
//! other is put in place of what it was.
//!
//! Invariant: the form of a text is the forms of its stretches, one after the other.
//!
//! Cost: linear; runs of ASCII are copied.

use unicode_normalization::char::{canonical_combining_class, decompose_canonical, decompose_compatible};
use unicode_normalization::{
    IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfd_quick, is_nfkc_quick, is_nfkd_quick,
};

use super::edits::Making;
use crate::error::Result;

/// A normalisation form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// Canonical composition.
    Nfc,
    /// Canonical decomposition.
    Nfd,
    /// Compatibility composition.
    Nfkc,
    /// Compatibility decomposition.
    Nfkd,
}

impl Form {
    /// Whether a text has the form already, as far as can be said without making it.
    pub(super) fn has(self, text: &str) -> bool {
        let quick = match self {
            Self::Nfc => is_nfc_quick(text.chars()),
            Self::Nfd => is_nfd_quick(text.chars()),
            Self::Nfkc => is_nfkc_quick(text.chars()),
            Self::Nfkd => is_nfkd_quick(text.chars()),
        };
        quick == IsNormalized::Yes
    }

    fn of(self, text: &str) -> String {
        match self {
            Self::Nfc => text.nfc().collect(),
            Self::Nfd => text.nfd().collect(),
            Self::Nfkc => text.nfkc().collect(),
            Self::Nfkd => text.nfkd().collect(),
        }
    }

    /// Whether a stretch of its own begins with this character.
    fn begins(self, character: char) -> bool {
        if character.is_ascii() {
            return true;
        }
        let mut first = None;
        let mut take = |part| {
            first.get_or_insert(part);
        };
        match self {
            Self::Nfc | Self::Nfd => decompose_canonical(character, &mut take),
            Self::Nfkc | Self::Nfkd => decompose_compatible(character, &mut take),
        }
        let first = first.unwrap_or(character);
        canonical_combining_class(first) == 0
            && match self {
                Self::Nfd | Self::Nfkd => true,
                Self::Nfc | Self::Nfkc => is_nfc_quick(std::iter::once(first)) == IsNormalized::Yes,
            }
    }

    /// Makes the form of the next text.
    pub(super) fn make(self, text: &str, making: &mut Making<'_, '_>) -> Result<()> {
        let mut start = 0;
        while start < text.len() {
            making.reach(0)?;
            let rest = &text[start..];
            // Of a run of ASCII, all but the last character stand alone.
            let ascii = rest.bytes().take_while(u8::is_ascii).count();
            if ascii > 1 {
                making.keep(&rest.as_bytes()[..ascii - 1]);
                start += ascii - 1;
                continue;
            }
            let mut ends = rest.char_indices().skip(1).filter(|&(_, character)| self.begins(character));
            let stretch = &rest[..ends.next().map_or(rest.len(), |(at, _)| at)];
            if self.has(stretch) {
                making.keep(stretch.as_bytes());
            } else {
                replace(stretch, &self.of(stretch), making);
            }
            start += stretch.len();
        }
        Ok(())
    }
}

/// Puts a text in place of another, but for the characters with which both begin, and end.
fn replace(old: &str, new: &str, making: &mut Making<'_, '_>) {
    let same = |(one, two): &(char, char)| one == two;
    let before: usize = old.chars().zip(new.chars()).take_while(same).map(|(one, _)| one.len_utf8()).sum();
    let (begin, old, new) = (&old[..before], &old[before..], &new[before..]);
    let behind = old.chars().rev().zip(new.chars().rev()).take_while(same);
    let behind: usize = behind.map(|(one, _)| one.len_utf8()).sum();
    let (old, end) = old.split_at(old.len() - behind);
    making.keep(begin.as_bytes());
    if old.len() + new.len() > behind {
        making.put(&new.as_bytes()[..new.len() - behind], old.len());
    }
    making.keep(end.as_bytes());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Form;
    use crate::cancel::Cancel;
    use crate::normalize::edits::{Edits, Making};

    fn made(form: Form, text: &str) -> String {
        let mut edits = Edits::default();
        let mut making = Making::new(text.len(), Some(&mut edits), Cancel::default());
        assert_eq!(form.make(text, &mut making), Ok(()));
        String::from_utf8(making.finish()).unwrap_or_default()
    }

    const FORMS: [Form; 4] = [Form::Nfc, Form::Nfd, Form::Nfkc, Form::Nfkd];

    #[test]
    fn each_character_between_others() {
        for character in ('\0'..=char::MAX).step_by(7).chain('\u{80}'..'\u{3400}').chain('\u{F900}'..'\u{10000}') {
            for text in [
                format!("a{character}b"),
                format!("e\u{301}{character}\u{323}"),
                format!("\u{1100}{character}\u{11A8}"),
            ] {
                for form in FORMS {
                    assert_eq!(made(form, &text), form.of(&text), "{form:?} {text:?}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn stretches_together_are_the_form_of_the_whole(
            text in "([a-eé\u{300}-\u{330}\u{1100}-\u{1112}\u{1161}-\u{1175}\u{11A8}-\u{11C2}가-힣ﬀ-ﬆ①-⑳ａ-ｚ]|\\PC){0,40}",
        ) {
            for form in FORMS {
                prop_assert_eq!(made(form, &text), form.of(&text));
            }
        }
    }
}
