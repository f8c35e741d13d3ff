//! `W114`: far-influence.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use glam::{DVec3, Vec3};

use crate::analysis::joints::{self, Skinned};
use crate::analysis::size;
use crate::analysis::topology::{Topology, topology};
use crate::core::numbers::beside;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::groups::Groups;
use crate::lists::value_of;
use crate::rig::{Asset, Influence, Influences, Mesh, SkinSlot};
use crate::rules::weights::bones::Bones;
use crate::shown::escaped;
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Through, declare_rule, follows,
};

/// Relative to the diagonal. On a standing character it is about the length of a leg: anything that far from a bone,
/// its parent and its children is on another limb.
const DISTANCE: Limit = Limit::new("distance", 0.35, LimitRange::FROM_ZERO)
    .about("distance from the bone and its neighbours, in diagonals");

/// A joint that moves by a tenth of the diagonal moves a vertex with this weight by 0.5 % of the diagonal, which is
/// visible.
const LEAST_WEIGHT: Limit =
    Limit::new("least_weight", 0.05, LimitRange::PART).about("minimum weight of an influence");

/// A bone is "much nearer" at up to this fraction of the distance.
const NEARER: f64 = 0.25;

const FAR: Gauge = Gauge::new(
    "distance of a vertex from its joint",
    ReadingUnit::Diagonals,
);

declare_rule! {
    FarInfluence, "W114", "far-influence", Hint, Judged,
    limits = &[DISTANCE, LEAST_WEIGHT], attribute = Some("JOINTS_0")
}

impl Rule for FarInfluence {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Mended => ["B214", "W119"], Through::Vertices => ["W105"]]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let mut pieces = MOST_PIECES;
        for body in bodies(cx) {
            let skinned = body.skinned;
            let group = cx.mesh(skinned.instance);
            let reach = body.reach();
            // Far from its joint is the tip of a limb, too, but there no other joint is near.
            let near = reach
                .near
                .filter(|(vertex, distance)| body.nearer(*vertex, *distance).is_some());
            if let Some((vertex, distance)) = near {
                out.measure(FAR, [distance, body.limit], || group.clone().vertex(vertex));
            }
            if pieces == 0 || !reach.has_far {
                continue;
            }
            for stray in body.strays(&mut pieces) {
                let far = stray.distance;
                out.measure(FAR, [far, body.limit], || {
                    group.clone().vertex(stray.vertex)
                });
                let offence = Offence::above(&group, "vertex", far, body.limit);
                out.add_many(offence.vertices(&stray.vertices), stray.vertices.len(), |subject| {
                    let (joint, nearer) = (stray.influence.slot, stray.nearer);
                    let [joint, nearer] = [joint.index(), nearer].map(|slot| {
                        escaped(cx.joint_name(skinned.skin.joints[slot]))
                    });
                    let far = beside(far, body.limit, 2);
                    let message = format!(
                        "is influenced by joint \"{joint}\", {far} diagonals away, limit {}, while the nearer joint \"{nearer}\" has no weight",
                        body.limit
                    );
                    let joint = Some(stray.influence.slot);
                    (cx.at_weight(subject, skinned.instance, stray.vertex, joint), message)
                });
            }
        }
    }
}

/// A mesh with its bones.
struct Body<'a> {
    skinned: Skinned<'a>,
    skeleton: Rc<Skeleton>,
    topology: Arc<Topology>,
    /// In diagonals.
    limit: f64,
    least: f32,
}

/// The data that all meshes of a skin share.
struct Skeleton {
    bones: Bones,
    /// For each slot, whether it deforms a mesh of the skin.
    deforms: Vec<bool>,
    /// The diagonal of the box around the joints of the skin and all meshes that it deforms, in mesh space: a glove
    /// counts as large as the body that shares its skin.
    diagonal: f64,
}

/// One per mesh and skin. The bodies of only one skin exist at a time, to save memory.
fn bodies<'a>(cx: &Context<'a>) -> impl Iterator<Item = Body<'a>> {
    let by_skin = joints::skinned_by_skin(cx.asset).into_iter();
    let used = by_skin.filter(|users| !users.is_empty());
    used.flat_map(move |users| {
        let skeleton = Rc::new(Skeleton::of(cx.asset, &users));
        let bodies = users.into_iter();
        bodies.map(move |skinned| Body::of(cx, skinned, &skeleton))
    })
}

