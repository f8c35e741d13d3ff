//! Bounds and times between keys, with analytic answers.

use glam::{Mat4, Quat, Vec3};

use super::Curves;
use super::times::Depth;
use crate::diff::samples::{Sample, Samples, TimeMap};
use crate::diff::testing::with_rigs;
use crate::diff::vertices::VertexPairs;
use crate::diff::{Options, Source, compare};
use crate::rig::{
    Asset, AssetBuilder, Channel, Constraint, ConstraintKind, Mesh, MorphChannel, MorphTarget,
    NodeId, Span, Track, Trs,
};
use crate::units::Seconds;

const ROOT: NodeId = NodeId(0);
const HAND: NodeId = NodeId(1);
const OTHER: NodeId = NodeId(2);

/// The largest distance of `3u² - 2u³` from `u`.
const EASED: f64 = 0.096_225;

/// What bounds that distance: three quarters of the distance of an inner control point from the straight line's.
const BOUND: f64 = 0.25;

/// A joint below another one, both at the origin, with vertices at `X` that move with it, and a third joint beside them.
fn model(scale: f32, change: impl FnOnce(&mut Asset)) -> Asset {
    let mut rig = AssetBuilder::new();
    let rest = Trs {
        scale: Vec3::splat(scale),
        ..Trs::IDENTITY
    };
    let root = rig.node("root", None, rest);
    let hand = rig.node("hand", Some(root), Trs::IDENTITY);
    rig.node("other", None, Trs::IDENTITY);
    let mesh = rig.mesh(Mesh {
        positions: vec![Vec3::X; 3],
        triangles: vec![[0, 1, 2]],
        ..Mesh::default()
    });
    rig.skin(mesh, [[(hand, 1.0)]; 3]);
    rig.clip("clip");
    let mut asset = rig.build().expect("it is whole");
    asset.meshes[0].morph_targets = vec![MorphTarget {
        name: "far".to_owned(),
        positions: vec![Vec3::X * 100.0; 3],
        ..MorphTarget::default()
    }];
    asset.instances[0].morph_weights = vec![0.0];
    asset.clips[0].end = Seconds(1.0);
    change(&mut asset);
    asset
}

fn linear<T>(from: T, to: T) -> Track<T> {
    Track::linear([(0.0, from), (1.0, to)])
}

/// With tangents at both ends.
fn cubic<T>([from, to]: [T; 2], [leave, arrive]: [T; 2]) -> Track<T> {
    let mut track = linear(from, to);
    track.keys[0].span = Span::Cubic { leave, arrive };
    track
}

fn eased<T: Clone>(from: T, to: T, still: T) -> Track<T> {
    cubic([from, to], [still.clone(), still])
}

fn drive(node: NodeId, change: impl FnOnce(&mut Channel)) -> impl FnOnce(&mut Asset) {
    move |asset| {
        let mut channel = Channel::of(node);
        change(&mut channel);
        asset.clips[0].channels.push(channel);
    }
}

fn moved(track: Track<Vec3>) -> Asset {
    model(1.0, drive(HAND, |hand| hand.translation = Some(track)))
}

fn with_curves<T>(models: [Asset; 2], inspect: impl FnOnce(&Curves<'_>) -> T) -> T {
    let sources = models.map(Source::from);
    with_rigs(&sources, |rigs| {
        let vertices = VertexPairs {
            pairs: (0..3).map(|vertex| [vertex; 2]).collect(),
            ..VertexPairs::default()
        };
        let curves = Curves::of(rigs, &vertices, [0, 0], TimeMap::IDENTITY, 1.0);
        inspect(&curves.expect("both are models"))
    })
}

/// What may be missed within the second.
fn stray(models: [Asset; 2]) -> f64 {
    with_curves(models, |curves| curves.stray([[0.0, 1.0]; 2]))
}

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6
}

#[test]
fn a_translation_is_bounded_in_the_scale_of_its_parent() {
    for scale in [1.0, 4.0] {
        let tracks = [
            eased(Vec3::ZERO, Vec3::X, Vec3::ZERO),
            linear(Vec3::ZERO, Vec3::X),
        ];
        let models =
            tracks.map(|track| model(scale, drive(HAND, |hand| hand.translation = Some(track))));
        let stray = stray(models);
        assert!(is_near(stray, f64::from(scale) * BOUND), "{stray}");
    }
}

#[test]
fn a_scale_is_bounded_at_the_reach_of_its_vertices() {
    let tracks = [
        eased(Vec3::ONE, Vec3::splat(2.0), Vec3::ZERO),
        linear(Vec3::ONE, Vec3::splat(2.0)),
    ];
    let models = tracks.map(|track| model(1.0, drive(HAND, |hand| hand.scale = Some(track))));
    let stray = stray(models);
    assert!(is_near(stray, BOUND), "{stray}");
}

