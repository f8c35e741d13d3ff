//! `D610`: pinched-limb.

use glam::{Mat4, Vec3};

use crate::analysis::joints::{self, Skinned};
use crate::analysis::naming::is_garment;
use crate::analysis::topology::{edge, sides, single, topology};
use crate::analysis::weighting::{axis, blend_width, blended_pair, cosine};
use crate::core::context::Analysis;
use crate::core::numbers::percents;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::pose::{model_pose, rest};
use crate::rig::{AlphaMode, InstanceId, MeshInstance, NodeId, Skin, SkinSlot};
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Sample, Through, declare_rule,
    follows,
};

/// The width that is left between two joints rotated by 139° against each other. Human knees and elbows bend by up to
/// 140°, arms are raised by as much from where they hang, and forearms twist by 90°, which leaves 0.7.
const WIDTH: Limit = Limit::new("width", 0.35, LimitRange::PART)
    .about("minimum width of a limb at a joint, over its width in the bind pose");

/// A bend, unlike a twist, that leaves this much width is reported at level info. It is what 160° leave: the heel of somebody who
/// kneels is at the hip there, and the calf hides the crease.
const CREASE: f64 = 0.17;

/// A rotation is a twist if its axis is less than 45° from the limb's.
const TWIST: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// The fewest vertices around a limb.
const RING: usize = 3;

/// A vertex is near the strongest blend with this part of its w(1 − w): at w = ½ that is from w = ⅓ to ⅔, which even half a turn
/// leaves a third of the width.
const NEAR: f32 = 8.0 / 9.0;

/// A garment is loose if it is this much wider than the limb within.
const LOOSE: f32 = 1.25;

const KEPT: Gauge = Gauge::new("width kept at a joint", ReadingUnit::Part).ideally(1.0);

declare_rule! {
    PinchedLimb, "D610", "pinched-limb", Hint, Judged, limits = &[WIDTH]
}

impl Rule for PinchedLimb {
    fn follows_from(&self) -> &'static [Follows] {
        follows![
            Through::Mended => ["B214", "W119"],
            Through::Between => ["C538"],
        ]
    }

    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, sample: &Sample<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &WIDTH);
        for blend in &cx.get::<Blends>().0 {
            let [own, above] = blend.joints;
            let matrix = |joint: NodeId, inverse_bind: &Mat4| sample.pose[joint] * *inverse_bind;
            let [own_bind, above_bind] = &blend.inverse_binds;
            let Some(cosine) = cosine(&matrix(own, own_bind), &matrix(above, above_bind)) else {
                continue;
            };
            let width = blend_width(blend.mixed, cosine);
            if !is_drawn(cx, sample, InstanceId::from_index(blend.instance)) {
                continue;
            }
            let mesh = || cx.mesh(&cx.asset.instances[blend.instance]);
            out.measure(KEPT, [width, limit], || mesh().joint_id(own));
            if width >= limit {
                continue;
            }
            let group = mesh();
            let offence = Offence::below(&group, "joint", width, limit);
            let excuse = if width >= CREASE && !blend.is_twist(sample) {
                Some("")
            } else {
                blend.is_cloth.then_some("; loose cloth")
            };
            out.add(offence.info_if(excuse.is_some()).joint(own), |subject| {
                let excuse = excuse.unwrap_or_default();
                let start = if blend.is_pinched_at_rest(limit) {
                    ", as at rest already: bound in another pose?"
                } else {
                    ""
                };
                let [width, limit] = percents(width, limit, 0);
                let degrees = libm::acosf(cosine).to_degrees();
                let message = format!(
                    "the limb is pinched to {width} % of its width, limit {limit} %: rotated {degrees:.0}° against \
                    joint {:?}{start}{excuse}",
                    joints::name(cx, above)
                );
                let subject = sample.location(subject);
                (subject.joint_id(blend.joints[0]), message)
            });
        }
    }
}

/// Vertices that two neighbouring joints share.
struct Blend {
    /// A joint, and its nearest bound ancestor.
    joints: [NodeId; 2],
    inverse_binds: [Mat4; 2],
    instance: usize,
    /// w(1 − w) of the vertex whose blend is the third strongest.
    mixed: f32,
    /// The vertices near the strongest blend, around the limb.
    vertices: Vec<usize>,
    /// Whether it is of a loose garment.
    is_cloth: bool,
    /// The cosine of the angle of its rotation at rest.
    at_rest: Option<f32>,
}

impl Blend {
    /// Whether it is narrower than `limit` at rest.
    fn is_pinched_at_rest(&self, limit: f64) -> bool {
        self.at_rest
            .is_some_and(|cosine| blend_width(self.mixed, cosine) < limit)
    }

    /// Whether the joint rotates about the limb rather than across it.
    fn is_twist(&self, sample: &Sample<'_>) -> bool {
        let origin = |bind: &Mat4| bind.as_dmat4().inverse().w_axis.truncate().as_vec3();
        let [own, above] = self.inverse_binds.each_ref().map(origin);
        let posed = |index: usize| sample.pose[self.joints[index]] * self.inverse_binds[index];
        let along = (own - above).try_normalize();
        let axis = axis(&posed(0), &posed(1));
        along
            .zip(axis)
            .is_some_and(|(along, axis)| along.dot(axis).abs() > TWIST)
    }
}

/// Whether a pose shows anything of an instance: it is not hidden, and the alpha of its material is not 0 or below the cutoff.
/// Textures, which are not read, only lower it.
fn is_drawn(cx: &Context<'_>, sample: &Sample<'_>, instance: InstanceId) -> bool {
    let material = cx.asset.mesh_of(&cx.asset[instance]).material;
    let has_coverage = material.is_none_or(|id| {
        let material = &cx.asset[id];
        match material.alpha {
            AlphaMode::Opaque => true,
            AlphaMode::Mask(cutoff) => material.base_color.w >= cutoff,
            AlphaMode::Blend => material.base_color.w > 0.0,
        }
    });
    has_coverage && sample.pose.visibility.shows(instance)
}

