//! Generated pairs of clips against 64 times a span, skinned in f64.

use glam::{Quat, Vec3};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::diff::{Options, Report, Source, Tolerance, compare};
use crate::pose;
use crate::rig::strategies::{rotations, vectors};
use crate::rig::{
    Asset, AssetBuilder, Channel, Key, LocalTransform, Mesh, MorphChannel, MorphTarget, NodeId,
    Skeleton, SkinningOptions, Span, Track, Trs,
};
use crate::skinning::reference;
use crate::units::Seconds;

/// The joints of a chain.
const JOINTS: usize = 3;

/// Times per span of either side.
const TIMES: u8 = 64;

/// The scale of the first joint, if it does not change.
const SIZE: f32 = 4.0;

/// Kinds of interpolation.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Step,
    Linear,
    Cubic,
}

fn kinds() -> impl Strategy<Value = Kind> + Clone {
    prop_oneof![Just(Kind::Step), Just(Kind::Linear), Just(Kind::Cubic)]
}

/// A key that both sides have.
#[derive(Debug, Clone)]
struct Shared {
    gap: f64,
    rotation: Quat,
    /// Of the joint, of the size in all directions, and of a morph target.
    translation: Vec3,
    /// Of the rotation and of the translation, on each side: leaving the key, and arriving at the next.
    turns: [[Quat; 2]; 2],
    slopes: [[Vec3; 2]; 2],
}

/// The motion of a joint.
#[derive(Debug, Clone)]
struct Motion {
    keys: Vec<Shared>,
    /// On each side.
    kinds: [Kind; 2],
    /// How the tangents of both sides are related: 0 for the same, 1 for any.
    tangents_differ: bool,
    /// The phase of a span at which the side after has one more key.
    added: Option<(usize, f64)>,
    /// The joint after is rotated against the one before.
    axes: Quat,
    /// Whether its size changes, and for the first joint whether a shape does.
    grows: bool,
}

/// How much the translation of a key counts as a size.
const GROWTH: f32 = 0.5;

fn motions(most_turn: f32) -> impl Strategy<Value = Motion> {
    let tangent = move || {
        [-1.0_f32..1.0, -1.0..1.0, -1.0..1.0, -1.0..1.0]
            .prop_map(move |parts| Quat::from_array(parts) * most_turn)
    };
    let turn =
        rotations().prop_map(move |rotation| Quat::IDENTITY.slerp(rotation, most_turn.min(1.0)));
    let pair = move || [[tangent(), tangent()], [tangent(), tangent()]];
    let slope = || [[vectors(2.0), vectors(2.0)], [vectors(2.0), vectors(2.0)]];
    let key = (0.05_f64..0.4, turn, vectors(0.3), pair(), slope()).prop_map(
        |(gap, rotation, translation, turns, slopes)| Shared {
            gap,
            rotation,
            translation,
            turns,
            slopes,
        },
    );
    (
        vec(key, 2..5),
        [kinds(), kinds()],
        any::<bool>(),
        proptest::option::of((0..4_usize, 0.1_f64..0.9)),
        prop_oneof![Just(Quat::IDENTITY), rotations()],
        any::<bool>(),
    )
        .prop_map(
            |(keys, kinds, tangents_differ, added, axes, grows)| Motion {
                keys,
                kinds,
                tangents_differ,
                added,
                axes,
                grows,
            },
        )
}

impl Motion {
    fn times(&self) -> Vec<f64> {
        let mut time = 0.0;
        let of = |key: &Shared| {
            let own = time;
            time += key.gap;
            own
        };
        self.keys.iter().map(of).collect()
    }

    fn track<T: Clone>(
        &self,
        side: usize,
        value: impl Fn(&Shared) -> T,
        tangents: impl Fn(&Shared, usize) -> [T; 2],
        sampled: impl Fn(&Track<T>, Seconds) -> Option<T>,
    ) -> Track<T> {
        let set = if self.tangents_differ { side } else { 0 };
        let keys = self.keys.iter().zip(self.times()).map(|(key, time)| Key {
            time: Seconds(time),
            value: value(key),
            span: match self.kinds[side] {
                Kind::Step => Span::Step,
                Kind::Linear => Span::Linear,
                Kind::Cubic => {
                    let [leave, arrive] = tangents(key, set);
                    Span::Cubic { leave, arrive }
                }
            },
        });
        let mut track = Track {
            keys: keys.collect(),
        };
        let added = self.added.filter(|_| side == 1);
        if let Some((span, phase)) = added.filter(|(span, _)| span + 1 < track.keys.len()) {
            let [from, to] = [span, span + 1].map(|key| track.keys[key].time.0);
            let time = Seconds(from + phase * (to - from));
            let value = sampled(&track, time).expect("it has keys");
            let key = Key {
                time,
                value,
                span: track.keys[span].span.clone(),
            };
            track.keys.insert(span + 1, key);
        }
        track
    }

