//! Which findings explain others.

use crate::analysis::topology::topology;
use crate::core::context::Context;
use crate::core::findings::Found;
use crate::finding::{AffectedClip, AffectedMesh, Cause};
use crate::rig::InstanceId;
use crate::rules::rule::{Follows, Rule, Through};
use crate::run::findings;
use crate::units::Seconds;

/// The most faults that are undone, each of which checks the model once more. A model has one or two.
const MOST_MENDED: usize = 8;

/// A rule, and one of its findings by ids.
type OfRule = (&'static dyn Rule, Found);

/// The cause of each finding. Every finding keeps its level, so no verdict depends on them.
///
/// * `found` – each finding with its rule, in the order of the rules.
pub(super) fn causes(cx: &Context<'_>, found: &[OfRule]) -> Vec<Option<Cause>> {
    let left = left(cx, found);
    let cause = |(rule, own): &OfRule| {
        let cause = rule.follows_from().iter().find_map(|follows| {
            let mut all = found.iter().zip(&left);
            all.find(|((_, other), left)| {
                other.finding.code.0 == follows.code && explains(cx, follows, (other, left), own)
            })
        });
        cause.map(|((_, other), _)| Cause::Finding {
            code: other.finding.code,
            location: Box::new(cx.named(other.finding.location.clone())),
        })
    };
    found.iter().map(cause).collect()
}

/// For each finding, what the rules that follow from it still find once its fault is undone; `None` if that is unknown.
fn left(cx: &Context<'_>, found: &[OfRule]) -> Vec<Option<Vec<Found>>> {
    let mut mended = 0;
    let left = |(rule, own): &OfRule| {
        let is_of = |follows: &Follows| {
            matches!(follows.through, Through::Mended) && follows.code == own.finding.code.0
        };
        let following = found.iter().map(|(rule, _)| *rule);
        let mut following: Vec<_> = following
            .filter(|rule| rule.follows_from().iter().any(is_of))
            .collect();
        following.dedup_by_key(|rule| rule.meta().code);
        if following.is_empty() || mended == MOST_MENDED || cx.deadline.has_passed() {
            return None;
        }
        let asset = rule.mended(cx, &own.finding)?;
        mended += 1;
        let without = Context::new(&asset, cx.path, cx.settings).until(cx.deadline);
        let left = findings(&without, &following);
        (!cx.deadline.has_passed()).then_some(left)
    };
    found.iter().map(left).collect()
}

/// Whether two findings of a rule are about the same mesh, else the same clip, else the same joint.
fn is_same_place(one: &Found, other: &Found) -> bool {
    let [one, other] = [one, other].map(|found| found.finding.location.ids);
    match (one.instance, one.clip) {
        (Some(_), _) => one.instance == other.instance,
        (None, Some(_)) => one.clip == other.clip,
        (None, None) => (one.skin, one.node) == (other.skin, other.node),
    }
}

/// Whether `cause` is a finding of the rule that `follows` names where `found` is.
///
/// * `left` – what is still found without its fault.
fn explains(
    cx: &Context<'_>,
    follows: &Follows,
    (cause, left): (&Found, &Option<Vec<Found>>),
    found: &Found,
) -> bool {
    match follows.through {
        Through::Mended => left.as_ref().is_some_and(|left| {
            let is_it = |other: &&Found| {
                let [own, other] = [found, other].map(|found| &found.finding);
                other.code == own.code && other.level >= own.level
            };
            let mut same = left.iter().filter(is_it);
            !same.any(|other| is_same_place(found, other))
        }),
        Through::Mesh => {
            let [cause, found] = [cause, found].map(|own| cx.key(&own.finding.location).0);
            cause[0] == found[0]
        }
        Through::Clips => {
            let mut clips = found.clips().peekable();
            let has_clips = clips.peek().is_some() && !found.is_of_poses();
            has_clips && clips.all(|clip| cause.clips().any(|own| own == clip))
        }
        Through::Steps => all_in_steps(cause, found, |[start, end], time| {
            start <= time && time < end
        }),
        Through::Between => all_in_steps(cause, found, |[start, end], time| {
            start < time && time < end
        }),
        Through::If(explains) => explains(cx, &cause.finding, &found.finding),
        Through::Vertices => {
            let meshes = &found.finding.affected.meshes;
            let of_cause = &cause.finding.affected;
            let is_near = |mesh: &AffectedMesh| {
                let near = near(cx, mesh.instance, of_cause.vertices_of(mesh.instance));
                mesh.vertices.iter().all(|vertex| near[*vertex as usize])
            };
            !meshes.is_empty() && meshes.iter().all(is_near)
        }
    }
}

/// Whether each time of `found` is in a step of `cause`.
///
/// * `is_in` – of the ends of a step and a time, whether that is so.
fn all_in_steps(cause: &Found, found: &Found, is_in: impl Fn([f64; 2], f64) -> bool) -> bool {
    let steps_of = |clip: &AffectedClip| {
        let clips = cause.finding.affected.clips.iter();
        let mut own = clips.filter(|own| own.id == clip.id);
        own.next().map_or(&[][..], |own| &own.times)
    };
    let is_explained = |clip: &AffectedClip| {
        let steps = steps_of(clip).chunks_exact(2);
        let is_in_one = |time: &Seconds| {
            let mut steps = steps.clone();
            steps.any(|step| is_in([step[0].0, step[1].0], time.0))
        };
        !clip.times.is_empty() && clip.times.iter().all(is_in_one)
    };
    let clips = &found.finding.affected.clips;
    !clips.is_empty() && !found.is_of_poses() && clips.iter().all(is_explained)
}

/// For each vertex of the mesh, whether it is one of `vertices`, or shares a triangle with one of their positions.
fn near(cx: &Context<'_>, instance: InstanceId, vertices: &[u32]) -> Vec<bool> {
    let instance = &cx.asset[instance];
    let welded = &topology(cx, instance.mesh).welded;
    let mut at_fault = vec![false; welded.len()];
    for vertex in vertices {
        at_fault[welded[*vertex as usize] as usize] = true;
    }
    let mut near = vec![false; welded.len()];
    for corners in &cx.asset.mesh_of(instance).triangles {
        let corners = corners.map(|vertex| vertex as usize);
        if corners
            .iter()
            .any(|vertex| at_fault[welded[*vertex] as usize])
        {
            for vertex in corners {
                near[vertex] = true;
            }
        }
    }
    for vertex in vertices {
        near[*vertex as usize] = true;
    }
    near
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use glam::{Mat4, Vec3};

    use crate::finding::{Code, Finding};
    use crate::pose::rigs::clip;
    use crate::rig::{
        Asset, Channel, Clip, Influences, LocalTransform, NodeId, Skeleton, Track, Trs,
    };
    use crate::testing::arm;
    use crate::units::LengthUnit;
    use crate::{Context, ExpectedHeight, Settings, check, find_rule, rules};

    /// The arm, whose shoulder has a scale. Elbow and mesh are at their old places if they are `bound` there.
    fn scaled(factor: f32, bound: bool) -> Asset {
        let mut asset = arm();
        let mut joints = asset.skeleton.nodes().to_vec();
        let offset = if bound { 1.0 / factor } else { 1.0 };
        let [shoulder, elbow] = [(-1.0, factor), (offset, 1.0)].map(|(y, scale)| Trs {
            translation: Vec3::Y * y,
            scale: Vec3::splat(scale),
            ..Trs::IDENTITY
        });
        joints[0].rest = LocalTransform::Trs(shoulder);
        joints[1].rest = LocalTransform::Trs(elbow);
        asset.skeleton = Skeleton::new(joints).expect("parents come first");
        for matrix in asset.skins[0]
            .inverse_bind_matrices
            .iter_mut()
            .filter(|_| bound)
        {
            *matrix = Mat4::from_scale(Vec3::splat(1.0 / factor)) * *matrix;
        }
        asset.space.metres_per_unit = Some(1.0);
        asset
    }

    fn with_clip(mut asset: Asset, channel: Channel) -> Asset {
        asset.clips.push(Clip {
            channels: vec![channel],
            ..clip("Move", 0.0, 1.0)
        });
        asset
    }

    /// The code of the cause of the only finding of a rule, if any explains it.
    fn cause_of(asset: &Asset, code: &str, expected: [f64; 2]) -> Option<&'static str> {
        let settings = Settings {
            asked: [Code("B210")].into(),
            height: Some(ExpectedHeight {
                least: expected[0],
                most: expected[1],
                unit: LengthUnit::Metre,
            }),
            ..Settings::default()
        };
        let findings = check(&Context::new(asset, "model.gltf".as_ref(), &settings)).findings;
        let own: Vec<&Finding> = findings.iter().filter(|own| own.code.0 == code).collect();
        assert_eq!(own.len(), 1, "{findings:?}");
        let cause = findings.iter().find(|cause| cause.explains(own[0]));
        cause.map(|cause| cause.code.0)
    }

    #[test]
    fn a_height_that_fits_without_the_scale_of_the_armature_follows_from_it() {
        // The skin is a hundred times as large as its mesh of two metres.
        let giant = scaled(100.0, false);
        assert_eq!(cause_of(&giant, "B210", [1.5, 2.5]), Some("B209"));
        assert_eq!(cause_of(&giant, "B210", [15.0, 25.0]), None);
        // A prop beside it is not below the armature.
        let mut beside = giant.clone();
        beside.meshes.push(beside.meshes[0].clone());
        let mut joints = beside.skeleton.nodes().to_vec();
        joints.push(crate::pose::rigs::named_joint(
            "prop",
            None,
            LocalTransform::Matrix(Mat4::IDENTITY),
        ));
        beside.skeleton = Skeleton::new(joints).expect("parents come first");
        let mut prop = beside.instances[0].clone();
        (prop.mesh, prop.node, prop.skin) = (crate::rig::MeshId(1), NodeId(2), None);
        beside.instances.push(prop);
        assert_eq!(cause_of(&beside, "B210", [1.5, 2.5]), None);
    }

    #[test]
    fn keys_off_by_the_scale_of_the_armature_follow_from_it() {
        let at = |y: f32| Channel {
            translation: Some(Track::linear([0.0, 1.0].map(|time| (time, Vec3::Y * y)))),
            ..Channel::of(NodeId(1))
        };
        // At rest the elbow is 0.01 above the shoulder; its keys are in the world's unit.
        let asset = with_clip(scaled(100.0, true), at(1.0));
        assert_eq!(cause_of(&asset, "C530", [1.5, 2.5]), Some("B209"));
        let asset = with_clip(scaled(100.0, true), at(0.254));
        assert_eq!(cause_of(&asset, "C530", [1.5, 2.5]), None);
    }

    #[test]
    fn a_clip_without_the_scale_of_the_armature_follows_from_it() {
        let by = |scale: f32| Channel {
            scale: Some(Track::linear(
                [0.0, 1.0].map(|time| (time, Vec3::splat(scale))),
            )),
            ..Channel::of(NodeId(0))
        };
        let asset = with_clip(scaled(100.0, true), by(1.0));
        assert_eq!(cause_of(&asset, "C531", [1.5, 2.5]), Some("B209"));
        let asset = with_clip(scaled(100.0, true), by(20.0));
        assert_eq!(cause_of(&asset, "C531", [1.5, 2.5]), None);
    }

    #[test]
    fn a_clip_moves_nothing_because_a_mesh_has_no_weights_at_all() {
        let moving = |joint: u32| {
            let mut asset = arm();
            let elbow = Channel {
                translation: Some(Track::linear([(0.0, Vec3::Y), (1.0, Vec3::X)])),
                ..Channel::of(NodeId(joint))
            };
            let mut joints = asset.skeleton.nodes().to_vec();
            let rest = LocalTransform::Matrix(Mat4::IDENTITY);
            joints.push(crate::pose::rigs::named_joint("body", None, rest));
            joints.push(crate::pose::rigs::named_joint("control", None, rest));
            asset.skeleton = Skeleton::new(joints).expect("parents come first");
            asset.instances[0].node = NodeId(2);
            asset.meshes[0].influences =
                Influences::from_vertices(vec![[]; asset.meshes[0].positions.len()]);
            with_clip(asset, elbow)
        };
        assert_eq!(cause_of(&moving(1), "C525", [1.5, 2.5]), Some("W104"));
        // A control would move nothing either way.
        assert_eq!(cause_of(&moving(3), "C525", [1.5, 2.5]), None);
    }

    #[test]
    fn every_cause_is_a_rule_and_none_explains_itself() {
        for rule in rules() {
            let mut seen = BTreeSet::from([rule.meta().code.0]);
            let mut next: Vec<&str> = rule.follows_from().iter().map(|one| one.code).collect();
            while let Some(code) = next.pop() {
                assert_ne!(code, rule.meta().code.0, "a circle");
                let cause = find_rule(code).unwrap_or_else(|| panic!("{code} is no rule"));
                if seen.insert(code) {
                    next.extend(cause.follows_from().iter().map(|one| one.code));
                }
            }
        }
    }
}
