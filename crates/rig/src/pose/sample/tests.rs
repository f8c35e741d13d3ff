//! Keys, gaps and bad values, one by one.

use glam::Mat4;
use proptest::prelude::*;

use super::sample_finite as sample;
use super::*;
use crate::pose::model_pose;
use crate::pose::rigs::{asset_of, clip, named_joint};
use crate::pose::track::sample_track;
use crate::rig::{Key, Mesh, MeshId, MeshInstance, NodeId, Span, Track, Trs};

const REST: Trs = Trs {
    translation: Vec3::new(1.0, 2.0, 3.0),
    rotation: Quat::from_xyzw(0.5, 0.5, 0.5, 0.5),
    scale: Vec3::new(2.0, 3.0, 4.0),
};

/// Has no translation, rotation and scale that compose to it.
const SHEARED: Mat4 = Mat4::from_cols_array_2d(&[
    [1.0, 0.5, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 2.0, 0.0],
    [7.0, 8.0, 9.0, 1.0],
]);

fn asset() -> Asset {
    asset_of(vec![
        named_joint("root", None, LocalTransform::Trs(REST)),
        named_joint("sheared", Some(0), LocalTransform::Matrix(SHEARED)),
    ])
}

fn keys<T: Clone>(span: &Span<T>, keys: &[(f64, T)]) -> Track<T> {
    let key = |(time, value): &(f64, T)| Key {
        time: Seconds(*time),
        value: value.clone(),
        span: span.clone(),
    };
    Track {
        keys: keys.iter().map(key).collect(),
    }
}

fn channel(joint: u32) -> Channel {
    Channel::of(NodeId(joint))
}

/// Turns a point from x to y, doubles z and moves it; and shears it.
const OTHER: Mat4 = Mat4::from_cols_array_2d(&[
    [0.0, 1.0, 0.0, 0.0],
    [-1.0, 0.25, 0.0, 0.0],
    [0.0, 0.0, 4.0, 0.0],
    [-1.0, 0.0, 1.0, 1.0],
]);

/// The sheared joint at some time, driven by a matrix that runs as `span` says from its rest to [`OTHER`] in a second.
fn matrix_at(span: &Span<Mat4>, time: f64) -> LocalTransform {
    let clip = clip_of(vec![Channel {
        matrix: Some(keys(span, &[(0.0, SHEARED), (1.0, OTHER)])),
        ..channel(1)
    }]);
    sample(&asset(), &clip, Seconds(time)).locals[1]
}

#[test]
fn a_matrix_runs_number_by_number_and_keeps_its_shear() {
    let quarter = SHEARED * 0.75 + OTHER * 0.25;
    let cubic = Span::Cubic {
        leave: OTHER - SHEARED,
        arrive: OTHER - SHEARED,
    };
    for (span, time, expected) in [
        (&Span::Linear, -1.0, SHEARED),
        (&Span::Linear, 0.0, SHEARED),
        (&Span::Linear, 0.25, quarter),
        (&Span::Linear, 1.5, OTHER),
        (&Span::Step, 0.25, SHEARED),
        (&Span::Step, 1.0, OTHER),
        (&cubic, 0.25, quarter),
    ] {
        let sampled = matrix_at(span, time);
        assert_eq!(sampled, LocalTransform::Matrix(expected), "{span:?} {time}");
    }
}

fn clip_of(channels: Vec<Channel>) -> Clip {
    Clip {
        channels,
        ..clip("test", 0.0, 1.0)
    }
}

/// The x of a translation track at some times.
fn along_x(track: &Track<Vec3>, times: &[f64]) -> Vec<f32> {
    let value = |time: &f64| sample_track(track, Seconds(*time)).unwrap();
    times.iter().map(|time| value(time).x).collect()
}

#[test]
fn a_channel_drives_a_matrix_or_its_parts_and_not_both() {
    let whole = Channel {
        matrix: Some(keys(&Span::Linear, &[(0.0, SHEARED)])),
        ..channel(1)
    };
    let mut asset = asset();
    asset.clips = vec![clip_of(vec![whole])];
    asset.validate().unwrap();
    asset.clips[0].channels[0].scale = Some(keys(&Span::Linear, &[(0.0, Vec3::ONE)]));
    let error = asset.validate().unwrap_err().to_string();
    assert!(error.contains("a matrix and of its parts"), "{error}");
}

#[test]
fn a_time_that_is_not_finite_is_an_error_and_not_the_pose_at_0() {
    let clip = clip_of(vec![]);
    for time in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = super::sample(&asset(), &clip, Seconds(time)).unwrap_err();
        assert!(matches!(error, PlaybackError::NotFinite(_)), "{error}");
    }
}

type Sampler = fn(&Asset, &Clip, Seconds) -> Pose;

fn parts_without_a_track_keep_their_rest(sample: Sampler) -> bool {
    let asset = asset();
    let moved = Vec3::new(-1.0, 0.0, 5.0);
    let translation = Some(keys(&Span::Linear, &[(0.0, moved)]));
    let clip = clip_of(vec![Channel {
        translation,
        ..channel(0)
    }]);
    let pose = sample(&asset, &clip, Seconds(0.5));
    let expected = Trs {
        translation: moved,
        ..REST
    };
    pose.locals[0] == LocalTransform::Trs(expected)
}