    fn channel(&self, node: NodeId, side: usize) -> Channel {
        Channel {
            translation: Some(self.track(
                side,
                |key| key.translation + Vec3::Y,
                |key, set| key.slopes[set],
                pose::vector_at,
            )),
            rotation: Some(self.track(
                side,
                |key| key.rotation,
                |key, set| key.turns[set],
                pose::rotation_at,
            )),
            scale: self.grows.then(|| {
                self.track(
                    side,
                    |key| Vec3::splat(1.0 + GROWTH * key.translation.x),
                    |key, set| key.slopes[set].map(|slope| Vec3::splat(GROWTH * slope.x)),
                    pose::vector_at,
                )
            }),
            ..Channel::of(node)
        }
    }

    fn shape(&self, node: NodeId, side: usize) -> MorphChannel {
        let weights = self.track(
            side,
            |key| vec![key.translation.z],
            |key, set| key.slopes[set].map(|slope| vec![slope.z]),
            pose::morph_weights_at,
        );
        MorphChannel { node, weights }
    }
}

/// A chain of joints in the motions of a side, with some vertices around each.
fn model(motions: &[Motion], side: usize) -> Asset {
    let mut rig = AssetBuilder::new();
    let rest = Trs {
        translation: Vec3::Y,
        ..Trs::IDENTITY
    };
    let mut nodes: Vec<NodeId> = Vec::new();
    for index in 0..JOINTS {
        let scale = if index == 0 { SIZE } else { 1.0 };
        let rest = Trs {
            scale: Vec3::splat(scale),
            ..rest
        };
        nodes.push(rig.node(&format!("joint {index}"), nodes.last().copied(), rest));
    }
    let (mut positions, mut weights) = (Vec::new(), Vec::new());
    for (index, node) in (1_u8..).zip(&nodes) {
        for corner in [Vec3::ZERO, Vec3::X * 0.4, Vec3::new(0.1, 0.9, 0.3)] {
            positions.push(Vec3::Y * f32::from(index) + corner);
            weights.push([(*node, 1.0)]);
        }
    }
    let mesh = rig.mesh(Mesh {
        name: "mesh".to_owned(),
        triangles: (0..3)
            .map(|joint| [0, 1, 2].map(|at| 3 * joint + at))
            .collect(),
        positions,
        ..Mesh::default()
    });
    rig.skin(mesh, weights);
    rig.clip("clip");
    let mut asset = rig.build().expect("it is whole");
    let channels = motions.iter().zip(&nodes);
    asset.clips[0].channels = channels
        .map(|(own, node)| own.channel(*node, side))
        .collect();
    let count = asset.meshes[0].positions.len();
    asset.meshes[0].morph_targets = vec![MorphTarget {
        name: "shape".to_owned(),
        positions: vec![Vec3::new(0.2, 0.1, 0.3); count],
        ..MorphTarget::default()
    }];
    asset.instances[0].morph_weights = vec![0.0];
    let node = asset.instances[0].node;
    let shapes = motions[0].grows.then(|| motions[0].shape(node, side));
    asset.clips[0].morph_channels = shapes.into_iter().collect();
    let ends = motions.iter().flat_map(Motion::times);
    asset.clips[0].end = Seconds(ends.fold(0.0, f64::max));
    if side == 1 {
        with_axes(
            &mut asset,
            &motions.iter().map(|own| own.axes).collect::<Vec<_>>(),
        );
    }
    asset
}

/// Rotates the joints of a chain without a change of what they do.
fn with_axes(asset: &mut Asset, axes: &[Quat]) {
    let above = |node: usize| match node {
        0 => Quat::IDENTITY,
        node => axes[node - 1],
    };
    let nodes = asset
        .skeleton
        .nodes()
        .iter()
        .enumerate()
        .map(|(index, node)| {
            let mut node = node.clone();
            if let Some(own) = axes.get(index) {
                let (left, rest) = (above(index).conjugate(), node.rest.to_trs());
                node.rest = LocalTransform::Trs(Trs {
                    translation: left * rest.translation,
                    rotation: left * rest.rotation * *own,
                    ..rest
                });
            }
            node
        });
    asset.skeleton = Skeleton::new(nodes.collect()).expect("parents come first");
    for channel in &mut asset.clips[0].channels {
        let index = channel.node.index();
        let (left, own) = (above(index).conjugate(), axes[index]);
        channel.translation = channel
            .translation
            .take()
            .map(|track| track.map(|v| left * *v));
        channel.rotation = channel
            .rotation
            .take()
            .map(|track| track.map(|q| left * *q * own));
    }
    let skin = &mut asset.skins[0];
    for (joint, bind) in skin.joints.iter().zip(&mut skin.inverse_bind_matrices) {
        *bind = glam::Mat4::from_quat(axes[joint.index()].conjugate()) * *bind;
    }
}

