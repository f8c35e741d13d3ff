//! `D611`: crossed-limbs.

use glam::{Mat4, Vec3};

use crate::lint::analysis::joints;
use crate::lint::analysis::motion::Source;
use crate::lint::core::context::Analysis;
use crate::lint::core::numbers::percents;
use crate::lint::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Sample, Through, declare_rule,
    follows,
};
use crate::rig::{MeshInstance, NodeId};

/// Hands on hips, crossed arms and thick thighs overlap by less than half of a limb. Beyond that, one limb sticks out
/// of the other on the far side.
const DISTANCE: Limit = Limit::new("distance", 0.4, LimitRange::PART)
    .about("minimum distance between the axes of two limbs, over the radius of the thicker one");

declare_rule! {
    CrossedLimbs, "D611", "crossed-limbs", Warning, limits = &[DISTANCE]
}

impl Rule for CrossedLimbs {
    fn follows_from(&self) -> &'static [Follows] {
        follows![
            Through::Model => ["W119", "H314"],
            Through::Clips => ["C532"],
            Through::Between => ["C538"],
        ]
    }

    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, sample: &Sample<'_>, out: &mut Findings) {
        let limbs = cx.get::<Limbs>();
        // Joints that are rotated one at a time hit limbs that a motion would avoid.
        let in_clip = matches!(sample.source, Source::Clip(..));
        if limbs.pairs.is_empty() || !sample.sparse || !in_clip {
            return;
        }
        let limit = cx.limit(&Self::META, &DISTANCE);
        let posed: Vec<Posed> = limbs.list.iter().map(|limb| posed(limb, sample)).collect();
        for [a, b] in &limbs.pairs {
            let (one, other) = (&posed[*a], &posed[*b]);
            let radius = one.radius.max(other.radius);
            // Most pairs are far apart.
            let reach = one.reach + other.reach + radius;
            let is_near = one.middle.distance_squared(other.middle) < reach * reach;
            let distance = || f64::from(apart(one.axis, other.axis) / radius);
            let Some(distance) = is_near.then(distance).filter(|distance| *distance < limit) else {
                continue;
            };
            let group = cx.mesh(&cx.asset.instances[limbs.list[*a].instance]);
            let crossed = [*a, *b].map(|limb| limbs.list[limb].joint);
            let offence = Offence::below(&group, "pair", distance, limit);
            out.add(offence.joints(&crossed), |subject| {
                let [percent, limit] = percents(distance, limit, 0);
                let message = format!(
                    "passes through the limb of joint {:?}: their axes are {percent} % of the thicker one's radius \
                    apart, limit {limit} %",
                    joints::name(cx, limbs.list[*b].joint)
                );
                let subject = sample.subject(subject);
                let joints = [a, b].map(|limb| limbs.list[*limb].joint);
                (subject.of_joint(joints[0]), message)
            });
        }
    }
}

/// A limb in a pose.
struct Posed {
    axis: [Vec3; 2],
    middle: Vec3,
    /// Half the length of the axis.
    reach: f32,
    radius: f32,
}

fn posed(limb: &Limb, sample: &Sample<'_>) -> Posed {
    let matrix: Mat4 = sample.pose[limb.joint] * limb.inverse_bind;
    let axis = limb.axis.map(|end| matrix.transform_point3(end));
    let across = limb
        .across
        .map(|across| matrix.transform_vector3(across).length());
    Posed {
        middle: axis[0].midpoint(axis[1]),
        reach: 0.5 * axis[0].distance(axis[1]),
        // The smaller radius, if the joint is scaled.
        radius: limb.radius * across[0].min(across[1]),
        axis,
    }
}

/// A joint owns a vertex with more than this weight.
const OWNED: f32 = 0.5;

/// Fewer vertices are not a limb.
const FEWEST: usize = 8;

/// The ends of a limb: vertices before and after these quantiles along the axis.
const ENDS: [f32; 2] = [0.1, 0.9];

/// The radius of a limb is this quantile of the distances from its axis. For a flat chest it is half of its thickness,
/// not of its width.
const THIN: f32 = 0.25;

/// Tubes closer together in the bind pose than this many times the sum of their radii touch: a limb is thicker than
/// its radius in most places.
const TOUCHES: f32 = 2.0;

