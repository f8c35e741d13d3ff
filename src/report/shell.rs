//! The frame of all HTML pages: one self-contained file, in light and dark.

use std::fmt::Write;

use serde_json::Value;

const STYLE: &str = include_str!("shell.css");

/// The page's content security policy: it may load nothing, and runs only its own script. A script that slipped in with a
/// name could not know the nonce, which is a hash of everything on the page, that name included.
fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'nonce-{nonce}'"
    )
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
    pub(super) script: &'a str,
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
        let data = data.as_ref().map(|(id, data)| {
            let data = data.to_string().replace('<', "\\u003c");
            format!("<script type=\"application/json\" id=\"{id}\">{data}</script>\n")
        });
        let data = data.unwrap_or_default();
        let mut hash = blake3::Hasher::new();
        for part in [*title, *style, *header, *main, data.as_str(), *script] {
            hash.update(part.as_bytes());
        }
        let nonce = hash.finalize().to_hex();
        let policy = policy(&nonce);
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<link rel=\"icon\" href=\"data:,\">\n\
             <title>{title}</title>\n<style>\n{STYLE}{style}</style>\n</head>\n<body>\n\
             <header>\n{header}</header>\n<main>\n{main}</main>\n{data}"
        );
        let _ = write!(
            page,
            "<script nonce=\"{nonce}\">\n{script}</script>\n</body>\n</html>\n"
        );
        page
    }
}
