//! The frame of all HTML pages: one self-contained file, in light and dark.

use std::fmt::Write;

use serde_json::Value;

/// The rules of all pages.
pub(super) const STYLE: &str = include_str!("shell.css");

/// The script of a page.
pub(super) struct Script {
    pub(super) text: &'static str,
    /// The hash of the text, in base64.
    pub(super) sha256: &'static str,
}

/// The page's content security policy: it may load nothing, and runs only its own script. A script that slipped in with a
/// name has another hash.
fn policy(script: Option<&Script>) -> String {
    let allowed = script.map_or_else(
        || "'none'".to_owned(),
        |script| format!("'sha256-{}'", script.sha256),
    );
    format!("default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {allowed}")
}

/// An element with data for scripts.
pub(super) fn json_element(id: &str, data: &Value) -> String {
    let data = data.to_string().replace('<', "\\u003c");
    format!("<script type=\"application/json\" id=\"{id}\">{data}</script>\n")
}

/// The parts of a page that differ between pages.
pub(super) struct Shell<'a> {
    /// Escaped.
    pub(super) title: &'a str,
    /// Appended to the common style.
    pub(super) style: &'a str,
    /// HTML.
    pub(super) header: &'a str,
    /// HTML.
    pub(super) main: &'a str,
    /// Data for the script, by the id of its element.
    pub(super) data: Option<(&'a str, Value)>,
    pub(super) script: Option<Script>,
}

impl Shell<'_> {
    pub(super) fn page(&self) -> String {
        let Self {
            title,
            style,
            header,
            main,
            data,
            script,
        } = self;
        let data = data.as_ref().map(|(id, data)| json_element(id, data));
        let data = data.unwrap_or_default();
        let policy = policy(script.as_ref());
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<link rel=\"icon\" href=\"data:,\">\n\
             <title>{title}</title>\n<style>\n{STYLE}{style}</style>\n</head>\n<body>\n\
             <header>\n{header}</header>\n<main>\n{main}</main>\n{data}"
        );
        if let Some(script) = script {
            let _ = writeln!(page, "<script>{}</script>", script.text);
        }
        page += "</body>\n</html>\n";
        page
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::report::escape::base64;
    use crate::report::{check, diff, golden};

    #[test]
    fn the_policy_names_the_hash_of_each_page_s_script() {
        for script in [
            check::html::SCRIPT,
            diff::html::SCRIPT,
            golden::html::SCRIPT,
            #[cfg(feature = "cli")]
            crate::report::view::SCRIPT,
        ] {
            // Browsers hash the text with plain line ends.
            let text = script.text.replace('\r', "");
            assert_eq!(script.sha256, base64(&Sha256::digest(&text)), "{text}");
            assert!(policy(Some(&script)).contains(script.sha256));
        }
    }
}
