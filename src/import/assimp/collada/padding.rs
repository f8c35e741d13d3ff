//! Blanks before the first number of a list.
//!
//! assimp takes the blank behind `<vcount>` of a skin for the number 0 (`ColladaParser.cpp`, `ReadControllerWeights`), so
//! that each vertex gets the weights of the one before. It is given the file without it.

use std::ops::Range;

const LIST: &[u8] = b"<vcount>";

/// `document` without blanks behind `<vcount>`; `None` if there are none.
pub(super) fn without(document: &[u8]) -> Option<Vec<u8>> {
    let padding = padding(document);
    (!padding.is_empty()).then(|| cut(document, &padding))
}

/// Where blanks are, in order.
fn padding(file: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = find(&file[from..]) {
        let start = from + at + LIST.len();
        let blanks = file[start..]
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace());
        from = start + blanks.count();
        if from > start {
            found.push(start..from);
        }
    }
    found
}

/// Almost every place is told by its first byte.
fn find(bytes: &[u8]) -> Option<usize> {
    let mut starts = bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == LIST[0]);
    let start = starts.find(|(start, _)| bytes[*start..].starts_with(LIST));
    start.map(|(start, _)| start)
}

fn cut(file: &[u8], padding: &[Range<usize>]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(file.len());
    let mut from = 0;
    for blanks in padding {
        kept.extend_from_slice(&file[from..blanks.start]);
        from = blanks.end;
    }
    kept.extend_from_slice(&file[from..]);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_blanks_before_a_first_count_go() {
        let file = b"<vcount> \n1 2 </vcount><v> 0 1</v><vcount>3</vcount><vcount>\t4</vcount>";
        let expected = b"<vcount>1 2 </vcount><v> 0 1</v><vcount>3</vcount><vcount>4</vcount>";
        assert_eq!(without(file).as_deref(), Some(&expected[..]));
        assert_eq!(without(b"<vcount>1 1</vcount> <vcoun"), None);
    }
}
