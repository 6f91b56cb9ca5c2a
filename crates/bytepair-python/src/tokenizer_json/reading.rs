//! Reading the JSON of a `tokenizer.json`: what is unusual is an error, and errors say nothing, since nobody reads them.

use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{PyModel, spelled};

/// Reads a document into `model`, and what is not of the model into `rest`.
pub fn read(data: &[u8], model: &mut PyModel, rest: &mut String) -> serde_json::Result<()> {
    let mut reader = serde_json::Deserializer::from_slice(data);
    Object { model, rest, inner: false }.deserialize(&mut reader)?;
    reader.end()
}

/// The document, or `model` in it.
struct Object<'m> {
    model: &'m mut PyModel,
    rest: &'m mut String,
    inner: bool,
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { model, rest, inner } = self;
        let mut seen = HashSet::new();
        rest.push('{');
        while let Some(key) = map.next_key::<String>()? {
            if !seen.is_empty() {
                rest.push(',');
            }
            rest.push_str(&serde_json::to_string(&key).map_err(A::Error::custom)?);
            rest.push(':');
            match (inner, key.as_str()) {
                (false, "bytepair") => return Err(A::Error::custom("a file of our own kind")),
                (false, "model") => {
                    map.next_value_seed(Object { model: &mut *model, rest: &mut *rest, inner: true })?;
                }
                (true, "vocab") => {
                    map.next_value_seed(Vocab(model))?;
                    rest.push_str("{}");
                }
                (true, "merges") => {
                    map.next_value_seed(Merges(model))?;
                    rest.push_str("[]");
                }
                _ => rest.push_str(map.next_value::<&RawValue>()?.get()),
            }
            if !seen.insert(key) {
                return Err(A::Error::custom("a key stands twice"));
            }
        }
        rest.push('}');
        let needed = if inner { &["vocab", "merges"][..] } else { &["model"] };
        if needed.iter().all(|&key| seen.contains(key)) { Ok(()) } else { Err(A::Error::custom("a key is missing")) }
    }
}

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_map(self)
    }
}

/// `model.vocab`.
struct Vocab<'m>(&'m mut PyModel);

impl<'de> DeserializeSeed<'de> for Vocab<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Vocab<'_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("keys and their ids")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let model = self.0;
        let mut content = Vec::new();
        while let Some(other) = map.next_key_seed(Spelled(&mut content))? {
            let id = map.next_value::<u32>()?;
            if id == u32::MAX {
                return Err(A::Error::custom("no id"));
            }
            match other {
                None => model.tokens.push(id, &content),
                Some(key) => model.unspelled.push((id, key)),
            }
            content.clear();
        }
        Ok(())
    }
}

/// A key, whose bytes are appended; one that spells none is given back.
struct Spelled<'m>(&'m mut Vec<u8>);

impl<'de> DeserializeSeed<'de> for Spelled<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_str(self)
    }
}

impl Visitor<'_> for Spelled<'_> {
    type Value = Option<String>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
        if key.is_empty() {
            return Err(E::custom("an empty key"));
        }
        Ok((!spelled(key, self.0)).then(|| key.to_owned()))
    }
}

/// `model.merges`, a merge in either spelling, or one of them.
struct Merges<'m>(&'m mut PyModel);

impl<'de> DeserializeSeed<'de> for Merges<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Merges<'_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("merges")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut merges: A) -> Result<(), A::Error> {
        while merges.next_element_seed(Merge(&mut *self.0))?.is_some() {}
        Ok(())
    }
}

/// One merge.
struct Merge<'m>(&'m mut PyModel);

impl<'de> DeserializeSeed<'de> for Merge<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Merge<'_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a merge")
    }

    fn visit_str<E: Error>(self, merge: &str) -> Result<(), E> {
        let (left, right) = merge.split_once(' ').ok_or_else(|| E::custom("no space"))?;
        Half(self.0).visit_str(left)?;
        Half(self.0).visit_str(right)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut halves: A) -> Result<(), A::Error> {
        let mut count = 0;
        while halves.next_element_seed(Half(self.0))?.is_some() {
            count += 1;
        }
        if count == 2 { Ok(()) } else { Err(A::Error::custom("not two halves")) }
    }
}

/// One side of a merge.
struct Half<'m>(&'m mut PyModel);

impl<'de> DeserializeSeed<'de> for Half<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_str(self)
    }
}

impl Visitor<'_> for Half<'_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a token")
    }

    fn visit_str<E: Error>(self, half: &str) -> Result<(), E> {
        if half.is_empty() || !spelled(half, &mut self.0.halves) {
            return Err(E::custom("no token"));
        }
        self.0.ends.push(self.0.halves.len());
        Ok(())
    }
}
