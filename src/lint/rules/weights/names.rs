//! Names with a side.

/// The words for the two sides.
const SIDES: [[&str; 2]; 5] = [
    ["L", "R"],
    ["l", "r"],
    ["Left", "Right"],
    ["left", "right"],
    ["LEFT", "RIGHT"],
];

/// The name of the same joint on the other side; `None` for a name without a side.
pub(in crate::lint::rules) fn mirrored(name: &str) -> Option<String> {
    let words = words(name);
    let is_sided = words.iter().any(|word| other_side(word).is_some());
    let swapped = words.iter().map(|word| other_side(word).unwrap_or(word));
    is_sided.then(|| swapped.collect())
}

/// Whether the first side in `name` is the left.
pub(in crate::lint::rules) fn is_left(name: &str) -> bool {
    let words = words(name).into_iter();
    let mut sides = words.filter_map(other_side);
    sides
        .next()
        .is_some_and(|other| SIDES.iter().any(|[_, right]| other == *right))
}

fn other_side(word: &str) -> Option<&'static str> {
    SIDES.iter().find_map(|&[left, right]| match word {
        _ if word == left => Some(right),
        _ if word == right => Some(left),
        _ => None,
    })
}

/// The parts of `name`, which is cut where letters begin or end, and before a capital that begins a word, as in
/// `LeftArm` and `LArm`.
fn words(name: &str) -> Vec<&str> {
    let letters: Vec<(usize, char)> = name.char_indices().collect();
    let mut words = Vec::new();
    let mut start = 0;
    for index in 1..letters.len() {
        let (at, letter) = letters[index];
        let next = letters.get(index + 1).map(|&(_, next)| next);
        if begins(letters[index - 1].1, letter, next) {
            words.push(&name[start..at]);
            start = at;
        }
    }
    words.push(&name[start..]);
    words
}

/// Whether `letter` begins a word.
fn begins(before: char, letter: char, next: Option<char>) -> bool {
    let capital = letter.is_uppercase()
        && (before.is_lowercase() || before.is_uppercase() && next.is_some_and(char::is_lowercase));
    capital || before.is_alphabetic() != letter.is_alphabetic()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_customs_of_authoring_tools_are_known() {
        for [left, right] in [
            ["mixamorig:LeftArm", "mixamorig:RightArm"],
            ["arm.L.001", "arm.R.001"],
            ["hand_l", "hand_r"],
            ["l_hand", "r_hand"],
            ["Bip01 L Thigh", "Bip01 R Thigh"],
            ["J_Bip_L_UpperArm", "J_Bip_R_UpperArm"],
            ["shoulderL", "shoulderR"],
            ["LArm", "RArm"],
            ["lFoot2", "rFoot2"],
            ["eye.left", "eye.right"],
        ] {
            assert_eq!(mirrored(left).as_deref(), Some(right));
            assert_eq!(mirrored(right).as_deref(), Some(left));
        }
    }

    #[test]
    fn words_that_only_begin_like_a_side_state_none() {
        for name in [
            "", "é", "Leg", "leftover", "cleft", "spine", "Root", "ear", "LOD", "joint1",
        ] {
            assert_eq!(mirrored(name), None, "{name}");
        }
    }
}
