//! The clip that is shown by default.

use std::fmt;

use crate::rig::{Asset, Clip, ClipId, Driver, Span, TrackPart};

/// The default clip, and the clips before it that show no motion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultClip {
    /// The first clip that moves; the first of all if none does.
    pub clip: ClipId,
    /// The clips before it, with the reasons. Empty if none moves.
    pub skipped: Vec<(ClipId, Idle)>,
}

/// The reason why a clip is a poor default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idle {
    /// Its name is that of a reference pose, such as `RESET` or `T-Pose`.
    ReferencePose,
    /// It drives nothing, or holds one pose.
    Motionless,
}

impl fmt::Display for Idle {
    /// Continues "the clip ...".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ReferencePose => "is named after a reference pose",
            Self::Motionless => "does not move",
        })
    }
}

/// The first clip of `asset` that is not [`idle`]; the first of all if every one is. `None` without clips.
///
/// Many exporters begin with a clip without motion: Mixamo's FBX files begin with an empty take, Godot's scenes with
/// `RESET`, and asset packs with a T-pose.
#[must_use]
pub fn default_clip(asset: &Asset) -> Option<DefaultClip> {
    let mut skipped = Vec::new();
    for (index, clip) in asset.clips.iter().enumerate() {
        let id = ClipId::from_index(index);
        match idle(clip) {
            Some(reason) => skipped.push((id, reason)),
            None => return Some(DefaultClip { clip: id, skipped }),
        }
    }
    (!asset.clips.is_empty()).then_some(DefaultClip {
        clip: ClipId(0),
        skipped: Vec::new(),
    })
}

/// The reason why `clip` is a poor default; `None` if it moves.
#[must_use]
pub fn idle(clip: &Clip) -> Option<Idle> {
    if names_reference_pose(&clip.name) {
        return Some(Idle::ReferencePose);
    }
    let moves = clip.duration().0 > 0.0 && clip.drivers().any(|driver| moves(&driver));
    (!moves).then_some(Idle::Motionless)
}

/// Names of reference poses, in lower case and without word separators.
const REFERENCE_POSES: [&str; 8] = [
    "reset", "tpose", "0pose", "0tpose", "apose", "bind", "bindpose", "restpose",
];

/// Exporters put the armature's name before a `|` or `:`; a suffix of digits numbers copies (`T-Pose.001`).
fn names_reference_pose(name: &str) -> bool {
    let own = name.rsplit(['|', ':']).next().unwrap_or(name);
    let letters = own.chars().filter(|c| c.is_alphanumeric());
    let folded: String = letters.flat_map(char::to_lowercase).collect();
    let stem = folded.trim_end_matches(|c: char| c.is_ascii_digit());
    REFERENCE_POSES.contains(&stem)
}

/// Relative differences below this are noise of an exporter that samples a constant.
const NOISE: f32 = 1e-5;

/// Whether the driven value changes: between keys, or by tangents.
fn moves(driver: &Driver<'_>) -> bool {
    let track = driver.track;
    let Some(first) = (track.count() > 0).then(|| track.value(0)) else {
        return false;
    };
    let differs = |key: usize| {
        let value = track.value(key);
        let negated = driver.part == TrackPart::Rotation && dot(first, value) < 0.0;
        apart(first, value, if negated { -1.0 } else { 1.0 })
    };
    let curves = |key: usize| match track.span(key) {
        Span::Cubic { leave, arrive } => {
            leave.iter().chain(arrive).any(|slope| slope.abs() > NOISE)
        }
        Span::Step | Span::Linear => false,
    };
    let count = track.count();
    (1..count).any(|key| differs(key) || curves(key - 1))
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// * `sign` – multiplies `b`: a quaternion and its negative are the same rotation.
fn apart(a: &[f32], b: &[f32], sign: f32) -> bool {
    let largest = a
        .iter()
        .chain(b)
        .fold(0.0, |most: f32, v| most.max(v.abs()));
    a.iter()
        .zip(b)
        .any(|(a, b)| (a - sign * b).abs() > NOISE * largest)
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::rig::{AssetBuilder, Trs};

    /// A joint, and a clip for each name that rotates it by an angle within a second.
    fn asset(clips: &[(&str, f32)]) -> Asset {
        let mut rig = AssetBuilder::new();
        let joint = rig.node("joint", None, Trs::IDENTITY);
        for (name, angle) in clips {
            let clip = rig.clip(name);
            let rotated = Quat::from_axis_angle(Vec3::X, *angle);
            rig.rotate(clip, joint, [(0.0, Quat::IDENTITY), (1.0, rotated)]);
        }
        rig.build().unwrap()
    }

    #[test]
    fn an_empty_or_constant_first_clip_is_skipped() {
        let chosen = default_clip(&asset(&[("Take 001", 0.0), ("mixamo.com", 1.0)])).unwrap();
        assert_eq!(chosen.clip, ClipId(1));
        assert_eq!(chosen.skipped, [(ClipId(0), Idle::Motionless)]);
        let mut empty = asset(&[("Take 001", 1.0), ("Walk", 1.0)]);
        empty.clips[0].channels.clear();
        assert_eq!(default_clip(&empty).unwrap().clip, ClipId(1));
    }

    #[test]
    fn a_reference_pose_is_known_by_its_name() {
        for name in [
            "RESET",
            "T-Pose",
            "TPose",
            "tpose.001",
            "0_pose",
            "0_T-Pose",
            "bind",
            "Bind Pose",
            "Armature|T-Pose",
            "rig:A_Pose",
        ] {
            let chosen = default_clip(&asset(&[(name, 1.0), ("Walk", 1.0)])).unwrap();
            assert_eq!(chosen.clip, ClipId(1), "{name}");
            assert_eq!(chosen.skipped, [(ClipId(0), Idle::ReferencePose)]);
        }
        for name in [
            "Idle",
            "Binding",
            "Reset_Gun",
            "Pose",
            "Dance T-pose end",
            "Walk",
        ] {
            assert_eq!(idle(&asset(&[(name, 1.0)]).clips[0]), None, "{name}");
        }
    }

    #[test]
    fn the_first_clip_is_shown_where_none_moves() {
        let chosen = default_clip(&asset(&[("RESET", 1.0), ("still", 0.0)])).unwrap();
        assert_eq!((chosen.clip, chosen.skipped.len()), (ClipId(0), 0));
        assert_eq!(default_clip(&asset(&[])), None);
    }

    #[test]
    fn a_constant_sampled_with_both_signs_of_a_quaternion_does_not_move() {
        let mut asset = asset(&[("Take 001", 0.0), ("Walk", 1.0)]);
        let track = asset.clips[0].channels[0].rotation.as_mut().unwrap();
        track.keys[1].value = -track.keys[1].value;
        assert_eq!(idle(&asset.clips[0]), Some(Idle::Motionless));
    }

    #[test]
    fn motion_is_relative_to_the_size_of_values() {
        assert!(apart(&[1e-6], &[2e-6], 1.0));
        assert!(!apart(&[1e6], &[1e6 + 1.0], 1.0));
    }

    #[test]
    fn tangents_alone_move() {
        let mut asset = asset(&[("Sway", 0.0)]);
        let track = asset.clips[0].channels[0].rotation.as_mut().unwrap();
        let slope = Quat::from_xyzw(1.0, 0.0, 0.0, 0.0);
        track.keys[0].span = Span::Cubic {
            leave: slope,
            arrive: slope,
        };
        assert_eq!(idle(&asset.clips[0]), None);
    }
}