struct Blends(Vec<Blend>);

impl Analysis for Blends {
    fn of(cx: &Context<'_>) -> Self {
        let parents = joints::bound_parents(cx.asset);
        let rest = model_pose(cx.asset, &rest(cx.asset));
        let mut blends = Vec::new();
        let mut rings = Vec::new();
        for user in joints::skinned(cx.asset) {
            let own = &user.skin.joints;
            let mut mixes: Vec<([SkinSlot; 2], f32, usize)> = Vec::new();
            for (vertex, influences) in user.mesh.influences.iter().enumerate() {
                if let Some((pair, mixed)) = blended_pair(influences, own, &parents) {
                    mixes.push((pair, mixed, vertex));
                }
            }
            // The strongest blend of each pair first.
            mixes.sort_unstable_by(|a, b| {
                let strength = b.1.total_cmp(&a.1);
                a.0.cmp(&b.0).then(strength).then(a.2.cmp(&b.2))
            });
            let instances = &cx.asset.instances;
            let is_this = |instance: &MeshInstance| std::ptr::eq(instance, user.instance);
            let instance = instances.iter().position(is_this).unwrap_or_default();
            for all in mixes.chunk_by(|a, b| a.0 == b.0) {
                if all.len() < RING {
                    continue;
                }
                let (slots, mixed, _) = all[RING - 1];
                let near = all.iter().filter(|(_, own, _)| *own >= NEAR * mixed);
                let mut vertices: Vec<usize> = near.map(|(.., vertex)| *vertex).collect();
                vertices.sort_unstable();
                let joints = slots.map(|slot| own[slot.index()]);
                let inverse_binds = slots.map(|slot| user.skin.inverse_bind_matrices[slot.index()]);
                let posed = |index: usize| rest[joints[index]] * inverse_binds[index];
                rings.extend(Ring::of(&user, slots, &vertices, blends.len()));
                blends.push(Blend {
                    joints,
                    inverse_binds,
                    instance,
                    mixed,
                    vertices,
                    is_cloth: is_named_cloth(cx, &user, joints),
                    at_rest: cosine(&posed(0), &posed(1)),
                });
            }
        }
        rings.sort_by_key(|ring: &Ring| ring.joints);
        let limbs = rings.chunk_by(|a, b| a.joints == b.joints);
        for rings in limbs.filter(|rings| rings.len() > 1) {
            for ring in rings {
                let blend = &mut blends[ring.blend];
                let is_around =
                    |other: &Ring| other.skin == ring.skin && LOOSE * other.radius <= ring.radius;
                blend.is_cloth |= rings.iter().any(is_around) && is_open(cx, blend);
            }
        }
        Self(blends)
    }
}

/// The vertices near the strongest blend at a joint of a mesh.
struct Ring {
    joints: [NodeId; 2],
    /// Positions in different skins have different spaces.
    skin: usize,
    /// The median distance from the limb's axis.
    radius: f32,
    /// By index.
    blend: usize,
}

impl Ring {
    /// `None` if the joint is where the one above is, or nowhere.
    fn of(
        user: &Skinned<'_>,
        slots: [SkinSlot; 2],
        vertices: &[usize],
        blend: usize,
    ) -> Option<Self> {
        let Skin {
            joints,
            inverse_bind_matrices,
            ..
        } = user.skin;
        let bind = |slot: SkinSlot| joints::bind_position(&inverse_bind_matrices[slot.index()]);
        let [own, above] = slots.map(bind);
        let (own, above) = (own?.as_vec3(), above?.as_vec3());
        let along = (own - above).try_normalize()?;
        let away = |vertex: &usize| {
            let offset: Vec3 = user.mesh.positions[*vertex] - own;
            offset.reject_from_normalized(along).length()
        };
        let mut distances: Vec<f32> = vertices.iter().map(away).collect();
        let middle = distances.len() / 2;
        let (_, radius, _) = distances.select_nth_unstable_by(middle, f32::total_cmp);
        Some(Self {
            joints: slots.map(|slot| joints[slot.index()]),
            skin: user.skin_id.index(),
            radius: *radius,
            blend,
        })
    }
}

fn is_named_cloth(cx: &Context<'_>, user: &Skinned<'_>, joints: [NodeId; 2]) -> bool {
    let material = user.mesh.material.map(|id| &*cx.asset[id].name);
    let names = [cx.mesh_name(user.instance), &user.mesh.name];
    let joints = joints.map(|joint| cx.joint_name(joint));
    let mut names = names.into_iter().chain(joints).chain(material);
    names.any(is_garment)
}

/// Whether the surface that a blend is part of has an edge of a single triangle, as that of a sleeve or a skirt does.
fn is_open(cx: &Context<'_>, blend: &Blend) -> bool {
    let id = cx.asset.instances[blend.instance].mesh;
    let (mesh, topology) = (&cx.asset[id], topology(cx, id));
    let own = blend
        .vertices
        .first()
        .map(|vertex| topology.islands[*vertex]);
    let mut edges: Vec<[u32; 2]> = Vec::new();
    for corners in &mesh.triangles {
        let corners = corners.map(|corner| topology.welded[corner as usize]);
        if Some(topology.islands[corners[0] as usize]) == own {
            edges.extend(sides(corners).map(edge));
        }
    }
    !single(edges).is_empty()
}
