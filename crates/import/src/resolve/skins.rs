//! Joints of skins, their bind matrices, and weights.

use std::cell::OnceCell;

use glam::{DMat4, Mat4, Vec4};

use super::rest_worlds;
use super::set_last_row;
use crate::log::Log;
use crate::rig::{
    DefectKind, Influence, Influences, Location, Mesh, MeshInstance, Node, NodeId, Part,
    PrimitiveId, Skin, SkinId, SkinSlot,
};
use crate::source;
use crate::units::amount;
use crate::vertices::f32_of;

/// The inputs for making skins.
pub(super) struct Binder<'a> {
    pub(super) joints: &'a [Node],
    /// The joint of each node.
    pub(super) ids: &'a [NodeId],
    /// The primitive of each mesh, where the format has them.
    pub(super) primitives: &'a [PrimitiveId],
    /// The location of each mesh in findings.
    pub(super) locations: &'a [Location],
    /// The kinds of defects that no file can have.
    pub(super) invented: &'static [DefectKind],
    pub(super) log: &'a mut Log,
}

/// The palette slots of a skin.
struct Slots {
    /// The slot of each joint that the skin lists; `None` if it has no node.
    of: Vec<Option<u32>>,
    /// The number of slots.
    count: u32,
    /// Whether a joint without a node has a name.
    has_orphans: bool,
}

impl Slots {
    fn new(skin: &source::Skin) -> Self {
        let mut slots = Self {
            of: Vec::with_capacity(skin.joints.len()),
            count: 0,
            has_orphans: false,
        };
        for joint in &skin.joints {
            slots.of.push(joint.node.map(|_| slots.count));
            slots.count += u32::from(joint.node.is_some());
            slots.has_orphans |= is_orphan(joint);
        }
        slots
    }
}

fn is_orphan(joint: &source::SkinJoint) -> bool {
    joint.node.is_none() && !joint.name.is_empty()
}

