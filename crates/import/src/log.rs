//! Notes and defects of a file, and notes on what a valid model has but later stages tolerate or lose: NaN and
//! infinity, and shear.

use std::collections::{BTreeSet, HashMap, HashSet};

use glam::Vec3;

use crate::rig::{
    Asset, Channel, Clip, Defect, DefectKind, Evidence, Location, Mesh, Misread, Node, Note,
    PrimitiveId, Skeleton, Skin,
};
use crate::shown::escaped;
use crate::units::first_few;

/// Notes for users of the model, and defects for judges of the file.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) notes: Notes,
    pub(super) defects: Defects,
    /// What the importer gets wrong.
    pub(super) misread: Vec<Misread>,
}

impl Log {
    /// Adds a defect, and a note on its repair.
    ///
    /// * `noted` – the location in the note.
    /// * `repaired` – appended to the message.
    pub(super) fn repaired(
        &mut self,
        noted: impl Into<String>,
        (kind, location): (DefectKind, Location),
        message: &str,
        repaired: &str,
    ) {
        self.notes.add(noted, format!("{message}{repaired}"));
        self.defects.add(kind, location, message);
    }

    /// Adds what the importer gets wrong, and a note that says so.
    #[cfg(feature = "assimp")]
    pub(super) fn misread(&mut self, what: Misread, message: String) {
        self.notes.add("file", message);
        self.misread.push(what);
    }
}

/// The notes of one import, in the order in which they came up.
#[derive(Debug, Default)]
pub(super) struct Notes {
    list: Vec<Note>,
    /// Location and message of each of `list`.
    seen: HashSet<(String, String)>,
}

impl Notes {
    /// Adds a note, unless it exists already.
    pub(super) fn add(&mut self, location: impl Into<String>, message: impl Into<String>) {
        let (location, message) = (location.into(), message.into());
        if self.seen.insert((location.clone(), message.clone())) {
            self.list.push(Note { location, message });
        }
    }

    /// The notes.
    pub(super) fn into_inner(self) -> Vec<Note> {
        self.list
    }
}

/// The defects of one import, in the order of the first defect of each group.
///
/// One clip, mesh, skin or joint has one defect of a kind, which counts all occurrences and names the worst.
#[derive(Debug, Default)]
pub(super) struct Defects {
    list: Vec<Defect>,
    /// The index in `list` by kind and group.
    positions: HashMap<(DefectKind, Group), usize>,
    /// The primitives with a [`DefectKind::WeightSetMismatch`], which need not have kept any weights.
    pub(super) broken_weights: BTreeSet<PrimitiveId>,
}

