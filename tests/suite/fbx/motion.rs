//! The motion of clips between keys.

use glam::DVec3;
use skincheck::pose::{self, SampleTime, Wrap};
use skincheck::rig::{Format, ReaderCode, Span};
use skincheck::units::{Seconds, SignedAxis};

use super::{assert_point, at_rest, deformed, fixture, posed, position, world};

/// From 0 to 1 with no speed at either end: a cubic curve with flat tangents.
fn ease(time: f64) -> f64 {
    time * time * (3.0 - 2.0 * time)
}

#[test]
fn cubic_and_held_keys_are_what_their_formulas_say() {
    let asset = fixture("cubic_keys.fbx");
    for time in [0.0, 0.125, 0.25, 0.4999, 0.5, 0.5001, 0.7, 0.999, 1.0] {
        let pose = posed(&asset, time);
        let held = if time < 0.5 {
            1.0
        } else if time < 1.0 {
            2.0
        } else {
            3.0
        };
        let ahead = if time <= 0.0 {
            1.0
        } else if time <= 0.5 {
            2.0
        } else {
            3.0
        };
        let expected = DVec3::new(10.0 * ease(time), held, ahead);
        assert_point(position(&asset, &pose, "joint"), expected);
        let (sine, cosine) = (90.0 * ease(time)).to_radians().sin_cos();
        let x_axis = world(&asset, &pose, "joint").x_axis.truncate();
        assert_point(x_axis, DVec3::new(cosine, sine, 0.0));
    }
}

#[test]
fn a_key_that_is_asked_for_has_its_own_value_and_not_that_behind_a_jump() {
    let asset = fixture("cubic_keys.fbx");
    let clip = &asset.clips[0];
    let frame = SampleTime::Frame {
        index: 15,
        fps: Some(30.0),
    };
    for sample_time in [
        frame,
        SampleTime::Time(Seconds(0.5)),
        SampleTime::Phase(0.5),
    ] {
        let playback = pose::resolve(clip, sample_time, Wrap::Clamp).expect("it is in the clip");
        let pose = posed(&asset, playback.time.0);
        assert_point(position(&asset, &pose, "joint"), DVec3::new(5.0, 2.0, 2.0));
    }
}

#[test]
fn a_curve_that_one_cubic_span_can_follow_has_no_more_keys_than_the_file() {
    let asset = fixture("in_between.fbx");
    assert!(asset.clips[0].channels.is_empty());
    let asset = fixture("layers.fbx");
    let track = asset.clips[0].channels[0].translation.as_ref();
    let keys = &track.expect("the joint moves").keys;
    let times: Vec<f64> = keys.iter().map(|key| key.time.0).collect();
    assert_eq!(times, [0.0, 0.5, 1.0]);
    let straight = |span: &Span<_>| *span == Span::Linear;
    assert!(keys[..2].iter().all(|key| straight(&key.span)));
}

#[test]
fn a_rotation_by_more_than_180_degrees_goes_all_the_way() {
    let asset = fixture("wide_turn.fbx");
    for step in 0..=40_u32 {
        let time = f64::from(step) / 20.0;
        let (sine, cosine) = (360.0 * time).to_radians().sin_cos();
        let x_axis = world(&asset, &posed(&asset, time), "joint").x_axis;
        assert_point(x_axis.truncate(), DVec3::new(cosine, sine, 0.0));
    }
}

#[test]
fn layers_add_up_by_their_weights() {
    let asset = fixture("layers.fbx");
    for time in [0.0, 0.3, 0.5, 0.6, 0.9, 1.0] {
        let more = 8.0 * (time - 0.5_f64).max(0.0);
        let expected = DVec3::X * (10.0 * time + 0.5 * more);
        assert_point(position(&asset, &posed(&asset, time), "joint"), expected);
    }
}

#[test]
fn a_curve_that_repeats_goes_on_to_the_end_of_its_stack() {
    let asset = fixture("repeat.fbx");
    assert_eq!(asset.clips[0].end, Seconds(3.0));
    for time in [0.25, 0.999, 1.25, 1.75, 2.5, 2.999] {
        let expected = DVec3::X * (5.0 * (time % 1.0));
        assert_point(position(&asset, &posed(&asset, time), "joint"), expected);
    }
}

#[test]
fn in_between_shapes_alternate() {
    let asset = fixture("in_between.fbx");
    let targets = &asset.meshes[0].morph_targets;
    let names: Vec<&str> = targets.iter().map(|target| target.name.as_str()).collect();
    assert_eq!(names, ["lift.half", "lift.whole"]);
    let lifted = |pose| deformed(&asset, &pose)[0].positions[0].as_dvec3();
    assert_point(lifted(at_rest(&asset)), DVec3::Y * 0.5);
    for time in [0.0, 0.2, 0.5, 0.51, 0.75, 1.0] {
        let height = if time <= 0.5 {
            2.0 * time
        } else {
            let way = (time - 0.5) / 0.5;
            (1.0 - way) + 4.0 * way
        };
        assert_point(lifted(posed(&asset, time)), DVec3::Y * height);
    }
}

#[test]
fn a_take_of_version_6_rotates_its_joint() {
    let asset = fixture("version_6100.fbx");
    assert_eq!(asset.reader.code, ReaderCode::Ufbx);
    let version = Some((6, 1));
    assert_eq!(asset.format, Format::Fbx { version });
    let space = asset.space;
    assert_eq!(
        (space.up, space.front),
        (SignedAxis::PlusZ, SignedAxis::MinusY)
    );
    let inch = space.metres_per_unit.expect("the file states its unit");
    assert!((inch - 0.0254).abs() < 1e-12, "{inch}");
    let clip = &asset.clips[0];
    assert_eq!(
        (clip.name.as_str(), clip.start, clip.end),
        ("Turn", Seconds(1.0), Seconds(2.0))
    );
    for time in [1.0, 1.3, 1.9, 2.0] {
        let (sine, cosine) = (90.0 * (time - 1.0_f64)).to_radians().sin_cos();
        let corner = deformed(&asset, &posed(&asset, time))[0].positions[1];
        assert_point(corner.as_dvec3(), DVec3::new(cosine, sine, 0.0));
    }
}
