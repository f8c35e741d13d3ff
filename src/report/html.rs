//! A page for a browser in one file, with everything inside: what all such pages share.

use std::fmt::Write;

use serde_json::Value;

const STYLE: &str = include_str!("html/base.css");

/// What a page may load: nothing.
const POLICY: &str =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// What a page of its own kind adds. Texts are HTML unless said otherwise.
pub(super) struct Page<'a> {
    pub(super) title: &'a str,
    pub(super) header: &'a str,
    pub(super) main: &'a str,
    /// Added to the style that all pages share.
    pub(super) style: &'a str,
    /// The name and the value of what the script reads.
    pub(super) data: (&'a str, Value),
    pub(super) script: &'a str,
}

impl Page<'_> {
    /// The file.
    pub(super) fn write(&self) -> String {
        let Self {
            title,
            header,
            main,
            style,
            script,
            data: (name, data),
        } = self;
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<link rel=\"icon\" href=\"data:,\">\n\
             <title>{title}</title>\n<style>\n{STYLE}{style}</style>\n</head>\n<body>\n<header>\n{header}</header>\n<main>\n{main}</main>\n"
        );
        // No text from a file ends the script early.
        let data = data.to_string().replace('<', "\\u003c");
        let _ = write!(
            page,
            "<script type=\"application/json\" id=\"{name}\">{data}</script>\n<script>\n{script}</script>\n</body>\n</html>\n"
        );
        page
    }
}