/// The group in which defects are counted: `clip` and the like, a name, and an id where the asset has one; of a mesh also
/// the primitive, where the file has one.
type Group = (&'static str, String, Option<u32>, Option<PrimitiveId>);

impl Defects {
    /// Adds one defect.
    ///
    /// * `location` – the vertex, part and time are those of the first defect of a group.
    /// * `message` – one fragment without a full stop, such as `the triangle names vertex 17, but there are 12`.
    pub(super) fn add(&mut self, kind: DefectKind, location: Location, message: impl Into<String>) {
        self.add_many(kind, location, 1, message);
    }

    /// Adds `count` defects at once, none if it is 0; `location` and `message` describe one of them.
    pub(super) fn add_many(
        &mut self,
        kind: DefectKind,
        location: Location,
        count: usize,
        message: impl Into<String>,
    ) {
        self.add_worst(kind, location, count, 0.0, message);
    }

    /// Adds `count` defects at once, none if it is 0; `location` and `message` describe the worst of them.
    ///
    /// * `badness` – of this occurrence; larger is worse, and the first of equal ones is reported.
    pub(super) fn add_worst(
        &mut self,
        kind: DefectKind,
        location: Location,
        count: usize,
        badness: f64,
        message: impl Into<String>,
    ) {
        if count == 0 {
            return;
        }
        let key = (kind, group(&location));
        let position = *self.positions.entry(key).or_insert(self.list.len());
        let message = message.into();
        let Some(known) = self.list.get_mut(position) else {
            self.list.push(Defect {
                kind,
                location,
                count,
                badness,
                message,
            });
            return;
        };
        known.count = known.count.saturating_add(count);
        if badness > known.badness {
            known.badness = badness;
            known.location = location;
            known.message = message;
        }
    }

    /// The defects.
    ///
    /// * `examined` – every kind that was looked for in the whole file.
    pub(super) fn into_evidence(self, examined: impl IntoIterator<Item = DefectKind>) -> Evidence {
        let mut examined: Vec<DefectKind> = examined.into_iter().collect();
        examined.sort_unstable();
        examined.dedup();
        Evidence {
            examined,
            defects: self.list,
            misread: Vec::new(),
            other_axes: Vec::new(),
        }
    }
}

/// The group of a location: its clip, else its mesh, and so on. Unnamed ones are distinguished by their part.
fn group(location: &Location) -> Group {
    let ids = location.ids;
    let part = location.part.as_ref().map(ToString::to_string);
    let names = [
        ("clip", &location.clip, ids.clip.map(|id| id.0)),
        ("mesh", &location.mesh, ids.instance.map(|id| id.0)),
        ("skin", &location.skin, ids.skin.map(|id| id.0)),
        ("joint", &location.joint, ids.node.map(|id| id.0)),
        ("material", &location.material, ids.material.map(|id| id.0)),
        ("part", &part, ids.expression.map(|id| id.0)),
    ];
    let mut named = names
        .into_iter()
        .filter_map(|(what, name, id)| Some((what, name.clone()?, id, ids.primitive)));
    let group = named.find(|(_, name, ..)| !name.is_empty());
    group.unwrap_or_default()
}

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
    use crate::rig::{LocalTransform, NodeId};
    use crate::testing::{empty_asset, held};
    use crate::units::Seconds;

    #[test]
    fn a_note_is_kept_once_and_in_its_order() {
        let mut notes = Notes::default();
        for (location, message) in [("b", "odd"), ("a", "odd"), ("b", "odd")] {
            notes.add(location, message);
        }
        let locations: Vec<_> = notes.into_inner().into_iter().map(|n| n.location).collect();
        assert_eq!(locations, ["b", "a"]);
    }

    #[test]
    fn defects_of_a_clip_are_one_with_the_worst() {
        let mut defects = Defects::default();
        let kind = DefectKind::NonunitKey;
        for (joint, count, badness) in [("a", 2, 0.5), ("b", 3, 0.9), ("c", 1, 0.7)] {
            let location = Location::clip("Run").of_joint(joint);
            defects.add_worst(kind, location, count, badness, format!("off by {badness}"));
        }
        let evidence = defects.into_evidence([kind]);
        let expected = Defect {
            kind,
            location: Location::clip("Run").of_joint("b"),
            count: 6,
            badness: 0.9,
            message: "off by 0.9".into(),
        };
        assert_eq!(evidence.defects, [expected]);
    }

    #[test]
    fn groups_kinds_and_nameless_parts_are_distinguished_in_their_order() {
        let mut defects = Defects::default();
        let locations = [
            (DefectKind::ZeroQuaternion, Location::clip("b")),
            (DefectKind::ZeroQuaternion, Location::clip("a")),
            (DefectKind::NonfiniteKey, Location::clip("b")),
            (
                DefectKind::InverseBindCount,
                Location::skin("").path("skins[0]"),
            ),
            (
                DefectKind::InverseBindCount,
                Location::skin("").path("skins[1]"),
            ),
        ];
        for (kind, location) in locations.clone() {
            defects.add(kind, location, "odd");
        }
        defects.add_many(DefectKind::ZeroQuaternion, Location::clip("c"), 0, "none");
        let found: Vec<_> = defects
            .into_evidence([])
            .defects
            .into_iter()
            .map(|d| (d.kind, d.location))
            .collect();
        assert_eq!(found, locations);
    }

    #[test]
    fn examined_kinds_are_sorted_and_listed_once() {
        let (first, last) = (DefectKind::JointIndexOutOfRange, DefectKind::NonunitNormal);
        let evidence = Defects::default().into_evidence([last, first, last]);
        assert_eq!(evidence.examined, [first, last]);
    }

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