/// A product of two linear motions is a parabola.
#[test]
fn matrices_that_change_bend_what_moves_below_them() {
    let models = [1.0, -1.0].map(|side| {
        model(1.0, |asset| {
            let grows = linear(Mat4::IDENTITY, Mat4::from_scale(Vec3::new(3.0, 1.0, 1.0)));
            drive(ROOT, |root| root.matrix = Some(grows))(asset);
            let slides = linear(Vec3::ZERO, Vec3::X * side);
            drive(HAND, |hand| hand.translation = Some(slides))(asset);
        })
    });
    // They are 2u (1 + 2u) apart: 2 in the middle, where the straight line is at 3.
    let stray = stray(models);
    assert!(stray >= 1.0, "{stray}");
}

fn turned(track: Track<Quat>) -> impl FnOnce(&mut Asset) {
    drive(HAND, |hand| hand.rotation = Some(track))
}

/// To an angle about z.
fn turns(angle: f32) -> [Track<Quat>; 2] {
    let (from, to) = (Quat::IDENTITY, Quat::from_rotation_z(angle));
    [
        eased(from, to, Quat::from_array([0.0; 4])),
        linear(from, to),
    ]
}

/// Both begin at one rotation, and are equally fast.
#[test]
fn rotations_about_other_axes_are_bounded() {
    let models = [Vec3::Y, Vec3::Z].map(|axis| {
        let track = linear(Quat::IDENTITY, Quat::from_axis_angle(axis, 1.0));
        model(1.0, turned(track))
    });
    // The vertices are √2 sin u apart.
    let middle = libm::acos(libm::sin(1.0));
    let truth = 2.0_f64.sqrt() * (libm::sin(middle) - middle * libm::sin(1.0));
    let stray = stray(models);
    assert!(stray >= truth, "{stray} of {truth}");
}

fn weighted(weights: Track<f32>) -> impl FnOnce(&mut Asset) {
    move |asset| {
        asset.clips[0].morph_channels.push(MorphChannel {
            node: asset.instances[0].node,
            weights: weights.map(|weight| vec![*weight]),
        });
    }
}

#[test]
fn a_shape_adds_to_the_reach_of_a_rotation() {
    let models = turns(1.0).map(|track| {
        model(1.0, |asset| {
            turned(track)(asset);
            weighted(linear(1.0, 1.0))(asset);
        })
    });
    // The vertices are 101 from the joint.
    let stray = stray(models);
    assert!(stray > 101.0 * EASED, "{stray}");
}

#[test]
fn weights_of_shapes_that_differ_alone_are_bounded() {
    let tracks = [eased(0.0, 1.0, 0.0), linear(0.0, 1.0)];
    let stray = stray(tracks.map(|track| model(1.0, weighted(track))));
    assert!(is_near(stray, 100.0 * BOUND), "{stray}");
}

#[test]
fn vertices_that_are_apart_in_the_bind_pose_are_bounded() {
    let (from, to) = (Quat::from_rotation_z(-1.4), Quat::from_rotation_z(1.4));
    let models = [0.0, 1.0].map(|away| {
        model(1.0, |asset| {
            let place = Vec3::X * away;
            drive(ROOT, |root| root.translation = Some(linear(place, place)))(asset);
            turned(linear(from, to))(asset);
            for position in &mut asset.meshes[0].positions {
                *position += place;
            }
        })
    });
    // The difference is 1 and a rotated 1: 2 in the middle, and 2 cos 0.7 at both ends.
    let stray = stray(models);
    assert!(stray >= 2.0 * (1.0 - libm::cos(0.7)), "{stray}");
}

#[test]
fn what_a_constraint_rotates_is_bounded() {
    let models = turns(1.0).map(|track| {
        model(1.0, |asset| {
            drive(OTHER, |other| other.rotation = Some(track))(asset);
            asset.constraints.push(Constraint {
                node: HAND,
                source: OTHER,
                kind: ConstraintKind::Roll(Vec3::Z),
                weight: 1.0,
            });
        })
    });
    let stray = stray(models);
    assert!(stray > EASED, "{stray}");
}

#[test]
fn of_what_is_no_number_anything_may_be_missed() {
    let models = [f32::NAN, 1.0].map(|height| moved(linear(Vec3::ZERO, Vec3::X * height)));
    assert!(stray(models).is_infinite());
}

#[test]
fn a_time_within_the_rounding_of_a_step_is_that_step() {
    let steps = |track: &mut Track<Vec3>| {
        for key in &mut track.keys {
            key.span = Span::Step;
        }
    };
    let stored = |frame: u8| f64::from(f32::from(frame) / 24.0);
    let models = [false, true].map(|is_stepped| {
        let key = |frame: u8| (stored(frame), Vec3::X * f32::from(frame));
        let mut track = Track::linear((0..=24).map(key));
        if is_stepped {
            steps(&mut track);
        }
        moved(track)
    });
    with_curves(models, |curves| {
        for frame in 1..=24 {
            let time = f64::from(frame) / 24.0;
            assert!(curves.jump([time; 2]), "frame {frame}");
            assert!(!curves.jump([time - 0.02; 2]));
        }
    });
}

