//! Writes the Unicode classes that the Python reference reads: `cargo run --example dump_unicode`.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python/bytepair/reference/unicode.txt");
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, bytepair::unicode::dump())
}
