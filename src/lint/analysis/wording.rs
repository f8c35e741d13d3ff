//! What the words in names tell: garments, fingers, controls.

use crate::lint::analysis::sides::words;

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
pub(in crate::lint) fn is_garment(name: &str) -> bool {
    speaks_of(&GARMENTS, name)
}

/// Whether a joint is named after a control, a target or a socket.
pub(in crate::lint) fn is_control(name: &str) -> bool {
    speaks_of(&CONTROLS, name)
}

/// Whether a joint is named after a finger or a toe.
pub(in crate::lint) fn is_digit(name: &str) -> bool {
    speaks_of(&["finger", "thumb", "toe"], name)
}

/// Whether one of the words in `name` is one of `list`, in the singular or plural.
pub(in crate::lint) fn speaks_of(list: &[&str], name: &str) -> bool {
    words(name).iter().any(|word| {
        let word = word.to_lowercase();
        let singular = word.strip_suffix('s').unwrap_or(&word);
        list.iter().any(|own| *own == word || *own == singular)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
