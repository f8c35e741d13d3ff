//! Descriptions of XML errors.

use roxmltree::Error;

/// Such as `line 8, column 22`, both from 1.
pub(super) fn position(error: &Error) -> String {
    let position = error.pos();
    format!("line {}, column {}", position.row, position.col)
}

/// The problem and its position. It may quote the text.
pub(super) fn explain(error: &Error) -> String {
    let text = error.to_string();
    let what = text.strip_suffix(&format!(" at {}", error.pos()));
    let what = what.unwrap_or(&text);
    format!("malformed XML in {}: {what}", position(error))
}
