use glam::Vec3;

use super::*;
use crate::pose::rigs;
use crate::rig::{Channel, Key, NodeId, Span, Track};

fn clip(start: f64, end: f64) -> Clip {
    rigs::clip("walk", start, end)
}

/// The time and whether it was clamped, of a sample_time in seconds.
fn at(clip: &Clip, time: f64, wrap: Wrap) -> (f64, bool) {
    let playback = resolve(clip, SampleTime::Time(Seconds(time)), wrap).unwrap();
    (playback.time.0, playback.clamped)
}

#[test]
fn clamping_holds_the_ends_and_says_so() {
    let clip = clip(1.0, 3.0);
    let clamped = |time| at(&clip, time, Wrap::Clamp);
    assert_eq!(clamped(0.0), (1.0, true));
    assert_eq!(clamped(1.0), (1.0, false));
    assert_eq!(clamped(2.5), (2.5, false));
    assert_eq!(clamped(3.0), (3.0, false));
    assert_eq!(clamped(3.5), (3.0, true));
}

#[test]
fn the_rounding_of_a_file_is_not_outside_of_its_clip() {
    let frames = (1..240_u16).map(|frame| (f64::from(frame) / 30.0, f32::from(frame) / 30.0));
    let late: Vec<_> = frames
        .filter(|(frame, end)| *frame > f64::from(*end))
        .collect();
    assert!(late.len() > 50);
    for (frame, end) in late {
        let end = f64::from(end);
        assert_eq!(at(&clip(0.0, end), frame, Wrap::Clamp), (end, false));
        assert_eq!(at(&clip(0.0, end), frame, Wrap::Loop), (end, false));
    }
}

/// A joint that steps to the frame's number at each of `times`.
fn stepping(times: &[f64]) -> Clip {
    let keys = times.iter().map(|time| Key {
        time: Seconds(*time),
        value: Vec3::ZERO,
        span: Span::Step,
    });
    let channel = Channel {
        translation: Some(Track {
            keys: keys.collect(),
        }),
        ..Channel::of(NodeId(0))
    };
    Clip {
        channels: vec![channel],
        ..clip(0.0, *times.last().unwrap())
    }
}

#[test]
fn a_frame_is_the_key_that_a_file_holds_for_it() {
    // As exporters reckon: a frame's number over the rate, or times a frame's length.
    let over = |frame: u16, rate: u16| f32::from(frame) / f32::from(rate);
    let times = |frame: u16, rate: u16| f32::from(frame) * (1.0 / f32::from(rate));
    let conversions: [fn(u16, u16) -> f32; 2] = [over, times];
    let rates = [24, 25, 30, 60].into_iter();
    for (rate, time) in rates.flat_map(|rate| conversions.map(|time| (rate, time))) {
        let keys: Vec<f64> = (0..=600)
            .map(|frame| f64::from(time(frame, rate)))
            .collect();
        let clip = stepping(&keys);
        let fps = Some(f64::from(rate));
        for (index, key) in (0..).zip(&keys) {
            let frame = resolve(&clip, SampleTime::Frame { index, fps }, Wrap::Clamp);
            assert_eq!(frame.unwrap().time, Seconds(*key), "{rate} {index}");
        }
    }
}

#[test]
fn a_frame_of_a_later_lap_is_its_key_too() {
    for rate in [24_u16, 30, 60] {
        let time = |frame: u16| f64::from(f32::from(frame) / f32::from(rate));
        let keys: Vec<f64> = (0..=44).map(time).collect();
        let clip = stepping(&keys);
        for lap in 1..8_u16 {
            for (index, key) in (u16::from(lap == 1)..44).zip(&keys[usize::from(lap == 1)..]) {
                let frame = SampleTime::Frame {
                    index: i64::from(lap * 44 + index),
                    fps: Some(f64::from(rate)),
                };
                let looped = resolve(&clip, frame, Wrap::Loop).unwrap();
                assert_eq!(looped.time, Seconds(*key), "{rate} {lap} {index}");
            }
        }
    }
}

#[test]
fn a_time_between_two_keys_stays_there_however_late_it_is() {
    let near = |clip: &Clip, time, expected: f64| {
        let (time, _) = at(clip, time, Wrap::Loop);
        assert!((time - expected).abs() < 1e-6, "{time} for {expected}");
    };
    let short = stepping(&[0.0, 0.25, 0.5]);
    near(&short, 1_000_000.1, 0.1);
    near(&short, 1_000_000.4, 0.4);
    near(&short, 1_000_000.25, 0.25);
    near(&stepping(&[0.0, 0.001, 0.5]), 1_000_000.000_5, 0.000_5);
    for time in [1e7, 1e9] {
        assert_eq!(at(&stepping(&[0.0, 1.0]), time, Wrap::Loop), (0.0, false));
        assert_eq!(at(&short, time, Wrap::Loop), (0.0, false));
    }
}

#[test]
fn a_time_beside_every_key_stays_unchanged() {
    let clip = stepping(&[0.0, 0.1, 0.1 + 1e-8, 0.2]);
    let at = |time| Seconds(at(&clip, time, Wrap::Clamp).0);
    for time in [0.05, 0.099_999, 0.1, 0.100_001, 0.15] {
        assert_eq!(at(time), Seconds(time));
    }
    let phase = |phase| {
        resolve(&clip, SampleTime::Phase(phase), Wrap::Clamp)
            .unwrap()
            .time
    };
    assert_eq!(phase(0.5), Seconds(0.1 + 1e-8));
    assert_eq!(phase(0.499), Seconds(0.499 * 0.2));
}