impl Binder<'_> {
    /// Makes the skins, without joints that have no node, and adapts the meshes to them.
    ///
    /// If several skins deform a mesh, only the weights of joints in all of them are kept, by the slots of the first.
    pub(super) fn bind(
        &mut self,
        skins: Vec<source::Skin>,
        meshes: &mut [Mesh],
        instances: &mut [MeshInstance],
    ) -> Vec<Skin> {
        let slots: Vec<Slots> = skins.iter().map(Slots::new).collect();
        let mut skins_of: Vec<Vec<usize>> = vec![Vec::new(); meshes.len()];
        for instance in &*instances {
            let skin = instance.skin.map(SkinId::index);
            skins_of[instance.mesh.index()].extend(skin);
        }
        let mut mesh_of = vec![None; skins.len()];
        for (mesh, of_mesh) in skins_of.iter_mut().enumerate() {
            of_mesh.sort_unstable();
            of_mesh.dedup();
            for &skin in &*of_mesh {
                mesh_of[skin].get_or_insert(mesh);
            }
            if let Some(&smallest) = of_mesh.iter().min_by_key(|skin| slots[**skin].count) {
                let (skin, slots) = (&skins[smallest], &slots[smallest]);
                if slots.has_orphans {
                    self.report_orphans(mesh, &meshes[mesh], skin);
                }
                let skin = (SkinId::from_index(smallest), skin);
                self.fit(mesh, &mut meshes[mesh], skin, slots);
            }
        }
        for instance in instances {
            let mesh = &meshes[instance.mesh.index()];
            let has_joints = |skin: &SkinId| slots[skin.index()].count > 0;
            if instance.skin.is_none_or(|skin| has_joints(&skin)) {
                self.report_lone(mesh, instance);
                instance.skin = instance.skin.filter(|_| !mesh.influences.is_empty());
            } else {
                let name = self.name(instance.mesh.index());
                let note = "its skin has no joint; the mesh follows its node";
                self.log.notes.add(format!("mesh {name:?}"), note);
                instance.skin = None;
            }
        }
        let worlds = OnceCell::new();
        let skins = skins
            .into_iter()
            .zip(mesh_of)
            .enumerate()
            .map(|(index, (skin, mesh))| {
                let location = self.location((SkinId::from_index(index), &skin), mesh);
                self.bound(skin, &location, &worlds)
            });
        skins.collect()
    }

    /// The name of a mesh in findings.
    fn name(&self, mesh: usize) -> &'_ str {
        self.locations[mesh].mesh.as_deref().unwrap_or_default()
    }

    /// Notes the joints of a mesh's skin that have no node.
    fn report_orphans(&mut self, index: usize, mesh: &Mesh, skin: &source::Skin) {
        let mut counts = vec![0_usize; skin.joints.len()];
        for influence in mesh.influences.all() {
            if let Some(count) = counts.get_mut(influence.slot.index()) {
                *count += 1;
            }
        }
        for (joint, count) in skin.joints.iter().zip(counts) {
            if is_orphan(joint) {
                let (name, weights) = (&joint.name, amount(count, "weight"));
                let note = format!(
                    "skipped the joint {name:?} with its {weights}, because no node has that name"
                );
                let noted = format!("mesh {:?}", self.name(index));
                self.log.notes.add(noted, note);
                let location = self.locations[index].clone().of_joint(name.as_str());
                let message = format!("the joint of {weights} does not refer to a node");
                let kind = DefectKind::JointWithoutNode;
                self.log.defects.add(kind, location, message);
            }
        }
    }

    /// Maps influences to the slots of `skin`.
    fn fit(
        &mut self,
        index: usize,
        mesh: &mut Mesh,
        (skin_id, skin): (SkinId, &source::Skin),
        slots: &Slots,
    ) {
        let listed = slots.of.len();
        let mut all = mesh.influences.all().iter();
        if slots.count as usize == listed && all.all(|one| one.slot.0 < slots.count) {
            return;
        }
        if slots.count == 0 {
            mesh.influences = Influences::default();
            return;
        }
        let mut lost = Lost::default();
        let lists = mesh
            .influences
            .iter()
            .enumerate()
            .map(|(vertex, list)| lost.without(vertex, list, skin, slots));
        let fitted = Influences::from_vertices(lists);
        mesh.influences = fitted;
        if lost.weights > 0 {
            let message = format!(
                "skipped {} of joints that its skin does not have; the other joints of their vertices take them over",
                amount(lost.weights, "weight")
            );
            let noted = format!("mesh {:?}", self.name(index));
            self.log.notes.add(noted, message);
        }
        let Some((vertex, slot)) = lost.first.or(lost.first_idle) else {
            return;
        };
        let without = if lost.first.is_some() {
            ""
        } else {
            ", without weight"
        };
        let is_known = skin.part.is_some() || !skin.name.is_empty();
        let mut location = self.locations[index].clone().vertex(vertex);
        if is_known {
            location = location.of_skin(skin_id, skin.name.as_str());
        }
        let message = format!("names joint {slot}{without}, but the skin has {listed}");
        let kind = DefectKind::JointIndexOutOfRange;
        let count = lost.unlisted;
        self.log.defects.add_many(kind, location, count, message);
    }

    /// Reports a mesh with weights but no skin, or the reverse. Unusable weights count as weights.
    fn report_lone(&mut self, mesh: &Mesh, instance: &MeshInstance) {
        if mesh.positions.is_empty() {
            return;
        }
        let message = match (instance.skin, mesh.influences.is_empty()) {
            (None, false) => "has weights and no skin",
            (Some(_), true) => "has a skin and no weights",
            _ => return,
        };
        let index = instance.mesh.index();
        let noted = format!("mesh {:?}", self.name(index));
        let note = format!("{message}: it follows its node");
        self.log.notes.add(noted, note);
        let broken = &self.log.defects.broken_weights;
        let primitive = self.primitives.get(index);
        let has_broken = primitive.is_some_and(|own| broken.contains(own));
        if instance.skin.is_none() || !has_broken {
            let joint = &self.joints[instance.node.index()];
            let location = self.locations[index]
                .clone()
                .of_node(instance.node, joint.name.as_str());
            let kind = DefectKind::SkinWithoutWeights;
            self.log.defects.add(kind, location, message);
        }
    }

    /// The skin of the joints that have a node.
    ///
    /// * `location` – of the skin.
    /// * `worlds` – `world_from_joint` at rest, computed on first use.
    fn bound(
        &mut self,
        mut skin: source::Skin,
        location: &Location,
        worlds: &OnceCell<Vec<DMat4>>,
    ) -> Skin {
        let stated = skin.inverse_binds.take();
        let is_stated = stated.is_some();
        let mut matrices = stated.unwrap_or_default();
        let noted = skin.part.clone().unwrap_or_else(|| location.to_string());
        let (joints, count) = (skin.joints.len(), matrices.len());
        if is_stated && joints != count {
            let matrices = amount(count, "inverse bind matrix");
            let message = format!("{matrices} for {}", amount(joints, "joint"));
            let part = skin.part.as_ref();
            let part = part.map(|part| Part::Path(format!("{part}.inverseBindMatrices")));
            let location = Location {
                part,
                ..location.clone()
            };
            let repaired = "; the others are bound in the rest pose";
            let defect = (DefectKind::InverseBindCount, location);
            self.log
                .repaired(noted.as_str(), defect, &message, repaired);
        }
        if count < joints {
            let worlds = worlds.get_or_init(|| rest_worlds(self.joints));
            self.fill(&mut matrices, &skin.joints, worlds);
        }
        let mut bound = Skin {
            name: skin.name,
            joints: Vec::with_capacity(joints),
            inverse_bind_matrices: Vec::with_capacity(joints),
        };
        for (joint, mut bind) in skin.joints.into_iter().zip(matrices) {
            let Some(node) = joint.node else { continue };
            let id = self.ids[node];
            let row = bind.row(3);
            if row != Vec4::W {
                if !self.invented.contains(&DefectKind::NonaffineInverseBind) {
                    let name = self.joints[id.index()].name.as_str();
                    let location = location.clone().of_node(id, name);
                    self.report_nonaffine(row, location, &noted);
                }
                set_last_row(&mut bind, Vec4::W);
            }
            bound.joints.push(id);
            bound.inverse_bind_matrices.push(bind);
        }
        bound
    }

    /// A skin without a name or a path is located by its mesh.
    ///
    /// * `mesh` – the first one that it deforms.
    fn location(&self, (id, skin): (SkinId, &source::Skin), mesh: Option<usize>) -> Location {
        match (mesh, &skin.part) {
            (Some(mesh), None) if skin.name.is_empty() => self.locations[mesh].clone(),
            (_, part) => Location {
                part: part.clone().map(Part::Path),
                ..Location::FILE.of_skin(id, skin.name.as_str())
            },
        }
    }

    /// The last row is read as 0 0 0 1.
    fn report_nonaffine(&mut self, row: Vec4, location: Location, noted: &str) {
        let [a, b, c, d] = row.to_array();
        let off = (row - Vec4::W).abs().max_element();
        let message = format!("the last row of its inverse bind matrix is {a} {b} {c} {d}");
        let kind = DefectKind::NonaffineInverseBind;
        let defects = &mut self.log.defects;
        defects.add_worst(kind, location, 1, off.into(), message);
        let message = "last rows of inverse bind matrices that are not 0 0 0 1 are read as 0 0 0 1";
        self.log.notes.add(noted, message);
    }

    /// Appends matrices until there is one per joint; each moves vertices at rest as the first one does.
    fn fill(&self, matrices: &mut Vec<Mat4>, joints: &[source::SkinJoint], worlds: &[DMat4]) {
        let world = |joint: &source::SkinJoint| Some(worlds[self.ids[joint.node?].index()]);
        let first = joints.first().and_then(world).zip(matrices.first());
        let moved = first.map(|(world, bind)| world * bind.as_dmat4());
        for joint in joints.iter().skip(matrices.len()) {
            let rest = world(joint).unwrap_or(DMat4::IDENTITY).inverse();
            let bind = moved.map_or(rest, |moved| rest * moved).as_mat4();
            let bind = Some(bind).filter(Mat4::is_finite);
            matrices.push(bind.unwrap_or(Mat4::IDENTITY));
        }
    }
}