/// Joints that are fewer steps apart in the hierarchy are neighbours: a limb folds back onto the part it is attached
/// to.
const STEPS: usize = 3;

/// Limbs within this part of the model around a joint above both are a hand, a foot or a face, which fold onto themselves: a fist
/// is crossed limbs on purpose. A hand is a ninth of a body.
const HAND: f32 = 0.12;

/// A limb that is shorter than this part of the model is the joint of a finger, and what a hand touches, it may overlap.
const FINGER: f32 = 0.04;

/// More limbs are not a character; pairs grow with their square.
const MOST: usize = 512;

/// The surface that follows one joint.
struct Limb {
    joint: NodeId,
    /// By position.
    skin: usize,
    inverse_bind: Mat4,
    instance: usize,
    /// In mesh space, in the bind pose.
    axis: [Vec3; 2],
    /// Two directions across the axis.
    across: [Vec3; 2],
    radius: f32,
}

/// The limbs of a model.
struct Limbs {
    list: Vec<Limb>,
    /// The pairs that are apart in the bind pose.
    pairs: Vec<[usize; 2]>,
}

impl Analysis for Limbs {
    fn of(cx: &Context<'_>) -> Self {
        let slots = cx.asset.skins.iter().map(|skin| skin.joints.len());
        let mut owned: Vec<Vec<(usize, Vec<Vec3>)>> =
            slots.map(|slots| vec![(0, Vec::new()); slots]).collect();
        for user in joints::skinned(cx.asset) {
            let is_this = |instance: &MeshInstance| std::ptr::eq(instance, user.instance);
            let instance = cx.asset.instances.iter().position(is_this);
            let owned = &mut owned[user.skin_id.index()];
            for (position, influences) in
                user.mesh.positions.iter().zip(user.mesh.influences.iter())
            {
                let owner = influences.iter().find(|influence| influence.weight > OWNED);
                if let Some(owner) = owner.filter(|_| position.is_finite()) {
                    let (first, positions) = &mut owned[owner.slot.index()];
                    if positions.is_empty() {
                        *first = instance.unwrap_or_default();
                    }
                    positions.push(*position);
                }
            }
        }
        let owned = owned.into_iter().enumerate().flat_map(|(skin, slots)| {
            let slots = slots.into_iter().enumerate();
            slots.map(move |(slot, owned)| (skin, slot, owned))
        });
        let limbs = owned.filter_map(|(id, slot, (instance, positions))| {
            let skin = &cx.asset.skins[id];
            let inverse_bind = skin.inverse_bind_matrices[slot];
            let head = origin(cx, id, skin.joints[slot])?;
            let (axis, radius) = tube(head, &positions)?;
            let along = (axis[1] - axis[0]).normalize_or(Vec3::Y);
            let across = along.any_orthonormal_vector();
            Some(Limb {
                joint: skin.joints[slot],
                skin: id,
                inverse_bind,
                instance,
                across: [across, along.cross(across)],
                axis,
                radius,
            })
        });
        let list: Vec<Limb> = limbs.take(MOST).collect();
        Self {
            pairs: pairs(cx, &list),
            list,
        }
    }
}

/// The axis and the radius of the surface that follows a joint at `head`; `None` if it has no extent.
fn tube(head: Vec3, positions: &[Vec3]) -> Option<([Vec3; 2], f32)> {
    if positions.len() < FEWEST || !head.is_finite() {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "the mean needs no more digits")]
    let centre = positions.iter().sum::<Vec3>() / positions.len() as f32;
    let along = (centre - head).try_normalize()?;
    let mut stations: Vec<f32> = positions
        .iter()
        .map(|position| (*position - centre).dot(along))
        .collect();
    let [low, high] = ENDS.map(|part| quantile(&mut stations, part));
    let away = |position: &Vec3| (*position - centre).reject_from_normalized(along).length();
    let mut radii: Vec<f32> = positions.iter().map(away).collect();
    let radius = quantile(&mut radii, THIN);
    // A capsule's axis ends a radius before its ends. For a round chest, a point is left.
    let half = (0.5 * (high - low) - radius).max(0.0);
    let middle = centre + along * low.midpoint(high);
    let ends = [middle - along * half, middle + along * half];
    (radius > 0.0 && radius.is_finite()).then_some((ends, radius))
}

