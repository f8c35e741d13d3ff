//! Shear that a clip loses: the rest transform of a joint is a sheared matrix, but the clip drives its parts.

use crate::rig::{Asset, Channel, Clip, Note, Skeleton};
use crate::shown::escaped;

/// Names that a note lists at most.
const LISTED: usize = 5;

/// Adds a note for every clip that removes shear from joints.
pub(super) fn note_what_is_lost(asset: &mut Asset) {
    let (skeleton, clips) = (&asset.skeleton, asset.clips.iter());
    let notes: Vec<Note> = clips.filter_map(|clip| of_clip(clip, skeleton)).collect();
    asset.notes.extend(notes);
}

fn of_clip(clip: &Clip, skeleton: &Skeleton) -> Option<Note> {
    let losing = clip
        .channels
        .iter()
        .filter(|channel| is_by_some_parts(channel));
    let joints = losing.filter_map(|channel| skeleton.get(channel.node));
    let names: Vec<&str> = joints
        .filter(|joint| joint.rest.is_sheared())
        .map(|joint| joint.name.as_str())
        .collect();
    lost(&names).map(|lost| Note {
        location: format!("clip \"{}\"", escaped(&clip.name)),
        message: format!("drives parts of sheared matrices, {lost}"),
    })
}

/// Whether the channel drives some parts but not all, so that the others come from the rest transform.
fn is_by_some_parts(channel: &Channel) -> bool {
    let parts = [
        channel.translation.is_some(),
        channel.rotation.is_some(),
        channel.scale.is_some(),
    ];
    parts.contains(&true) && parts.contains(&false)
}

/// A message that lists the joints that lose shear; `None` without any.
pub(super) fn lost(names: &[&str]) -> Option<String> {
    let shown = names.iter().take(LISTED);
    let shown: Vec<String> = shown.map(|name| format!("\"{}\"", escaped(name))).collect();
    let more = match names.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!names.is_empty()).then(|| format!("whose shear is lost: {}{more}", shown.join(", ")))
}

#[cfg(test)]
mod tests {
    use glam::{Mat4, Quat, Vec3};

    use super::*;
    use crate::import::testing::{empty_asset, held};
    use crate::rig::{LocalTransform, Node, NodeId, TickRate};
    use crate::units::Seconds;

    /// Notes on a clip that turns a joint at rest at `rest`, and as `more` says.
    fn notes(rest: Mat4, more: impl FnOnce(&mut Channel)) -> Vec<Note> {
        let joint = Node {
            name: "arm".into(),
            parent: None,
            rest: LocalTransform::Matrix(rest),
        };
        let mut channel = Channel {
            rotation: Some(held(Quat::IDENTITY)),
            ..Channel::of(NodeId(0))
        };
        more(&mut channel);
        let clip = Clip {
            name: "Turn".into(),
            start: Seconds::ZERO,
            end: Seconds(1.0),
            rate: TickRate::SECONDS,
            channels: vec![channel],
            morph_channels: vec![],
        };
        let mut asset = Asset {
            skeleton: Skeleton::new(vec![joint]).unwrap(),
            clips: vec![clip],
            ..empty_asset()
        };
        note_what_is_lost(&mut asset);
        asset.notes
    }

    #[test]
    fn a_clip_that_keeps_parts_of_a_sheared_matrix_is_noted() {
        let mut sheared = Mat4::IDENTITY;
        sheared.y_axis.x = 0.5;
        let [note] = &notes(sheared, |_| {})[..] else {
            panic!("one note is expected")
        };
        assert_eq!(note.location, "clip \"Turn\"");
        assert!(note.message.contains("shear is lost: \"arm\""), "{note:?}");
        assert_eq!(notes(Mat4::IDENTITY, |_| {}), []);
        let whole = |channel: &mut Channel| {
            channel.translation = Some(held(Vec3::ZERO));
            channel.scale = Some(held(Vec3::ONE));
        };
        assert_eq!(notes(sheared, whole), [], "nothing of the rest is left");
        let matrix = |channel: &mut Channel| {
            channel.rotation = None;
            channel.matrix = Some(held(sheared));
        };
        assert_eq!(notes(sheared, matrix), []);
    }
}
