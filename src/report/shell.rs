//! The frame of all HTML pages: one self-contained file, in light and dark.

#[cfg(feature = "cli")]
use std::io::Read;

use askama::Template;
use askama::filters::Safe;
use serde_json::Value;

/// The rules of all pages.
pub(super) const STYLE: Safe<&str> = Safe(include_str!("shell.css"));

/// A page: a template that extends `shell.html`.
pub(super) trait Page: Template {
    /// Appended to the common style.
    const STYLE: Safe<&'static str>;
    /// Whether the script of the pages runs: [`viewer::SCRIPT`](super::viewer::SCRIPT).
    const HAS_SCRIPT: bool = true;

    fn html(&self) -> String {
        let html = self.render().expect("a string takes all that is written");
        html + "\n"
    }
}

/// How our pages begin.
#[cfg(feature = "cli")]
const BEGINNING: &str = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
    <meta name=\"generator\" content=\"skincheck\">";

/// Whether a file holds a page of any kind.
#[cfg(feature = "cli")]
pub(crate) fn is_page(file: impl Read) -> bool {
    let mut start = Vec::new();
    let read = file.take(BEGINNING.len() as u64).read_to_end(&mut start);
    read.is_ok() && start == BEGINNING.as_bytes()
}

/// For the element of a script.
pub(super) fn json(data: &Value) -> Safe<String> {
    Safe(data.to_string().replace('<', "\\u003c"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use sha2::{Digest, Sha256};

    use crate::report::escape::base64;
    use crate::report::viewer::{SCRIPT, SCRIPT_SHA256};

    #[test]
    fn the_policy_names_the_hash_of_the_script() {
        // Browsers hash the text with plain line ends.
        let text = SCRIPT.0.replace('\r', "");
        assert_eq!(SCRIPT_SHA256, base64(&Sha256::digest(&text)));
    }

    /// What is not escaped is `Safe` in the code, where a reader sees its origin.
    #[test]
    fn no_template_inserts_text_unescaped() {
        let templates = templates(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/report"));
        assert!(templates.len() > 10, "{templates:?}");
        for path in templates {
            let text: String = fs::read_to_string(&path)
                .expect("it is readable")
                .split_whitespace()
                .collect();
            for filter in ["|safe", "|escape", "|e}", "|e|", "{%filter", "Safe("] {
                assert!(!text.contains(filter), "{filter} in {}", path.display());
            }
        }
    }

    fn templates(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).expect("it is readable");
        let paths = entries.map(|entry| entry.expect("it is readable").path());
        let templates = paths.flat_map(|path| match path.extension() {
            None => templates(&path),
            Some(kind) if ["html", "svg", "xml"].iter().any(|own| kind == *own) => vec![path],
            Some(_) => Vec::new(),
        });
        templates.collect()
    }
}
