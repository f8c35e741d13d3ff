//! Notes on NaN and infinity in a model, which later stages tolerate but the user should know about.

use glam::Vec3;

use crate::rig::{Asset, Mesh, Node, Note, Skin};
use crate::shown::escaped;

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
    let weights = mesh.influences.all().iter();
    let weights = weights.filter(|influence| !influence.weight.is_finite());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::testing::empty_asset;

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
}