#[test]
fn a_part_without_a_track_keeps_its_rest_value() {
    assert!(parts_without_a_track_keep_their_rest(sample));
}

#[test]
fn missing_tracks_taken_as_identity_are_caught() {
    let fault: Sampler = |asset, clip, time| {
        let mut asset = asset.clone();
        let joints = asset.skeleton.nodes().iter().cloned();
        let bare = joints.map(|joint| crate::rig::Node {
            rest: LocalTransform::Trs(Trs::IDENTITY),
            ..joint
        });
        asset.skeleton = crate::rig::Skeleton::new(bare.collect()).unwrap();
        sample(&asset, clip, time)
    };
    assert!(!parts_without_a_track_keep_their_rest(fault));
}

#[test]
fn a_joint_without_a_track_keeps_its_rest_bit_for_bit() {
    let asset = asset();
    for channels in [vec![], vec![channel(1)]] {
        let pose = sample(&asset, &clip_of(channels), Seconds(0.5));
        assert_eq!(pose, rest(&asset));
        assert_eq!(pose.locals[1], LocalTransform::Matrix(SHEARED));
    }
}

#[test]
fn a_driven_joint_with_a_matrix_keeps_the_parts_of_the_matrix() {
    let asset = asset();
    let scale = Some(keys(&Span::Linear, &[(0.0, Vec3::ONE)]));
    let clip = clip_of(vec![Channel {
        scale,
        ..channel(1)
    }]);
    let local = sample(&asset, &clip, Seconds(0.0)).locals[1].to_trs();
    assert_eq!(local.translation, Vec3::new(7.0, 8.0, 9.0));
    assert_eq!(
        local.rotation,
        LocalTransform::Matrix(SHEARED).to_trs().rotation
    );
    assert_eq!(local.scale, Vec3::ONE);
}

#[test]
fn a_track_holds_before_its_first_and_after_its_last_key() {
    let track = keys(&Span::Linear, &[(1.0, Vec3::X), (2.0, Vec3::X * 3.0)]);
    assert_eq!(
        along_x(&track, &[-9.0, 0.0, 1.0, 1.5, 2.0, 9.0]),
        [1.0, 1.0, 1.0, 2.0, 3.0, 3.0]
    );
}

#[test]
fn one_key_holds_for_ever() {
    let track = keys(&Span::Linear, &[(1.0, Vec3::X)]);
    assert_eq!(along_x(&track, &[0.0, 1.0, 2.0]), [1.0; 3]);
}

#[test]
fn a_step_holds_until_the_very_time_of_the_next_key() {
    let track = keys(&Span::Step, &[(0.0, Vec3::X), (1.0, Vec3::X * 2.0)]);
    assert_eq!(along_x(&track, &[0.0, 0.999, 1.0]), [1.0, 1.0, 2.0]);
}

#[test]
fn of_keys_at_one_time_the_last_counts_from_that_time_on() {
    let values = [(0.0, 0.0), (1.0, 1.0), (1.0, 7.0), (1.0, 5.0), (2.0, 6.0)];
    let track = keys(&Span::Linear, &values.map(|(time, x)| (time, Vec3::X * x)));
    assert_eq!(along_x(&track, &[0.5, 1.0, 1.5]), [0.5, 5.0, 5.5]);
}

#[test]
fn a_key_is_exact_even_if_the_next_is_not_a_number() {
    let track = keys(&Span::Linear, &[(0.0, Vec3::X), (1.0, Vec3::NAN)]);
    assert_eq!(along_x(&track, &[0.0]), [1.0]);
    assert!(along_x(&track, &[0.5])[0].is_nan());
}

#[test]
fn a_time_that_is_not_a_number_does_not_panic() {
    let track = keys(&Span::Linear, &[(0.0, Vec3::X), (1.0, Vec3::Y)]);
    assert_eq!(
        along_x(&track, &[f64::NAN, f64::NEG_INFINITY, f64::INFINITY]),
        [1.0, 1.0, 0.0]
    );
}

#[test]
fn a_track_without_keys_is_not_a_track() {
    let empty: Track<Vec3> = Track { keys: vec![] };
    assert_eq!(sample_track(&empty, Seconds::ZERO), None);
}

#[test]
fn the_longest_spans_do_not_overflow() {
    let track = keys(&Span::Linear, &[(-1e308, Vec3::X), (1e308, Vec3::Y)]);
    assert_eq!(along_x(&track, &[0.0]), [1.0]);
}

#[test]
fn rotations_without_a_direction_keep_the_rest_rotation() {
    let asset = asset();
    let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let not_finite = Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0);
    for bad in [zero, not_finite] {
        for span in [Span::Step, Span::Linear] {
            let rotation = Some(keys(&span, &[(0.0, bad), (1.0, bad)]));
            let clip = clip_of(vec![Channel {
                rotation,
                ..channel(0)
            }]);
            let pose = sample(&asset, &clip, Seconds(0.5));
            assert_eq!(pose.locals[0].to_trs().rotation, REST.rotation);
            assert!(model_pose(&asset, &pose).nodes.iter().all(Mat4::is_finite));
        }
    }
}

