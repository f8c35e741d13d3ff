//! Makes meshes fit the skins that they are used with.

use std::collections::{BTreeMap, BTreeSet};

use super::accessors::Accessors;
use super::error::GltfError;
use super::log::Log;
use super::primitives::Meshes;
use super::slots::Slots;
use crate::rig::{DefectKind, Influence, Influences, MeshId, Place, SkinId};
use crate::units::amount;

/// What meshes have been fitted to which skins.
pub(super) struct Fitting<'a> {
    accessors: &'a Accessors<'a>,
    skins: &'a [Slots],
    /// For each skin the first with the same slots, which is as good.
    alike: Vec<usize>,
    /// For each mesh of the document those of its skins that differ.
    wanted: BTreeMap<usize, BTreeSet<usize>>,
    /// What has been made for which skin.
    made: BTreeMap<(MeshId, usize), MeshId>,
}

impl<'a> Fitting<'a> {
    /// Nothing is fitted yet.
    ///
    /// * `uses` – each mesh of the document with a skin that it is used with.
    pub(super) fn new(
        accessors: &'a Accessors<'a>,
        skins: &'a [Slots],
        uses: impl Iterator<Item = (usize, SkinId)>,
    ) -> Self {
        let mut first = BTreeMap::new();
        let skins_by_number = skins.iter().enumerate();
        let alike = skins_by_number.map(|(skin, slots)| *first.entry(slots).or_insert(skin));
        let alike: Vec<usize> = alike.collect();
        let mut wanted: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (mesh, skin) in uses {
            wanted.entry(mesh).or_default().insert(alike[skin.index()]);
        }
        Self {
            accessors,
            skins,
            alike,
            wanted,
            made: BTreeMap::new(),
        }
    }

    /// The mesh `id` with weights of joints of `skin` only, by their palette slots.
    ///
    /// * `mesh` – what it is made of, by its number in the document.
    /// * `place` – of the mesh and the skin.
    pub(super) fn fit(
        &mut self,
        id: MeshId,
        mesh: usize,
        skin: SkinId,
        place: &Place,
        meshes: &mut Meshes,
        log: &mut Log,
    ) -> Result<MeshId, GltfError> {
        let alike = self.alike[skin.index()];
        if let Some(made) = self.made.get(&(id, alike)) {
            return Ok(*made);
        }
        let slots = &self.skins[alike];
        let influences = &meshes.list[id.index()].influences;
        let fits = slots.has_all() && influences.all().iter().all(|i| i.slot < slots.listed());
        let fitted = if fits {
            Fitted::default()
        } else {
            Fitted::new(influences, slots)
        };
        tell(&fitted, &meshes.facts[id.index()].idle, slots, place, log);
        let is_only_skin = self
            .wanted
            .get(&mesh)
            .is_none_or(|wanted| wanted.len() <= 1);
        let mut fitting = id;
        if fitted.differs {
            if !is_only_skin {
                fitting = self.copy(id, place, meshes)?;
            }
            meshes.list[fitting.index()].influences = fitted.influences;
        }
        self.made.insert((id, alike), fitting);
        Ok(fitting)
    }

    fn copy(&self, id: MeshId, place: &Place, meshes: &mut Meshes) -> Result<MeshId, GltfError> {
        /// At the least: a position, a normal and four influences.
        const NUMBERS_PER_VERTEX: u64 = 14;
        let original = meshes.list[id.index()].clone();
        let numbers = NUMBERS_PER_VERTEX * original.positions.len() as u64;
        let room = self.accessors.spend(numbers);
        room.map_err(|problem| GltfError::Access {
            place: place.to_string(),
            problem,
        })?;
        meshes.list.push(original);
        Ok(MeshId::from_index(meshes.list.len() - 1))
    }
}

/// The influences of a mesh with the joints of a skin.
#[derive(Default)]
struct Fitted {
    influences: Influences,
    /// Whether they are others than before.
    differs: bool,
    /// How many named a joint that the file does not list, and the first of them: vertex and joint.
    unlisted: usize,
    first: Option<(usize, u32)>,
    /// How many named a joint that it lists and does not have.
    missing: usize,
}

impl Fitted {
    fn new(influences: &Influences, slots: &Slots) -> Self {
        let mut fitted = Self::default();
        let lists = influences.iter().enumerate();
        let lists = lists.map(|(vertex, list)| fitted.vertex(vertex, list, slots));
        let influences = Influences::from_vertices(lists);
        Self {
            influences,
            ..fitted
        }
    }

    fn vertex(&mut self, vertex: usize, list: &[Influence], slots: &Slots) -> Vec<Influence> {
        let mut kept = Vec::with_capacity(list.len());
        let mut lost = 0.0;
        for &influence in list {
            if let Some(slot) = slots.of(influence.slot) {
                self.differs |= slot != influence.slot;
                kept.push(Influence { slot, ..influence });
                continue;
            }
            self.differs = true;
            lost += f64::from(influence.weight);
            if influence.slot < slots.listed() {
                self.missing += 1;
            } else {
                self.unlisted += 1;
                self.first.get_or_insert((vertex, influence.slot));
            }
        }
        if lost != 0.0 && lost.is_finite() {
            take_over(lost, &mut kept, slots);
        }
        kept
    }
}

/// Gives a lost weight to the others of its vertex, so that the sum stays that of the file; to the first joint of the
/// skin where there is no other.
fn take_over(lost: f64, kept: &mut Vec<Influence>, slots: &Slots) {
    let sum: f64 = kept.iter().map(|kept| f64::from(kept.weight)).sum();
    let factor = (sum + lost) / sum;
    #[expect(clippy::cast_possible_truncation, reason = "weights are f32")]
    if kept.is_empty() && slots.has_any() {
        let weight = lost as f32;
        kept.push(Influence { slot: 0, weight });
    } else if factor.is_finite() {
        for influence in kept {
            influence.weight = (f64::from(influence.weight) * factor) as f32;
        }
    }
}

fn tell(fitted: &Fitted, idle: &[(usize, u32)], slots: &Slots, place: &Place, log: &mut Log) {
    let mesh = place.mesh.as_deref().unwrap_or_default();
    let lost = fitted.unlisted + fitted.missing;
    if lost > 0 {
        let message = format!(
            "left out {} of joints that its skin does not have; the others of their vertices take them over",
            amount(lost, "weight")
        );
        log.notes.add(format!("mesh {mesh:?}"), message);
    }
    let listed = slots.listed();
    let idle = idle.iter().filter(|(_, joint)| *joint >= listed);
    let first_idle = idle.clone().next().copied();
    let Some((vertex, joint)) = fitted.first.or(first_idle) else {
        return;
    };
    let without = if fitted.first.is_some() {
        ""
    } else {
        ", without weight"
    };
    let message = format!("names joint {joint}{without}, and the skin has {listed}");
    let kind = DefectKind::JointIndexOutOfRange;
    let count = fitted.unlisted + idle.count();
    let place = place.clone().vertex(vertex);
    log.defects.add_many(kind, place, count, message);
}