/// Samples between the keys at both ends of the second.
fn sampled(curves: &Curves<'_>, depth: Depth, limit: f64, most: usize) -> Samples {
    let key = |time| Sample {
        times: [time; 2],
        is_key: [true; 2],
    };
    let keys = Samples {
        list: vec![key(0.0), key(1.0)],
        all: 2,
        missed: None,
    };
    curves.samples(&keys, depth, limit, most)
}

#[test]
fn a_closer_look_takes_as_many_times_as_the_tolerance_wants() {
    let tracks = [
        eased(Vec3::ZERO, Vec3::X, Vec3::ZERO),
        linear(Vec3::ZERO, Vec3::X),
    ];
    with_curves(tracks.map(moved), |curves| {
        // A quarter of the tolerance is nearly a hundredth of the bound: ten times between both keys.
        let count = |depth| sampled(curves, depth, 4.0 * BOUND / 99.0, 100).list.len();
        assert_eq!([Depth::Coarse, Depth::Fine].map(count), [5, 12]);
        // Within a quarter of the tolerance, the middle is enough.
        let few = sampled(curves, Depth::Fine, 4.1 * BOUND, 100);
        assert_eq!(few.list.len(), 3);
        // Without room for any time between the keys, all of it is missed.
        let none = sampled(curves, Depth::Fine, 1e-9, 2);
        assert_eq!(none.list.len(), 2);
        assert!(none.missed.is_some_and(|missed| is_near(missed, BOUND)));
    });
}

/// The difference is `6u² (1 - u)`, which bends most at the end.
#[test]
fn the_last_part_of_a_span_counts() {
    let ends = [Vec3::ZERO, Vec3::X];
    let late = cubic(ends, [Vec3::X, Vec3::X * -5.0]);
    with_curves([late, linear(ends[0], ends[1])].map(moved), |curves| {
        let samples = sampled(curves, Depth::Coarse, 1e-3, 100);
        let last = samples.list[3].times[0];
        // In a part of the length `h` at the end, with the second derivatives `12 - 36u` and `-24`.
        let (h, second) = (1.0 - last, 12.0 - 36.0 * last);
        let inner = h * h * (2.0 * -24.0 + second).abs() / 18.0;
        let missed = samples.missed.expect("it is bounded");
        assert!(is_near(missed, 0.75 * inner), "{missed}");
    });
}

/// A joint with another one below it that moves the vertices, or moves them itself.
fn extended(is_below: bool, change: impl FnOnce(&mut Asset)) -> Asset {
    let mut rig = AssetBuilder::new();
    let hand = rig.node("hand", None, Trs::IDENTITY);
    let away = Trs {
        translation: Vec3::Y * 10.0,
        ..Trs::IDENTITY
    };
    let joint = if is_below {
        rig.node("tip", Some(hand), away)
    } else {
        hand
    };
    let mesh = rig.mesh(Mesh {
        positions: vec![Vec3::Y * 10.0, Vec3::Y * 10.5, Vec3::new(0.5, 10.0, 0.0)],
        triangles: vec![[0, 1, 2]],
        ..Mesh::default()
    });
    rig.skin(mesh, [[(joint, 1.0)]; 3]);
    rig.clip("clip");
    let mut asset = rig.build().expect("it is whole");
    asset.clips[0].end = Seconds(1.0);
    change(&mut asset);
    asset
}

fn hand_turned(track: Track<Quat>) -> impl FnOnce(&mut Asset) {
    drive(NodeId(0), |hand| hand.rotation = Some(track))
}

#[test]
fn vertices_of_a_joint_without_a_counterpart_reach_as_far_as_they_are_from_its_carrier() {
    let [eased, linear] = turns(1.0);
    for is_below in [[true, false], [false, true]] {
        let models = [
            extended(is_below[0], hand_turned(eased.clone())),
            extended(is_below[1], hand_turned(linear.clone())),
        ];
        let stray = stray(models);
        assert!(stray > 10.0 * EASED && stray.is_finite(), "{stray}");
    }
}

/// It leaves its place and comes back, so that it is there at both keys and halfway between them.
#[test]
fn what_a_joint_without_a_counterpart_does_between_keys_is_found() {
    let [_, linear] = turns(1.0);
    let away = Vec3::Y * 10.0;
    let still = extended(false, hand_turned(linear.clone()));
    let driven = |slope: Vec3| {
        extended(true, |asset| {
            hand_turned(linear.clone())(asset);
            let track = cubic([away; 2], [slope; 2]);
            drive(NodeId(1), |tip| tip.translation = Some(track))(asset);
        })
    };
    assert!(stray([still.clone(), driven(Vec3::X)]).is_infinite());
    let differs = |slope: Vec3| {
        let [before, after] = [still.clone(), driven(slope)].map(Source::from);
        let report = compare(&before, &after, &Options::default()).expect("they correspond");
        let take = report.takes.last().expect("there is a clip");
        (take.missed.is_some(), take.verdict.differs())
    };
    assert_eq!(
        [Vec3::ZERO, Vec3::X].map(differs),
        [(false, false), (false, true)]
    );
}