/// The weights of a mesh on joints that its skin lacks.
#[derive(Default)]
struct Lost {
    /// How many weights other than 0 were moved to other joints.
    weights: usize,
    /// How many weights are of joints that the skin does not list.
    unlisted: usize,
    /// The first of these, as vertex and joint; else the first weight of 0.
    first: Option<(usize, SkinSlot)>,
    first_idle: Option<(usize, SkinSlot)>,
}

impl Lost {
    /// The influences of a vertex by palette slots. Joints that have a name but no node lose their influences. Any other lost
    /// weight is distributed over the vertex's other influences, so that the sum stays that of the file, or goes to the first
    /// joint of the skin if there is no other.
    fn without(
        &mut self,
        vertex: usize,
        list: &[Influence],
        skin: &source::Skin,
        slots: &Slots,
    ) -> Vec<Influence> {
        let mut kept = Vec::with_capacity(list.len());
        let mut lost = 0.0;
        for &influence in list {
            let listed = slots.of.get(influence.slot.index()).copied();
            if let Some(slot) = listed.flatten() {
                kept.push(Influence {
                    slot: SkinSlot(slot),
                    ..influence
                });
                continue;
            }
            let joint = skin.joints.get(influence.slot.index());
            if joint.is_some_and(is_orphan) {
                continue;
            }
            let is_idle = influence.weight == 0.0;
            lost += f64::from(influence.weight);
            if listed.is_none() {
                let first = if is_idle {
                    &mut self.first_idle
                } else {
                    &mut self.first
                };
                first.get_or_insert((vertex, influence.slot));
                self.unlisted += 1;
            }
            self.weights += usize::from(!is_idle);
        }
        if lost != 0.0 && lost.is_finite() {
            take_over(lost, &mut kept);
        }
        kept
    }
}

fn take_over(lost: f64, kept: &mut Vec<Influence>) {
    let sum: f64 = kept.iter().map(|kept| f64::from(kept.weight)).sum();
    let factor = (sum + lost) / sum;
    if kept.is_empty() {
        kept.push(Influence {
            slot: SkinSlot(0),
            weight: f32_of(lost),
        });
    } else if factor.is_finite() {
        for influence in kept {
            influence.weight = f32_of(f64::from(influence.weight) * factor);
        }
    }
}
