//! Recognizes end bones.

use crate::lint::Context;
use crate::rig::NodeId;

/// Whether `joint` has a name that exporters give to the end of a bone.
pub(super) fn is_end(cx: &Context<'_>, joint: NodeId) -> bool {
    names_an_end(cx.joint_name(joint))
}

/// `Head_end`, `HeadTop_End`, `Toe_end.L`, `Bip001 HeadNub`, `EndSite_Hand`, `Finger_end_038`, but not `Bend`.
fn names_an_end(name: &str) -> bool {
    let stem = without_suffixes(name);
    let site = ["EndSite", "End Site"];
    let has_site = site.iter().any(|site| name.starts_with(site));
    has_site || ["end", "nub"].iter().any(|word| ends_in_word(stem, word))
}

/// Whether `name` ends in `word` as a separate word: after a separator, or as `Word` after a lowercase letter.
fn ends_in_word(name: &str, word: &str) -> bool {
    let Some((head, tail)) = name
        .len()
        .checked_sub(word.len())
        .and_then(|at| name.split_at_checked(at))
    else {
        return false;
    };
    let separated = head
        .chars()
        .next_back()
        .is_some_and(|last| !last.is_alphabetic());
    let capital = tail.starts_with(|first: char| first.is_ascii_uppercase());
    let camel = capital && head.ends_with(|last: char| last.is_lowercase());
    tail.eq_ignore_ascii_case(word) && (separated || camel)
}

/// The name without the numbers that tools append, and without its side.
fn without_suffixes(name: &str) -> &str {
    let mut stem = name;
    loop {
        let number = stem.trim_end_matches(|digit: char| digit.is_ascii_digit());
        let numbered = number.len() < stem.len() && number.ends_with(['.', '_']);
        let before = if numbered { number } else { stem };
        let sides = [".L", ".R", "_L", "_R", ".l", ".r", "_l", "_r", "_", "."];
        let shorter = sides
            .iter()
            .find_map(|side| before.strip_suffix(side))
            .unwrap_or(before);
        if shorter.len() == stem.len() {
            return stem;
        }
        stem = shorter;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_distinguished_from_words_that_end_alike() {
        for name in [
            "Head_end",
            "HeadTop_End",
            "mixamorig:LeftToe_End",
            "Toe_end.L",
            "Toe_end_R",
            "Bip001 HeadNub",
            "Bip01 L Toe0Nub",
            "EndSite_Hand",
            "Finger_end_038",
            "Bone.003_end.001",
            "HeadEnd",
            "tail_nub",
        ] {
            assert!(names_an_end(name), "{name}");
        }
        for name in [
            "",
            "end",
            "Bend",
            "Legend",
            "knub",
            "Head",
            "Ende_1",
            "weekend.L",
            "éend",
            "_",
            ".L",
        ] {
            assert!(!names_an_end(name), "{name}");
        }
    }
}