#[test]
fn a_jump_right_behind_a_key_is_not_at_the_key() {
    let clip = stepping(&[0.0, 1.0, 1.0_f64.next_up(), 2.0]);
    for fps in [30.0, 30.0 + 1e-6, 30.0 - 1e-6] {
        let frame = SampleTime::Frame {
            index: 30,
            fps: Some(fps),
        };
        assert_eq!(
            resolve(&clip, frame, Wrap::Clamp).unwrap().time,
            Seconds(1.0)
        );
    }
    for time in [1.0, 1.0 - 1e-8, 1.0_f64.next_up(), 1.0 + 1e-6] {
        assert_eq!(at(&clip, time, Wrap::Clamp), (time, false));
    }
}

/// Looping, as a law: the end stays the end, the clip restarts past it, and another whole duration makes no difference.
fn looping_keeps_the_end_and_repeats(
    resolve: impl Fn(&Clip, SampleTime, Wrap) -> Result<Playback, PlaybackError>,
) -> bool {
    let clip = clip(0.5, 2.5);
    let at = |time| resolve(&clip, SampleTime::Time(Seconds(time)), Wrap::Loop);
    let is = |time, expected| at(time).is_ok_and(|playback| playback.time == Seconds(expected));
    let ends = is(2.5, 2.5) && [4.5, 6.5].iter().all(|&time| is(time, 0.5));
    let repeats = (0..4).all(|n| is(0.75 + 2.0 * f64::from(n), 0.75));
    ends && repeats && is(0.5, 0.5) && is(0.25, 2.25) && is(2.25, 2.25)
}

#[test]
fn looping_keeps_the_end_as_the_end() {
    assert!(looping_keeps_the_end_and_repeats(resolve));
}

#[test]
fn a_loop_by_remainder_alone_is_caught() {
    let remainder = |clip: &Clip, sample_time: SampleTime, _| match sample_time {
        SampleTime::Time(time) => Ok(Playback {
            time: Seconds(clip.start.0 + (time.0 - clip.start.0).rem_euclid(clip.duration().0)),
            clamped: false,
        }),
        _ => Err(PlaybackError::NotFinite(0.0)),
    };
    assert!(!looping_keeps_the_end_and_repeats(remainder));
}

#[test]
fn a_clip_of_one_time_stays_there() {
    let clip = clip(2.0, 2.0);
    assert_eq!(at(&clip, 7.0, Wrap::Loop), (2.0, false));
    assert_eq!(at(&clip, 7.0, Wrap::Clamp), (2.0, true));
    assert_eq!(at(&clip, 2.0, Wrap::Clamp), (2.0, false));
    assert_eq!(
        resolve(&clip, SampleTime::Phase(0.5), Wrap::Loop)
            .unwrap()
            .time,
        Seconds(2.0)
    );
}

#[test]
fn the_largest_times_stay_inside_of_the_clip() {
    for clip in [clip(-1e308, 1e308), clip(0.0, 1e-300), clip(0.0, 1e308)] {
        for time in [0.0, 1e-320, 1.0, 1e300, f64::MAX] {
            for wrap in [Wrap::Clamp, Wrap::Loop] {
                let (time, _) = at(&clip, time, wrap);
                assert!(time >= clip.start.0 && time <= clip.end.0, "{time}");
            }
        }
    }
}

#[test]
fn times_that_are_none_are_errors() {
    let at = |start, time| {
        resolve(
            &clip(start, 9.0),
            SampleTime::Time(Seconds(time)),
            Wrap::Loop,
        )
    };
    assert!(matches!(
        at(0.0, f64::NAN),
        Err(PlaybackError::NotFinite(_))
    ));
    assert!(matches!(
        at(0.0, f64::INFINITY),
        Err(PlaybackError::NotFinite(_))
    ));
    assert!(matches!(at(0.0, -0.5), Err(PlaybackError::Negative { .. })));
    assert!(matches!(
        at(-1.0, -1.5),
        Err(PlaybackError::Negative { .. })
    ));
    assert!(at(-1.0, -0.5).is_ok());
}

#[test]
fn frames_count_from_0_s_wherever_the_clip_starts() {
    let of = |start, index, fps| {
        let clip = clip(start, 3.0);
        resolve(&clip, SampleTime::Frame { index, fps }, Wrap::Clamp)
    };
    let frame = |index, fps| of(1.0, index, fps);
    assert_eq!(frame(30, None).unwrap().time, Seconds(1.0));
    assert_eq!(frame(45, None).unwrap().time, Seconds(1.5));
    assert_eq!(frame(75, Some(60.0)).unwrap().time, Seconds(1.25));
    for outside in [0, 29, 600] {
        assert!(frame(outside, None).unwrap().clamped, "{outside}");
    }
    assert_eq!(of(-1.0, -15, None).unwrap().time, Seconds(-0.5));
    assert!(matches!(
        frame(-15, None),
        Err(PlaybackError::Negative { .. })
    ));
    for fps in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            frame(1, Some(fps)),
            Err(PlaybackError::FrameRate(_))
        ));
    }
    assert!(matches!(
        frame(i64::MAX, Some(1e-300)),
        Err(PlaybackError::NotFinite(_))
    ));
}

#[test]
fn a_phase_runs_from_the_start_to_the_end() {
    let phase = |phase| resolve(&clip(1.0, 3.0), SampleTime::Phase(phase), Wrap::Loop);
    assert_eq!(phase(0.0).unwrap().time, Seconds(1.0));
    assert_eq!(phase(0.5).unwrap().time, Seconds(2.0));
    assert_eq!(phase(1.0).unwrap().time, Seconds(3.0));
    for wrong in [-0.1, 1.1, f64::NAN] {
        assert!(matches!(phase(wrong), Err(PlaybackError::Phase(_))));
    }
}