#[test]
fn a_spline_through_zero_takes_the_great_arc() {
    let (from, to) = (Quat::IDENTITY, Quat::from_xyzw(-1.0, 0.0, 0.0, 0.0));
    // In the middle the spline is (from + to) / 2 + (leave - arrive) / 8.
    let leave = (from + to) * -2.0;
    let span = Span::Cubic {
        leave,
        arrive: leave * -1.0,
    };
    let mut track = keys(&span, &[(0.0, from), (1.0, to)]);
    let through_zero = sample_track(&track, Seconds(0.5)).unwrap();
    track.keys[0].span = Span::Linear;
    let arc = sample_track(&track, Seconds(0.5)).unwrap();
    assert_eq!(through_zero, arc);
}

#[test]
fn keys_180_degrees_apart_follow_the_arc_of_their_signs() {
    let rotation = |x| {
        keys(
            &Span::Linear,
            &[
                (0.0, Quat::IDENTITY),
                (1.0, Quat::from_xyzw(x, 0.0, 0.0, 0.0)),
            ],
        )
    };
    let middle = |x| sample_track(&rotation(x), Seconds(0.5)).unwrap() * Vec3::Y;
    assert!(middle(1.0).abs_diff_eq(Vec3::Z, 1e-6));
    assert!(middle(-1.0).abs_diff_eq(Vec3::NEG_Z, 1e-6));
}

#[test]
fn morph_tracks_drive_all_instances_of_their_joint() {
    let mut asset = asset();
    asset.meshes.push(Mesh::default());
    let instance = |joint, morph_weights: &[f32]| MeshInstance {
        node: NodeId(joint),
        mesh: MeshId(0),
        skin: None,
        morph_weights: morph_weights.to_vec(),
    };
    asset.instances = vec![
        instance(1, &[0.1, 0.2, 0.3]),
        instance(0, &[0.4]),
        instance(1, &[0.5]),
    ];
    let weights = keys(&Span::Linear, &[(0.0, vec![0.0, 1.0]), (1.0, vec![1.0])]);
    let clip = Clip {
        morph_channels: vec![MorphChannel {
            node: NodeId(1),
            weights,
        }],
        ..clip_of(vec![])
    };
    let pose = sample(&asset, &clip, Seconds(0.5));
    // The later key lacks the second weight, the track the third.
    assert_eq!(
        pose.morph_weights,
        [vec![0.5, 1.0, 0.3], vec![0.4], vec![0.5]]
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_cursor_in_one_track_does_not_affect_another(
        tracks in prop::collection::vec(prop::collection::vec(0_u8..9, 1..6), 2..5),
        halves in -2_i8..20,
        last in 0_usize..7,
    ) {
        let time = Seconds(0.5 * f64::from(halves));
        let mut index = TimeIndex { time, after: 0 };
        for mut times in tracks {
            times.sort_unstable();
            let keys = times.into_iter().map(|time| Key {
                time: Seconds(f64::from(time)),
                value: Vec3::ZERO,
                span: Span::Linear,
            });
            let track = Track { keys: keys.collect() };
            let alone = track.keys.partition_point(|key| key.time <= time);
            prop_assert_eq!(index.after(&track.keys, last), alone);
        }
    }
}

#[test]
fn a_sampler_gives_at_any_time_after_any_other_what_it_gives_at_first() {
    let rotated = |angle: f32| Quat::from_xyzw(angle, 0.3, -angle * angle, 0.7 - angle);
    let cubic = Span::Cubic {
        leave: Vec3::X,
        arrive: Vec3::Y,
    };
    let mut rotation = keys(
        &Span::Linear,
        &[
            (0.0, rotated(0.1)),
            (0.25, rotated(0.9)),
            (0.25, rotated(-0.4)),
            (0.5, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)),
            (0.75, rotated(0.2)),
            (1.0, rotated(0.8)),
        ],
    );
    rotation.keys[4].span = Span::Step;
    let clip = clip_of(vec![
        Channel {
            translation: Some(keys(&cubic, &[(0.1, Vec3::ZERO), (0.6, Vec3::ONE)])),
            rotation: Some(rotation),
            scale: Some(keys(&Span::Linear, &[(0.5, Vec3::ONE), (0.9, Vec3::X)])),
            ..channel(0)
        },
        Channel {
            rotation: Some(keys(
                &Span::Linear,
                &[(0.0, rotated(0.0)), (1.0, rotated(0.5))],
            )),
            ..channel(1)
        },
    ]);
    let asset = asset();
    let forward = (-10..=110).map(|step| f64::from(step) / 100.0);
    let to_and_fro = (0..200_u32).map(|step| f64::from(step * 37 % 101) / 101.0);
    let mut sampler = crate::pose::Sampler::new(&asset, &clip);
    for time in forward.clone().chain(forward.rev()).chain(to_and_fro) {
        assert_eq!(
            sampler.at_finite(Seconds(time)),
            sample_finite(&asset, &clip, Seconds(time)),
            "{time}"
        );
    }
}