impl Skeleton {
    /// Computes it for all meshes of one skin.
    fn of(asset: &Asset, users: &[Skinned<'_>]) -> Self {
        let skin = users[0].skin;
        let bones = Bones::of(asset, skin);
        let mut deforms = vec![false; skin.joints.len()];
        for influence in users.iter().flat_map(|user| user.mesh.influences.all()) {
            deforms[influence.slot.index()] |= influence.weight > 0.0;
        }
        let vertices = users.iter().flat_map(|user| &user.mesh.positions);
        let joints = bones.joints.iter().flatten().map(|joint| joint.as_vec3());
        let locations: Vec<Vec3> = vertices.copied().chain(joints).collect();
        Self {
            diagonal: size::diagonal(&locations),
            bones,
            deforms,
        }
    }
}

/// How far vertices are from the joints that they follow, in diagonals.
struct Reach {
    /// The farthest within the limit, and its distance.
    near: Option<(usize, f64)>,
    /// Whether one is beyond the limit.
    has_far: bool,
}

/// A region that follows a distant joint.
struct Stray {
    vertex: usize,
    influence: Influence,
    /// In diagonals.
    distance: f64,
    nearer: usize,
    /// Its vertices.
    vertices: Vec<u32>,
}

impl<'a> Body<'a> {
    #[expect(clippy::cast_possible_truncation, reason = "weights are f32")]
    fn of(cx: &Context<'_>, skinned: Skinned<'a>, skeleton: &Rc<Skeleton>) -> Self {
        Self {
            skinned,
            skeleton: Rc::clone(skeleton),
            topology: Arc::clone(topology(cx, skinned.instance.mesh)),
            limit: cx.limit(&FarInfluence::META, &DISTANCE),
            least: cx.limit(&FarInfluence::META, &LEAST_WEIGHT) as f32,
        }
    }

    /// How far vertices are from joints that they follow. Meshes with far ones are rare, and only they need a closer look.
    fn reach(&self) -> Reach {
        let mut reach = Reach {
            near: None,
            has_far: false,
        };
        let lists = self.skinned.mesh.influences.iter().enumerate();
        for (vertex, list) in lists {
            for influence in list.iter().filter(|own| own.weight >= self.least) {
                let Some(distance) = self.distance(vertex, *influence) else {
                    continue;
                };
                if distance > self.limit {
                    reach.has_far = true;
                } else if reach.near.is_none_or(|(_, near)| distance > near) {
                    reach.near = Some((vertex, distance));
                }
            }
        }
        reach
    }

    /// The distance in diagonals, if it is too large.
    fn far(&self, vertex: usize, influence: Influence) -> Option<f64> {
        let distance = self.distance(vertex, influence)?;
        (distance > self.limit).then_some(distance)
    }

    /// In diagonals. G801 reports vertices without a finite position.
    fn distance(&self, vertex: usize, influence: Influence) -> Option<f64> {
        let point = self.position(vertex);
        let bones = &self.skeleton.bones;
        let distance = bones.distance_with_neighbours(influence.slot.index(), point)?;
        point
            .is_finite()
            .then_some(distance / self.skeleton.diagonal)
    }

    fn position(&self, vertex: usize) -> DVec3 {
        self.skinned.mesh.positions[vertex].as_dvec3()
    }

    /// Sorted by first vertex.
    ///
    /// * `most` – the number of regions that may still be examined.
    fn strays(&self, most: &mut usize) -> Vec<Stray> {
        let mesh = self.skinned.mesh;
        let regions = Regions::of(&mesh.influences, &self.topology, self.least);
        // For each region, its vertices and the farthest of them; `None` if one of them is near.
        let mut pieces = vec![Some((Vec::new(), 0, 0.0)); regions.influences.len()];
        for (number, &piece) in regions.pieces.iter().enumerate() {
            let (vertex, influence) = regions.influences[number];
            let Some((mut vertices, farthest, distance)) = pieces[piece].take() else {
                continue;
            };
            pieces[piece] = self.far(vertex, influence).map(|here| {
                vertices.extend(u32::try_from(vertex));
                if here > distance {
                    (vertices, number, here)
                } else {
                    (vertices, farthest, distance)
                }
            });
        }
        let props = props(&self.topology, mesh, self.skinned.skin.joints.len());
        let stray = |(vertices, farthest, distance): (Vec<u32>, usize, f64)| {
            let (vertex, influence) = regions.influences[farthest];
            let is_prop = props[influence.slot.index()].is_some_and(|[low, high]| {
                let position = mesh.positions[vertex];
                position.clamp(low, high) == position
            });
            let nearer = self.nearer(vertex, distance).filter(|_| !is_prop)?;
            Some(Stray {
                vertex,
                influence,
                distance,
                nearer,
                vertices,
            })
        };
        let found: Vec<_> = pieces
            .into_iter()
            .flatten()
            .filter(|(vertices, ..)| !vertices.is_empty())
            .take(*most)
            .collect();
        *most -= found.len();
        found.into_iter().filter_map(stray).collect()
    }