/// The largest distance, and its time, at many times of every span.
fn truth(models: [&Asset; 2]) -> (f64, f64) {
    let mut keys: Vec<f64> = models
        .iter()
        .flat_map(|asset| asset.clips[0].key_times())
        .map(|time| time.0)
        .collect();
    keys.sort_by(f64::total_cmp);
    let spans = keys.iter().zip(keys.iter().skip(1));
    let times = spans.flat_map(|(from, to)| {
        (0..TIMES).map(move |index| {
            let phase = (f64::from(index) + 0.5) / f64::from(TIMES);
            from + phase * (to - from)
        })
    });
    let mut most = (0.0, 0.0);
    for time in times {
        let [a, b] = models.map(|asset| {
            let pose = pose::sample(asset, &asset.clips[0], Seconds(time)).expect("it is finite");
            let pose = pose::model_pose(asset, &pose);
            let meshes = reference::deform(asset, &pose, &SkinningOptions::default());
            meshes.expect("it can be skinned").swap_remove(0).positions
        });
        for (a, b) in a.iter().zip(&b) {
            if a.distance(*b) > most.0 {
                most = (a.distance(*b), time);
            }
        }
    }
    most
}

/// The rounding of poses and of skinned vertices in f32, relative to the size of the model.
const ROUNDING: f64 = 1e-5;

