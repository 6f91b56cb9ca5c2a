//! The published patterns, by name, each with its exact string.

/// GPT-2, in the form of `r50k_pat_str` in tiktoken's `openai_public.py` (0.14). It cuts as the string of
/// `OpenAI`'s `gpt-2/src/encoder.py` does: `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`.
pub const GPT2: &str = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s";

/// GPT-3.5 and GPT-4: `cl100k_base` in tiktoken's `openai_public.py` (0.14).
pub const CL100K: &str = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s";

/// GPT-4o: `o200k_base` in tiktoken's `openai_public.py` (0.14), its parts joined by `|`.
pub const O200K: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// Llama 3: the `Split` in its `tokenizer.json` (`pre_tokenizer`).
pub const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// Qwen 2, 2.5 and 3: the `Split` in their `tokenizer.json` (`pre_tokenizer`). Digits stand alone.
pub const QWEN2: &str =
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// A tokenizer of 8,192 tokens for short English stories: as GPT-2, digits alone.
pub const STORY: &str = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// [`O200K`] with digits in threes counted from the right, as `1,234,567` is written: `1 234 567`.
pub const DIGITS3R: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// Every preset: its name and its pattern.
pub const PRESETS: [(&str, &str); 7] = [
    ("gpt2", GPT2),
    ("cl100k", CL100K),
    ("o200k", O200K),
    ("llama3", LLAMA3),
    ("qwen2", QWEN2),
    ("story", STORY),
    ("digits3r", DIGITS3R),
];

/// The pattern of a preset; `None` for a name that is none.
///
/// ```
/// use bytepair::split::presets;
/// assert_eq!(presets::pattern("story"), Some(presets::STORY));
/// assert_eq!(presets::pattern("gpt5"), None);
/// ```
pub fn pattern(name: &str) -> Option<&'static str> {
    PRESETS.iter().find(|(known, _)| *known == name).map(|(_, pattern)| *pattern)
}