/// * `part` – below 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a part of a length is an index"
)]
fn quantile(values: &mut [f32], part: f32) -> f32 {
    let index = (values.len() as f32 * part) as usize;
    *values.select_nth_unstable_by(index, f32::total_cmp).1
}

fn pairs(cx: &Context<'_>, limbs: &[Limb]) -> Vec<[usize; 2]> {
    let parents = joints::bound_parents(cx.asset);
    let above = |joint: NodeId| {
        let next = |joint: &NodeId| parents[joint.index()];
        std::iter::successors(Some(joint), next)
            .take(STEPS)
            .collect::<Vec<_>>()
    };
    let chains: Vec<Vec<NodeId>> = limbs.iter().map(|limb| above(limb.joint)).collect();
    // Steps from one to the other through their common ancestor.
    let is_near = |a: usize, b: usize| {
        chains[a].iter().enumerate().any(|(up, joint)| {
            let down = chains[b].iter().position(|other| other == joint);
            down.is_some_and(|down| up + down < STEPS)
        })
    };
    let touches = |a: &Limb, b: &Limb| {
        let reach = TOUCHES * (a.radius + b.radius);
        apart(a.axis, b.axis) < reach
    };
    let ends = limbs.iter().flat_map(|limb| limb.axis);
    let (low, high) = ends.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), end| {
        (low.min(end), high.max(end))
    });
    let size = (high - low).max_element();
    let hand = HAND * size;
    let is_finger = |limb: &Limb| {
        let [head, tail] = limb.axis;
        head.distance(tail) + 2.0 * limb.radius < FINGER * size
    };
    let is_hand = |a: &Limb, b: &Limb| {
        let above =
            |joint: NodeId| std::iter::successors(Some(joint), |joint| parents[joint.index()]);
        let common = above(a.joint).find(|joint| above(b.joint).any(|other| other == *joint));
        let place = common.and_then(|joint| origin(cx, a.skin, joint));
        place.is_some_and(|place| {
            let mut ends = a.axis.into_iter().chain(b.axis);
            ends.all(|end| end.distance(place) < hand)
        })
    };
    let large: Vec<usize> = (0..limbs.len())
        .filter(|limb| !is_finger(&limbs[*limb]))
        .collect();
    let all = (0..large.len())
        .flat_map(|a| (0..a).map(move |b| [b, a]))
        .map(|pair| pair.map(|limb| large[limb]));
    // Positions of different skins have different spaces.
    let is_pair = |a: usize, b: usize| {
        let same = limbs[a].skin == limbs[b].skin;
        let (one, other) = (&limbs[a], &limbs[b]);
        same && !is_near(a, b) && !touches(one, other) && !is_hand(one, other)
    };
    all.filter(|&[a, b]| is_pair(a, b)).collect()
}

/// Where a joint of a skin is in the bind pose, in mesh space.
fn origin(cx: &Context<'_>, skin: usize, joint: NodeId) -> Option<Vec3> {
    let skin = &cx.asset.skins[skin];
    let slot = skin.joints.iter().position(|own| *own == joint)?;
    let world = skin.inverse_bind_matrices[slot].as_dmat4().inverse();
    Some(world.w_axis.truncate().as_vec3())
}

