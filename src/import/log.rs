//! Notes and defects of a file.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::rig::{Defect, DefectKind, Evidence, Location, Note, PrimitiveId};

/// Notes for users of the model, and defects for judges of the file.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) notes: Notes,
    pub(super) defects: Defects,
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
