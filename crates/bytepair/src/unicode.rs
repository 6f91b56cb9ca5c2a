//! The one table of Unicode classes, of one stated version. The Python reference reads a dump of it.

/// The Unicode version of every class in this crate.
pub const UNICODE_VERSION: &str = "16.0.0";
