//! The frame of all HTML pages: one self-contained file, in light and dark.

use std::fmt::Write;

use serde_json::Value;

const STYLE: &str = include_str!("shell.css");

/// The page's content security policy: it may load nothing.
const POLICY: &str =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

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
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<link rel=\"icon\" href=\"data:,\">\n\
             <title>{title}</title>\n<style>\n{STYLE}{style}</style>\n</head>\n<body>\n\
             <header>\n{header}</header>\n<main>\n{main}</main>\n"
        );
        if let Some((id, data)) = data {
            let data = data.to_string().replace('<', "\\u003c");
            let _ = writeln!(
                page,
                "<script type=\"application/json\" id=\"{id}\">{data}</script>"
            );
        }
        let _ = write!(page, "<script>\n{script}</script>\n</body>\n</html>\n");
        page
    }
}
