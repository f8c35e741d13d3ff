//! A document as the texts of its parts, not yet understood.

use serde::Deserialize;
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::error::GltfError;

/// The parts of a kind.
pub(super) type List<'a> = Option<Vec<&'a RawValue>>;

/// What of a document is read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Parts<'a> {
    #[serde(borrow)]
    pub(super) asset: Option<&'a RawValue>,
    pub(super) extensions_used: Option<Vec<String>>,
    pub(super) extensions_required: Option<Vec<String>>,
    pub(super) scene: Option<&'a RawValue>,
    pub(super) accessors: List<'a>,
    pub(super) animations: List<'a>,
    pub(super) buffers: List<'a>,
    pub(super) buffer_views: List<'a>,
    pub(super) images: List<'a>,
    pub(super) materials: List<'a>,
    pub(super) meshes: List<'a>,
    pub(super) nodes: List<'a>,
    pub(super) samplers: List<'a>,
    pub(super) scenes: List<'a>,
    pub(super) skins: List<'a>,
    pub(super) textures: List<'a>,
}

impl<'a> Parts<'a> {
    /// Takes the text of a document apart.
    ///
    /// # Errors
    ///
    /// [`GltfError::CutOff`] and [`GltfError::Syntax`], with line and column.
    pub(super) fn read(text: &'a [u8]) -> Result<Self, GltfError> {
        serde_json::from_slice(text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            match error.classify() {
                Category::Eof => GltfError::CutOff { line, column },
                Category::Syntax if ends_in_number(text, line, column) => {
                    GltfError::CutOff { line, column }
                }
                _ => GltfError::Syntax {
                    reason: error.to_string(),
                },
            }
        })
    }
}

/// Whether the text ends at this place, in a number: half of one may be wrong where it is only cut off, as `-` and `1.`
/// are.
fn ends_in_number(text: &[u8], line: usize, column: usize) -> bool {
    let in_number = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
    let mut lines = text.rsplit(|&byte| byte == b'\n');
    let is_last = lines.next().is_some_and(|last| last.len() == column);
    text.last().is_some_and(in_number) && is_last && lines.count() + 1 == line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_ends_too_early_is_told_from_one_that_is_wrong() {
        let cut_off = Parts::read(b"{\"asset\":\n {\"vers").unwrap_err();
        assert_eq!(cut_off, GltfError::CutOff { line: 2, column: 7 });
        let in_number = Parts::read(b"{\"nodes\":\n [-").unwrap_err();
        assert_eq!(in_number, GltfError::CutOff { line: 2, column: 3 });
        let wrong = Parts::read(b"{\"asset\":\n oops}").unwrap_err().to_string();
        assert!(wrong.contains("at line 2 column 2"), "{wrong}");
        let list = Parts::read(b"{\"nodes\": 7}").unwrap_err().to_string();
        assert!(
            list.contains("expected a sequence at line 1 column 11"),
            "{list}"
        );
    }

    #[test]
    fn a_text_of_any_depth_is_refused_without_a_crash() {
        for head in ["", "{\"nodes\":", "{\"odd\":"] {
            let deep = format!("{head}{}", "[".repeat(1 << 20));
            assert!(Parts::read(deep.as_bytes()).is_err());
        }
    }
}
