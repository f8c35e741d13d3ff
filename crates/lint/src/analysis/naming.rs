//! What the names of joints, meshes and materials tell: left and right, garments, fingers, controls, ends of bones.

use std::collections::HashMap;

use glam::Vec3;

use crate::core::context::{Analysis, Context};
use crate::rig::{Asset, NodeId, Skeleton, Skin, SkinId};

/// No limb has so many joints. In a hostile file, a chain may have all.
const LONGEST: usize = 64;

/// The pairs of each skin.
pub(crate) struct Pairs(Vec<OfSkin>);

struct OfSkin {
    /// In the order of their left joints.
    pairs: Vec<Pair>,
    /// The index of the pair of each joint that has one.
    by_joint: HashMap<NodeId, usize>,
}

impl Analysis for Pairs {
    fn of(cx: &Context<'_>) -> Self {
        let of_skin = |skin| {
            let pairs = pairs(cx, skin);
            let joints = pairs
                .iter()
                .enumerate()
                .flat_map(|(index, pair)| [(pair.left, index), (pair.right, index)]);
            OfSkin {
                by_joint: joints.collect(),
                pairs,
            }
        };
        Self(cx.asset.skins.iter().map(of_skin).collect())
    }
}

impl Pairs {
    /// Those of a skin.
    pub(crate) fn of_skin(&self, skin: SkinId) -> &[Pair] {
        &self.0[skin.index()].pairs
    }

    /// The topmost pair with a joint at or above one, and that joint: where the limb of the joint begins.
    pub(crate) fn limb(
        &self,
        skeleton: &Skeleton,
        skin: SkinId,
        joint: NodeId,
    ) -> Option<(&Pair, NodeId)> {
        let OfSkin { pairs, by_joint } = &self.0[skin.index()];
        let chain = std::iter::successors(Some(joint), |own| skeleton[*own].parent).take(LONGEST);
        let paired = chain.filter_map(|own| Some((&pairs[*by_joint.get(&own)?], own)));
        paired.last()
    }

    /// For each node its counterpart, if it is a joint on the left or right of a skin.
    pub(crate) fn counterparts(&self, asset: &Asset) -> Vec<Option<NodeId>> {
        let mut counterparts = vec![None; asset.skeleton.len()];
        for pair in self.all() {
            counterparts[pair.left.index()] = Some(pair.right);
            counterparts[pair.right.index()] = Some(pair.left);
        }
        counterparts
    }

    /// Those of all skins.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Pair> {
        self.0.iter().flat_map(|skin| &skin.pairs)
    }
}

/// Two joints of a skin that are named left and right.
pub(crate) struct Pair {
    pub(crate) left: NodeId,
    pub(crate) right: NodeId,
    /// Where the two are bound, the left one first; in mesh space.
    pub(crate) bound: [Vec3; 2],
}

impl Pair {
    /// From the right joint to the left one, as bound.
    pub(crate) fn apart(&self) -> Vec3 {
        self.bound[0] - self.bound[1]
    }
}

/// The pairs of a skin. A number that ends a name may differ.
fn pairs(cx: &Context<'_>, skin: &Skin) -> Vec<Pair> {
    let named = skin.joints.iter().zip(&skin.inverse_bind_matrices);
    let bound = named.map(|(joint, bind)| {
        let position = bind.as_dmat4().inverse().w_axis.truncate().as_vec3();
        (*joint, position)
    });
    let mut by_name = HashMap::new();
    let mut by_stem: HashMap<&str, Vec<(NodeId, Vec3)>> = HashMap::new();
    for joint in bound {
        let name = cx.joint_name(joint.0);
        by_name.insert(name, joint);
        by_stem.entry(stem(name)).or_default().push(joint);
    }
    let only = |name: &str| match by_stem.get(stem(name))?.as_slice() {
        &[joint] => Some(joint),
        _ => None,
    };
    let pair = |joint: &NodeId| {
        let name = cx.joint_name(*joint);
        let counterpart = mirrored(name).filter(|_| is_left(name))?;
        let exact = by_name
            .get(name)
            .zip(by_name.get(counterpart.as_str()))
            .map(|(left, right)| (*left, *right));
        let (left, right) = exact.or_else(|| only(name).zip(only(&counterpart)))?;
        let pair = Pair {
            left: left.0,
            right: right.0,
            bound: [left.1, right.1],
        };
        pair.apart().is_finite().then_some(pair)
    };
    skin.joints.iter().filter_map(pair).collect()
}

