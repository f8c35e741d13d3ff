//! Biovision: what assimp loses of it (`BVHLoader.cpp`, `CreateAnimation`), told.

use std::path::Path;

use crate::import::text::decode;
use crate::rig::{Asset, Note};

/// Channels of a joint whose positions assimp takes.
const FULL: usize = 6;

/// Adds a note to `asset` for each joint of the Biovision file at `path` that loses its positions.
pub(super) fn note(asset: &mut Asset, path: &Path) {
    let extension = path.extension().unwrap_or_default();
    if !extension.eq_ignore_ascii_case("bvh") {
        return;
    }
    let text = decode(&std::fs::read(path).unwrap_or_default());
    asset
        .notes
        .extend(motionless(&text).into_iter().map(|joint| Note {
            place: format!("joint {joint:?}"),
            message: format!(
                "stays at its offset: assimp takes positions from joints of {FULL} channels alone"
            ),
        }));
}

/// The joints that have positions, and not six channels.
fn motionless(text: &str) -> Vec<&str> {
    let hierarchy = text.split("MOTION").next().unwrap_or_default();
    let mut words = hierarchy.split_ascii_whitespace();
    let (mut joint, mut found) = ("", Vec::new());
    while let Some(word) = words.next() {
        match word {
            "ROOT" | "JOINT" => joint = words.next().unwrap_or_default(),
            "CHANNELS" => {
                let count = words.next().and_then(|count| count.parse().ok());
                let channels = words.by_ref().take(count.unwrap_or(0).min(FULL + 1));
                let moves = channels
                    .filter(|channel| channel.ends_with("position"))
                    .count()
                    > 0;
                if moves && count != Some(FULL) {
                    found.push(joint);
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_that_lose_their_positions_are_found() {
        let joint = |kind: &str, name: &str, channels: &str| {
            format!("{kind} {name}\n{{\nOFFSET 0 1 0\nCHANNELS {channels}\n")
        };
        let file = [
            joint(
                "ROOT",
                "hips",
                "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation",
            ),
            joint("JOINT", "spine", "3 Zrotation Xrotation Yrotation"),
            joint("JOINT", "prop", "3 Xposition Yposition Zposition"),
            joint(
                "JOINT",
                "eye",
                "5 Xposition Yposition Zposition Zrotation Xrotation",
            ),
            "MOTION\nFrames: 1\nCHANNELS 1 Xposition".to_owned(),
        ];
        assert_eq!(motionless(&file.concat()), ["prop", "eye"]);
        assert!(motionless("CHANNELS 99999999999999999999 Xposition ROOT").is_empty());
    }
}