/// Holds the verdict and the bound of a comparison to the truth.
fn holds(motions: &[Motion], tolerance: f64) {
    let models = [0, 1].map(|side| model(motions, side));
    let (apart, time) = truth([&models[0], &models[1]]);
    let mut options = Options::default();
    options.settings.tolerance = Some(Tolerance::Diagonal(tolerance));
    let [before, after] = models.map(Source::from);
    let report = compare(&before, &after, &options.strict()).expect("they correspond");
    let take = report.takes.last().expect("there is a clip");
    let rounding = ROUNDING * report.diagonal;
    let missed = take.missed.expect("it is bounded");
    let (most, limit) = (take.surface.max, take.limit);
    let shown = || {
        let of = |report: &Report| {
            report
                .findings
                .iter()
                .map(|own| own.finding.message.clone())
                .collect::<Vec<_>>()
        };
        format!(
            "{apart} apart at {time} s; {most} in {} samples, missed at most {missed}; limit {limit}: {:?}",
            take.samples,
            of(&report)
        )
    };
    assert!(apart <= most + missed + rounding, "{}", shown());
    if report.is_same() {
        assert!(apart <= 1.25 * limit + rounding, "{}", shown());
    }
    let are_same = motions.iter().all(|own| {
        let same_tangents = own.kinds[0] != Kind::Cubic || !own.tangents_differ;
        own.kinds[0] == own.kinds[1] && same_tangents && own.added.is_none()
    });
    if are_same {
        assert!(report.is_same() && missed <= 10.0 * rounding, "{}", shown());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_farther_apart_between_samples_than_the_bound(
        motions in vec(motions(1.0), JOINTS..=JOINTS),
    ) {
        holds(&motions, 1e-3);
    }

    /// Small motions, of which some are within the tolerance.
    #[test]
    fn no_verdict_of_small_motions_misses_a_difference(
        motions in vec(motions(0.05), JOINTS..=JOINTS),
        tolerance in 0.002_f64..0.05,
    ) {
        holds(&motions, tolerance);
    }

    /// Where only the middle between two keys is compared, the bound alone counts.
    #[test]
    fn bounds_hold_between_two_keys(
        motions in vec(motions(0.05), JOINTS..=JOINTS),
        still in any::<bool>(),
    ) {
        let mut motions = motions;
        if still {
            // Bounds of translations are the closest.
            for motion in &mut motions {
                for key in &mut motion.keys {
                    key.rotation = Quat::IDENTITY;
                    key.turns = [[Quat::from_array([0.0; 4]); 2]; 2];
                }
            }
        }
        holds(&motions, 10.0);
    }
}

/// The first joint goes up and back, and the others with it.
fn up_and_back(kinds: [Kind; 2], height: f32) -> Vec<Motion> {
    let still = moving_up([Kind::Linear; 2], 0.0);
    vec![moving_up(kinds, height), still.clone(), still]
}

fn moving_up(kinds: [Kind; 2], height: f32) -> Motion {
    let key = |height: f32| Shared {
        gap: 11.0 / 24.0,
        rotation: Quat::IDENTITY,
        translation: Vec3::Y * height,
        turns: [[Quat::from_array([0.0; 4]); 2]; 2],
        slopes: [[Vec3::ZERO; 2]; 2],
    };
    Motion {
        keys: [0.0, height, 0.0].map(key).to_vec(),
        kinds,
        tangents_differ: false,
        added: None,
        axes: Quat::IDENTITY,
        grows: false,
    }
}

#[test]
fn a_step_is_compared_just_before_it() {
    for kinds in [[Kind::Step, Kind::Linear], [Kind::Linear, Kind::Step]] {
        let motions = up_and_back(kinds, 0.2);
        let [before, after] = [0, 1].map(|side| Source::from(model(&motions, side)));
        let report = compare(&before, &after, &Options::default()).expect("they correspond");
        let most = report.takes.last().expect("there is a clip").surface.max;
        assert!((most - 0.2).abs() < 1e-4, "{most} for {kinds:?}");
    }
}

#[test]
fn where_clips_are_the_same_times_are_added_until_little_can_be_missed() {
    let motions = up_and_back([Kind::Cubic, Kind::Linear], 0.2);
    let models = [0, 1].map(|side| model(&motions, side));
    let (apart, _) = truth([&models[0], &models[1]]);
    let [before, after] = models.map(Source::from);
    let mut options = Options::default();
    let compared = |options: &Options| {
        let report = compare(&before, &after, options).expect("they correspond");
        let take = report.takes.last().expect("there is a clip").clone();
        (report.is_same(), take, report.diagonal)
    };
    let (_, take, diagonal) = compared(&options);
    assert!(take.verdict.differs());
    options.settings.tolerance = Some(Tolerance::Diagonal(1.05 * apart / diagonal));
    let (is_same, take, _) = compared(&options);
    let missed = take.missed.expect("it is bounded");
    assert!(
        is_same && missed <= 0.25 * take.limit,
        "{missed} of {}",
        take.limit
    );
}

/// Of more keys than are compared, some are between two samples.
#[test]
fn what_is_between_thinned_keys_can_be_missed() {
    let moved = |away: f32| {
        let key = |index: u16| {
            let height = if index == 1502 { away } else { 0.0 };
            (f64::from(index) / 100.0, Vec3::Y * (1.0 + height))
        };
        let motions = up_and_back([Kind::Linear; 2], 0.0);
        let mut asset = model(&motions, 0);
        asset.clips[0].channels[0].translation = Some(Track::linear((0..3000).map(key)));
        asset.clips[0].end = Seconds(29.99);
        Source::from(asset)
    };
    let report = compare(&moved(0.0), &moved(0.5), &Options::default()).expect("they correspond");
    let take = report.takes.last().expect("there is a clip");
    let missed = take.missed.expect("it is bounded");
    assert!(take.samples < take.all_samples, "{} samples", take.samples);
    assert!(take.surface.max + missed >= 0.5, "{missed}");
}

/// Eased and straight curves meet at the keys and halfway between them.
#[test]
fn a_curve_that_lost_its_easing_is_different() {
    let key = |angle: f32| Shared {
        gap: 0.5,
        rotation: Quat::from_rotation_z(angle),
        translation: Vec3::ZERO,
        turns: [[Quat::from_xyzw(0.0, 0.0, 0.0, 0.0); 2]; 2],
        slopes: [[Vec3::ZERO; 2]; 2],
    };
    let eased = Motion {
        keys: vec![key(0.0), key(1.0)],
        kinds: [Kind::Cubic, Kind::Linear],
        tangents_differ: false,
        added: None,
        axes: Quat::IDENTITY,
        grows: false,
    };
    let eased = vec![eased; JOINTS];
    let models = [0, 1].map(|side| model(&eased, side));
    let middle = models
        .each_ref()
        .map(|asset| pose::sample(asset, &asset.clips[0], Seconds(0.25)).expect("it is finite"));
    let [a, b] = middle.map(|pose| pose[NodeId(0)].to_trs().rotation);
    assert!(a.angle_between(b) < 1e-3);
    let [before, after] = models.map(Source::from);
    let report = compare(&before, &after, &Options::default()).expect("they correspond");
    let kinds: Vec<_> = report.differences().map(|own| own.kind).collect();
    assert_eq!(kinds, [crate::diff::Kind::Interpolation]);
}