/// `name` without the running number that Sketchfab appends, as in `LeftHand_011`.
fn stem(name: &str) -> &str {
    let letters = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    letters
        .strip_suffix('_')
        .filter(|_| letters != name)
        .unwrap_or(name)
}

/// The words for the two sides.
const SIDES: [[&str; 2]; 5] = [
    ["L", "R"],
    ["l", "r"],
    ["Left", "Right"],
    ["left", "right"],
    ["LEFT", "RIGHT"],
];

/// The name of the same joint on the other side; `None` for a name without a side.
pub(crate) fn mirrored(name: &str) -> Option<String> {
    let words = words(name);
    let is_sided = words.iter().any(|word| other_side(word).is_some());
    let swapped = words.iter().map(|word| other_side(word).unwrap_or(word));
    is_sided.then(|| swapped.collect())
}

/// Whether the first side in `name` is the left.
pub(crate) fn is_left(name: &str) -> bool {
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
pub(crate) fn words(name: &str) -> Vec<&str> {
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

/// Words for cloth that is not tight. A jacket, trousers and what is only called cloth may be.
const GARMENTS: [&str; 19] = [
    "banner", "cape", "cloak", "coat", "curtain", "drape", "dress", "flag", "gown", "kilt",
    "poncho", "robe", "sail", "scarf", "shawl", "skirt", "sleeve", "toga", "veil",
];

/// Words in the names of joints that are not meant to move vertices.
const CONTROLS: [&str; 23] = [
    "ik",
    "fk",
    "ctrl",
    "control",
    "controller",
    "target",
    "pole",
    "goal",
    "handle",
    "socket",
    "slot",
    "attach",
    "attachment",
    "weapon",
    "prop",
    "item",
    "camera",
    "helper",
    "dummy",
    "locator",
    "null",
    "effector",
    "tag",
];

/// Whether a word in the name of a joint, a mesh or a material is that of a loose garment, in the singular or plural.
pub(crate) fn is_garment(name: &str) -> bool {
    speaks_of(&GARMENTS, name)
}

/// Whether a joint is named after a control, a target or a socket.
pub(crate) fn is_control(name: &str) -> bool {
    speaks_of(&CONTROLS, name)
}

/// Whether a joint is named after a finger or a toe.
pub(crate) fn is_digit(name: &str) -> bool {
    speaks_of(&["finger", "thumb", "toe"], name)
}

/// Whether one of the words in `name` is one of `list`, in the singular or plural.
pub(crate) fn speaks_of(list: &[&str], name: &str) -> bool {
    words(name).iter().any(|word| {
        let word = word.to_lowercase();
        let singular = word.strip_suffix('s').unwrap_or(&word);
        list.iter().any(|own| *own == word || *own == singular)
    })
}

/// Whether `joint` has a name that exporters give to the end of a bone.
pub(crate) fn is_end(cx: &Context<'_>, joint: NodeId) -> bool {
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

    #[test]
    fn garments_are_whole_words() {
        for name in [
            "Skirt_01",
            "RobeMaterial",
            "sleeves.L",
            "J_Sec_Cape",
            "Flags",
        ] {
            assert!(is_garment(name), "{name}");
        }
        for name in [
            "",
            "Landscape",
            "address",
            "escape",
            "Flagstone",
            "body",
            "Cloth_body",
            "sailor",
        ] {
            assert!(!is_garment(name), "{name}");
        }
    }

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
