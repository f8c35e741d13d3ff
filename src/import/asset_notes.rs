//! Notes on what a valid model has but later stages tolerate or lose: NaN and infinity, and shear.

use glam::Vec3;

use crate::rig::{Asset, Channel, Clip, Mesh, Node, Note, Skeleton, Skin};
use crate::shown::escaped;
use crate::units::first_few;

/// Adds a note for every mesh, skin and joint with values that are not finite.
pub(super) fn note_what_is_not_finite(asset: &mut Asset) {
    let meshes = asset.meshes.iter().enumerate().flat_map(of_mesh);
    let skins = asset.skins.iter().enumerate().filter_map(of_skin);
    let joints = asset.skeleton.nodes().iter().enumerate();
    let notes: Vec<Note> = meshes
        .chain(skins)
        .chain(joints.filter_map(of_joint))
        .collect();
    asset.notes.extend(notes);
}

fn of_mesh((index, mesh): (usize, &Mesh)) -> Vec<Note> {
    let location = || format!("mesh {index} \"{}\"", escaped(&mesh.name));
    let count = |points: &[Vec3]| points.iter().filter(|point| !point.is_finite()).count();
    let weights = mesh
        .influences
        .all()
        .iter()
        .filter(|influence| !influence.weight.is_finite());
    let counts = [
        ("positions", count(&mesh.positions)),
        ("normals", count(&mesh.normals)),
        ("weights", weights.count()),
    ];
    let broken = counts.into_iter().filter(|(_, count)| *count > 0);
    broken
        .map(|(what, count)| note(location(), &format!("{count} {what}")))
        .collect()
}

fn of_skin((index, skin): (usize, &Skin)) -> Option<Note> {
    let matrices = skin.inverse_bind_matrices.iter();
    let count = matrices.filter(|matrix| !matrix.is_finite()).count();
    let location = format!("skin {index} \"{}\"", escaped(&skin.name));
    (count > 0).then(|| note(location, &format!("{count} inverse bind matrices")))
}

fn of_joint((index, joint): (usize, &Node)) -> Option<Note> {
    let finite = joint.rest.to_matrix().is_finite();
    let location = format!("joint {index} \"{}\"", escaped(&joint.name));
    (!finite).then(|| note(location, "the rest transform"))
}

fn note(location: String, what: &str) -> Note {
    Note {
        location,
        message: format!(
            "not finite (NaN or infinite): {what}; anything that depends on it is unreliable"
        ),
    }
}

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
    let quoted = names.iter().map(|name| format!("\"{}\"", escaped(name)));
    let listed = first_few(quoted, LISTED);
    (!names.is_empty()).then(|| format!("whose shear is lost: {listed}"))
}

#[cfg(test)]
mod tests {
    use glam::{Mat4, Quat};

    use super::*;
    use crate::import::testing::{empty_asset, held};
    use crate::rig::{LocalTransform, NodeId};
    use crate::units::Seconds;

    #[test]
    fn a_nan_vertex_is_noted_with_its_mesh() {
        let mut asset = empty_asset();
        asset.meshes.push(Mesh {
            name: "arm".into(),
            positions: vec![Vec3::ZERO, Vec3::NAN],
            ..Mesh::default()
        });
        note_what_is_not_finite(&mut asset);
        let [note] = &asset.notes[..] else {
            panic!("{:?}", asset.notes)
        };
        assert_eq!(note.location, "mesh 0 \"arm\"");
        assert!(note.message.contains("1 positions"), "{}", note.message);
    }

    #[test]
    fn a_sound_model_gets_no_note() {
        let mut asset = empty_asset();
        asset.meshes.push(Mesh {
            positions: vec![Vec3::ONE],
            ..Mesh::default()
        });
        note_what_is_not_finite(&mut asset);
        assert!(asset.notes.is_empty());
    }

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
            channels: vec![channel],
            ..Clip::new("Turn", Seconds(1.0))
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
