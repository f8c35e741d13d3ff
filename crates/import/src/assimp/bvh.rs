//! Joints of Biovision files whose positions assimp does not read.

use crate::log::Notes;
use crate::text::decode;

/// The number of channels of a joint whose positions assimp reads.
const FULL: usize = 6;

/// Notes each joint of the Biovision file `bytes` that loses its positions.
pub(super) fn note_lost_positions(bytes: &[u8], notes: &mut Notes) {
    for joint in motionless(&decode(bytes)) {
        notes.add(
            format!("joint {joint:?}"),
            format!(
                "stays at its offset: assimp reads positions only for joints with {FULL} channels"
            ),
        );
    }
}

/// The joints that have position channels but not six channels in all.
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
