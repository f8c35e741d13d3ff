//! The body parts that joint names mean.

use std::collections::BTreeMap;

/// A part of a body that shows where the front is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Toe,
    Foot,
    /// Eyes, jaw, nose and mouth.
    Face,
    Head,
    Tail,
    Pelvis,
    /// Arms, legs and other parts that come in pairs.
    Limb,
}

/// Words within a name, regardless of case. The first that matches is used.
const WORDS: [(&str, Part); 33] = [
    ("toe", Part::Toe),
    ("eye", Part::Face),
    ("jaw", Part::Face),
    ("nose", Part::Face),
    ("mouth", Part::Face),
    ("tongue", Part::Face),
    ("snout", Part::Face),
    ("foot", Part::Foot),
    ("ankle", Part::Foot),
    ("ball", Part::Toe),
    ("head", Part::Head),
    ("tail", Part::Tail),
    ("pelvis", Part::Pelvis),
    ("hips", Part::Pelvis),
    ("arm", Part::Limb),
    ("hand", Part::Limb),
    ("leg", Part::Limb),
    ("thigh", Part::Limb),
    ("calf", Part::Limb),
    ("shin", Part::Limb),
    ("knee", Part::Limb),
    ("shoulder", Part::Limb),
    ("clav", Part::Limb),
    ("collar", Part::Limb),
    ("elbow", Part::Limb),
    ("wrist", Part::Limb),
    ("finger", Part::Limb),
    ("thumb", Part::Limb),
    ("wing", Part::Limb),
    ("paw", Part::Limb),
    ("ear", Part::Limb),
    ("hip", Part::Limb),
    ("femur", Part::Limb),
];

/// Words of other things that begin like a body part.
const NO_PARTS: [&str; 4] = ["armature", "handle", "headlight", "taillight"];

/// The part that `name` means. Controls (`foot_ik`) are not body parts.
pub(super) fn part_of(name: &str) -> Option<Part> {
    if is_control(name) {
        return None;
    }
    let whole = own(name).to_lowercase();
    let folded = NO_PARTS
        .iter()
        .fold(whole, |text, word| text.replace(word, " "));
    let found = WORDS.iter().find(|(word, _)| folded.contains(word));
    found.map(|(_, part)| *part)
}

/// Whether the name of a body part is that of a leg.
pub(super) fn is_leg(name: &str) -> bool {
    let folded = own(name).to_lowercase();
    ["leg", "thigh", "calf", "shin", "knee", "femur"]
        .iter()
        .any(|word| folded.contains(word))
}

/// Whether `name` is a control of an animator, such as `foot_ik`.
pub(super) fn is_control(name: &str) -> bool {
    let whole = own(name).to_lowercase();
    ["ik", "ctrl", "control", "pole", "target"]
        .iter()
        .any(|word| is_word(&whole, word))
}

/// Whether a joint only marks the end of its parent's bone.
pub(super) fn is_end(name: &str) -> bool {
    let folded = own(name).to_lowercase();
    ["end", "nub", "site", "tip"]
        .iter()
        .any(|word| folded.ends_with(word))
}

/// The name without its namespace.
fn own(name: &str) -> &str {
    name.rsplit([':', '|']).next().unwrap_or(name)
}

/// Whether `word` is not part of a longer word.
fn is_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphabetic())
        .any(|part| part == word)
}

/// Bytes of the longest name that is examined for left and right.
const LONGEST: usize = 200;

/// Pairs of indices of names that differ only in left and right, the left first: `LeftArm` and `RightArm`, `hand.l` and
/// `hand.r`, `Lhand` and `Rhand`.
pub(super) fn pairs(names: &[&str]) -> Vec<[usize; 2]> {
    let lower: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let mut by_name = BTreeMap::new();
    for (index, name) in lower.iter().enumerate() {
        by_name.entry(name.as_str()).or_insert(index);
    }
    let pair = |(index, name): (usize, &String)| {
        if name.len() > LONGEST {
            return None;
        }
        let other = mirrored(name).find_map(|other| by_name.get(other.as_str()).copied())?;
        Some([index, other])
    };
    lower.iter().enumerate().filter_map(pair).collect()
}

/// The possible right counterparts of `name`, if it is a left one: with `right` for `left`, or with `r` for an `l` at the
/// start or the end of a word.
fn mirrored(name: &str) -> impl Iterator<Item = String> + '_ {
    let whole = name
        .contains("left")
        .then(|| name.replacen("left", "right", 1));
    let letters = name.char_indices().filter(|(_, letter)| *letter == 'l');
    let single = letters.filter_map(|(at, _)| {
        let (before, after) = (&name[..at], &name[at + 1..]);
        let begins = !before.ends_with(char::is_alphanumeric);
        let ends = !after.starts_with(char::is_alphanumeric);
        (begins || ends).then(|| format!("{before}r{after}"))
    });
    whole.into_iter().chain(single)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_known_in_the_names_of_many_programs() {
        for (name, part) in [
            ("mixamorig:LeftToeBase", Part::Toe),
            ("Bip01 L Toe0", Part::Toe),
            ("ball_l", Part::Toe),
            ("eyeball.L", Part::Face),
            ("Bip01 L Foot", Part::Foot),
            ("leg_ankle_R", Part::Foot),
            ("Armature|Head", Part::Head),
            ("b_Tail01_012", Part::Tail),
            ("Lhand", Part::Limb),
        ] {
            assert_eq!(part_of(name), Some(part), "{name}");
        }
        for name in [
            "foot_ik.L",
            "IK_Toe",
            "Root",
            "",
            "Cube.001",
            "leg ctrl",
            "Armature_Lid",
            "Handle.L",
        ] {
            assert_eq!(part_of(name), None, "{name}");
        }
    }

    #[test]
    fn left_and_right_are_paired_however_they_are_written() {
        let names = [
            "LeftArm",
            "RightArm",
            "hand.l",
            "hand.r",
            "Lfoot",
            "Rfoot",
            "Bip01 L Leg",
            "Bip01 R Leg",
            "legL",
            "legR",
            "collar",
            "corral",
            "Spine",
        ];
        let expected = [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]];
        assert_eq!(pairs(&names), expected);
    }
}