/// The distance between two segments.
///
/// # Reference
///
/// C. Ericson, "Real-Time Collision Detection", §5.1.9.
fn apart(a: [Vec3; 2], b: [Vec3; 2]) -> f32 {
    let (along_a, along_b, between) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let (aa, bb, ab) = (
        along_a.length_squared(),
        along_b.length_squared(),
        along_a.dot(along_b),
    );
    let (to_a, to_b) = (along_a.dot(between), along_b.dot(between));
    let part = |number: f32| {
        if number.is_finite() {
            number.clamp(0.0, 1.0)
        } else {
            0.0
        }
    };
    let mut s = part((ab * to_b - to_a * bb) / (aa * bb - ab * ab));
    let t = (ab * s + to_b) / bb;
    // Beyond an end of the second segment, the nearest point of the first is the nearest to that end.
    if !(0.0..=1.0).contains(&t) {
        s = part((ab * part(t) - to_a) / aa);
    }
    (a[0] + along_a * s).distance(b[0] + along_b * part(t))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::Settings;
    use crate::rig::{Asset, AssetBuilder, Mesh, Trs};

    #[test]
    fn segments_are_as_far_apart_as_their_nearest_points() {
        let x = [Vec3::ZERO, Vec3::X * 2.0];
        for (other, expected) in [
            ([Vec3::new(1.0, -1.0, 0.5), Vec3::new(1.0, 1.0, 0.5)], 0.5),
            ([Vec3::new(3.0, -1.0, 0.0), Vec3::new(3.0, 1.0, 0.0)], 1.0),
            ([Vec3::new(0.0, 1.0, 0.0), Vec3::new(2.0, 1.0, 0.0)], 1.0),
            ([Vec3::new(-3.0, 0.0, 4.0), Vec3::new(-3.0, 0.0, 9.0)], 5.0),
            ([Vec3::new(1.0, 2.0, 0.0); 2], 2.0),
        ] {
            assert!((apart(x, other) - expected).abs() < 1e-6, "{other:?}");
            assert!((apart(other, x) - expected).abs() < 1e-6, "{other:?}");
        }
    }

    /// A body one unit long, a hand at its end, and two fingers of three joints each.
    ///
    /// * `size` – of the hand.
    fn person(size: f32) -> Asset {
        let mut rig = AssetBuilder::new();
        let at = |translation| Trs {
            translation,
            ..Trs::IDENTITY
        };
        let mut positions = Vec::new();
        let mut influences = Vec::new();
        let mut tube = |joint: NodeId, foot: Vec3, length: f32| {
            for ring in [0.0, 0.5, 1.0] {
                let radius = 0.01 * length;
                for side in [Vec3::X, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Z] {
                    positions.push(foot + Vec3::Y * ring * length + side * radius);
                    influences.push([(joint, 1.0)]);
                }
            }
        };
        let body = rig.node("body", None, Trs::IDENTITY);
        tube(body, Vec3::ZERO, 1.0);
        let hand = rig.node("hand", Some(body), at(Vec3::Y));
        tube(hand, Vec3::Y, 0.3 * size);
        for side in [-1.0, 1.0] {
            let mut parent = hand;
            let mut offset = Vec3::new(side, 2.0, 0.0) * (0.2 * size);
            let mut foot = Vec3::Y;
            for name in ["near", "middle", "far"] {
                foot += offset;
                parent = rig.node(&format!("{name} {side}"), Some(parent), at(offset));
                tube(parent, foot, 0.15 * size);
                offset = Vec3::Y * (0.2 * size);
            }
        }
        let mesh = rig.mesh(Mesh {
            positions,
            ..Mesh::default()
        });
        rig.skin(mesh, influences);
        rig.build().expect("the parts fit")
    }

    /// The pairs of limbs of the hand that are compared.
    fn pairs_of_the_hand(size: f32) -> usize {
        let asset = person(size);
        let settings = Settings::default();
        let cx = Context::new(&asset, "model.gltf".as_ref(), &settings);
        let limbs = Limbs::of(&cx);
        assert_eq!(limbs.list.len(), 8);
        let body = NodeId(0);
        let of_body = |limb: &usize| limbs.list[*limb].joint == body;
        let pairs = limbs.pairs.iter();
        pairs.filter(|pair| !pair.iter().any(of_body)).count()
    }

    #[test]
    fn a_finger_may_touch_the_body() {
        let pairs = |size| {
            let asset = person(size);
            let settings = Settings::default();
            Limbs::of(&Context::new(&asset, "model.gltf".as_ref(), &settings))
                .pairs
                .len()
        };
        assert_eq!(pairs(0.2), 0);
        assert!(pairs(0.4) > 0);
    }

    #[test]
    fn a_fist_is_no_pair_of_crossed_limbs() {
        assert_eq!(pairs_of_the_hand(0.1), 0);
        // As long as the body, they are legs.
        assert!(pairs_of_the_hand(1.0) > 0);
    }
}