    /// The nearest joint that deforms the mesh and has no weight at `vertex`, if it is much nearer than `distance`.
    fn nearer(&self, vertex: usize, distance: f64) -> Option<usize> {
        let point = self.position(vertex);
        let own = self.skinned.mesh.influences.of(vertex);
        let skeleton = &self.skeleton;
        let is_free = |slot: &usize| {
            let weighted =
                |influence: &Influence| influence.slot.index() == *slot && influence.weight != 0.0;
            skeleton.deforms[*slot] && !own.iter().any(weighted)
        };
        let slots = (0..skeleton.deforms.len()).filter(is_free);
        let locations = slots.map(|slot| (skeleton.bones.distance(slot, point), slot));
        let nearest = locations.min_by(|a, b| a.0.total_cmp(&b.0));
        let (near, slot) = nearest?;
        (near <= NEARER * distance * skeleton.diagonal).then_some(slot)
    }
}

/// The number of regions of a model that are compared with all joints. If there are more, the weights are noise, and
/// any region shows that.
const MOST_PIECES: usize = 4096;

/// The part of a piece's weight that its owner has.
const OWNED: f64 = 0.9;

/// For each slot that nearly all of an island follows, as a prop or the body of a car does, the box around all of these islands.
fn props(topology: &Topology, mesh: &Mesh, slots: usize) -> Vec<Option<[Vec3; 2]>> {
    let mut weights: Vec<Vec<(SkinSlot, f64)>> = vec![Vec::new(); topology.island_count()];
    for (list, &island) in mesh.influences.iter().zip(&topology.islands) {
        for influence in list {
            let weight = value_of(&mut weights[island as usize], influence.slot);
            *weight += f64::from(influence.weight);
        }
    }
    let owner = |weights: &Vec<(SkinSlot, f64)>| {
        let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
        let owner = weights
            .iter()
            .find(|(_, weight)| *weight >= OWNED * total)?;
        Some(owner.0)
    };
    let owners: Vec<Option<SkinSlot>> = weights.iter().map(owner).collect();
    let mut props: Vec<Option<[Vec3; 2]>> = vec![None; slots];
    for (position, &island) in mesh.positions.iter().zip(&topology.islands) {
        if let Some(owner) = owners[island as usize] {
            let ends = props[owner.index()].get_or_insert([*position; 2]);
            *ends = [ends[0].min(*position), ends[1].max(*position)];
        }
    }
    props
}

/// The influences of all vertices in one list, joined into pieces: influences of one joint at vertices that share an
/// edge or a position.
#[derive(Debug)]
struct Regions {
    /// Each vertex and influence, in the order of vertices.
    influences: Vec<(usize, Influence)>,
    /// For each influence, the first one of its region.
    pieces: Vec<usize>,
}

impl Regions {
    /// Computes it for all influences of at least `least`.
    fn of(lists: &Influences, topology: &Topology, least: f32) -> Self {
        let mut influences = Vec::new();
        let mut starts = Vec::with_capacity(lists.vertex_count() + 1);
        for (vertex, list) in lists.iter().enumerate() {
            starts.push(influences.len());
            let strong = list.iter().filter(|influence| influence.weight >= least);
            influences.extend(strong.map(|influence| (vertex, *influence)));
            influences[starts[vertex]..].sort_by_key(|(_, influence)| influence.slot);
        }
        starts.push(influences.len());
        let mut groups = Groups::new(influences.len());
        let seams = topology.seams();
        let edges = topology
            .edges
            .iter()
            .map(|edge| edge.map(|vertex| vertex as usize));
        for [a, b] in edges.chain(seams) {
            let both = [starts[a]..starts[a + 1], starts[b]..starts[b + 1]];
            join(&mut groups, &influences, both);
        }
        let pieces = 0..influences.len();
        Self {
            pieces: pieces.map(|own| groups.of(own) as usize).collect(),
            influences,
        }
    }
}

/// Joins the influences of the same joints at two vertices; both ranges are sorted by joint.
fn join(
    groups: &mut Groups,
    influences: &[(usize, Influence)],
    [mut from, mut to]: [Range<usize>; 2],
) {
    while !from.is_empty() && !to.is_empty() {
        let (a, b) = (from.start, to.start);
        let [joint_a, joint_b] = [a, b].map(|influence| influences[influence].1.slot);
        if joint_a == joint_b {
            groups.join(a, b);
        }
        from.start += usize::from(joint_a <= joint_b);
        to.start += usize::from(joint_b <= joint_a);
    }
}

#[cfg(test)]
mod tests;
