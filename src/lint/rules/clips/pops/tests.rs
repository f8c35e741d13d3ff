use super::*;

const OUTLIER: Outlier = Outlier {
    times_around: 4.0,
    diagonals: 0.02,
};

/// The keys that stick out of heights in diagonals, one per frame.
fn pops(heights: &[f64]) -> Vec<usize> {
    pops_at(heights, 1.0)
}

/// The same, with keys every `frames` frames.
fn pops_at(heights: &[f64], frames: f64) -> Vec<usize> {
    let frame = 1.0 / 30.0;
    let positions: Vec<DVec3> = heights
        .iter()
        .map(|height| DVec3::Y * *height * 2.0)
        .collect();
    let times: Vec<f64> = (0..u32::try_from(heights.len()).unwrap())
        .map(|key| f64::from(key) * frames * frame)
        .collect();
    let path = Path {
        times: &times,
        positions: &positions,
        frame,
        size: 2.0,
    };
    let gaps = Gap::all(&times, frame, 0..times.len());
    path.pops(&gaps, OUTLIER)
        .iter()
        .map(|found| found.key)
        .collect()
}

/// A second of swaying by a tenth of a diagonal, with `change` at its middle frames.
fn swaying(change: &[f64]) -> Vec<f64> {
    let sway = |frame: u32| 0.05 * (f64::from(frame) * std::f64::consts::TAU / 60.0).sin();
    let mut heights: Vec<f64> = (0..60).map(sway).collect();
    for (height, change) in heights[30..].iter_mut().zip(change) {
        *height += change;
    }
    heights
}

#[test]
fn one_key_or_two_off_the_way_pop() {
    assert_eq!(pops(&swaying(&[0.2])), [30]);
    assert_eq!(pops(&swaying(&[-0.2, -0.2])), [30]);
    assert_eq!(pops(&[0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0]), [3]);
}

#[test]
fn a_pop_is_over_after_two_frames() {
    assert!(pops(&swaying(&[0.2, 0.2, 0.2])).is_empty());
    assert!(pops(&swaying(&[0.2; 40])).is_empty(), "a jump that stays");
}

#[test]
fn a_flight_that_starts_again_does_not_pop() {
    let flown = |last: f64| pops(&[0.0, 0.0, 0.0, 0.0, 0.1, 0.2, last, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert!(flown(0.3).is_empty());
    assert_eq!(flown(-0.6), [6]);
}

#[test]
fn a_key_that_is_approached_for_long_does_not_pop() {
    let popped = |there: f64| {
        let frame = 1.0 / 30.0;
        let times: Vec<f64> = (0..7)
            .map(|key| f64::from(key) + if key < 3 { 0.0 } else { there - 1.0 })
            .map(|time| time * frame)
            .collect();
        let mut positions = [DVec3::ZERO; 7];
        positions[3] = DVec3::Y * 0.6;
        let path = Path {
            times: &times,
            positions: &positions,
            frame,
            size: 2.0,
        };
        path.pops(&Gap::all(&times, frame, 0..7), OUTLIER).len()
    };
    assert_eq!(popped(1.0), 1);
    assert_eq!(popped(4.0), 0);
}

#[test]
fn a_barely_visible_jump_is_not_a_pop() {
    assert!(pops(&swaying(&[0.015])).is_empty());
}

#[test]
fn fast_and_smooth_motions_are_not_pops() {
    let kick = |frames: u32| -> Vec<f64> {
        let phase = |frame: u32| f64::from(frame) / f64::from(frames);
        (1..frames)
            .map(|frame| 0.4 * (phase(frame) * std::f64::consts::PI).sin())
            .collect()
    };
    for frames in 4..20 {
        assert!(pops(&swaying(&kick(frames))).is_empty(), "{frames} frames");
    }
    let strike = [-0.02, -0.05, -0.08, 0.3, 0.35, 0.33, 0.25, 0.15, 0.07, 0.02];
    assert!(pops(&swaying(&strike)).is_empty());
    let jump: Vec<f64> = (0..10).map(|f| 0.01 * f64::from(f * (10 - f))).collect();
    assert!(pops(&swaying(&jump)).is_empty());
}

/// A second of running on the spot, by up to a tenth of a diagonal in a frame, with `change` at its middle frames.
fn running(change: &[f64]) -> Vec<f64> {
    let stride = |frame: u32| 0.24 * (f64::from(frame) * std::f64::consts::TAU / 15.0).sin();
    let mut heights: Vec<f64> = (0..60).map(stride).collect();
    for (height, change) in heights[30..].iter_mut().zip(change) {
        *height += change;
    }
    heights
}

#[test]
fn a_key_off_the_way_of_a_fast_limb_pops() {
    assert!(pops(&running(&[])).is_empty());
    for change in [0.15, -0.15] {
        assert_eq!(pops(&running(&[change])), [30], "{change}");
        assert_eq!(pops(&running(&[change, change])), [30], "{change}");
    }
}

#[test]
fn a_limb_that_stops_starts_or_reverses_abruptly_does_not_pop() {
    let times = (-20..20).map(f64::from);
    let corners: [fn(f64) -> f64; 4] = [
        |time| 0.3 * time.min(0.0),
        |time| 0.3 * time.max(0.0),
        |time| 0.3 * time.abs(),
        |time| if time < 0.0 { 0.0 } else { 0.5 },
    ];
    for (number, corner) in corners.into_iter().enumerate() {
        let heights: Vec<f64> = times.clone().map(corner).collect();
        assert!(pops(&heights).is_empty(), "{number}");
    }
}

#[test]
fn a_blow_that_swings_beyond_its_aim_does_not_pop() {
    let blow = [[0.0; 8], [0.3; 8]].concat();
    assert!(pops(&blow).is_empty());
    let mut beyond = blow;
    beyond[8] = 0.5;
    assert!(pops(&beyond).is_empty());
}

#[test]
fn trembling_and_whirling_all_along_are_not_pops() {
    let hammer: Vec<f64> = (0..40)
        .map(|f| if f % 2 == 0 { 0.0 } else { 0.1 })
        .collect();
    assert!(pops(&hammer).is_empty());
    let rotor: Vec<f64> = (0..40).map(|f| f64::from(f % 3) * 0.1).collect();
    assert!(pops(&rotor).is_empty());
}

#[test]
fn keys_far_apart_in_time_are_not_pops() {
    let heights = [0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0];
    assert!(pops_at(&heights, 6.0).is_empty());
    assert!(pops_at(&heights, 0.25).is_empty(), "a flash between frames");
}

#[test]
fn nan_is_not_a_pop() {
    let mut heights = swaying(&[f64::NAN]);
    assert!(pops(&heights).is_empty());
    heights[40] = f64::INFINITY;
    assert!(pops(&heights).is_empty());
    for few in 0..4 {
        assert!(pops(&heights[..few]).is_empty());
    }
}

/// The first and the last keys.
fn gaps(times: &[f64]) -> Vec<[usize; 2]> {
    let gaps = Gap::all(times, 1.0, 0..times.len()).into_iter();
    gaps.map(|gap| [gap.first, gap.last]).collect()
}

#[test]
fn one_key_or_two_are_a_gap_where_frames_follow_each_other() {
    assert_eq!(gaps(&[0.0, 1.0, 2.0, 3.0, 4.0]), [[2, 2]]);
    let of_six = [[2, 2], [2, 3], [3, 3]];
    assert_eq!(gaps(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), of_six);
    assert!(gaps(&[0.0, 1.0, 2.0]).is_empty());
}

#[test]
fn parts_of_the_keys_have_the_gaps_of_the_whole() {
    let times: Vec<f64> = (0..20).map(f64::from).collect();
    let firsts = |range| {
        let gaps = Gap::all(&times, 1.0, range).into_iter();
        gaps.map(|gap| [gap.first, gap.last]).collect::<Vec<_>>()
    };
    let parts = [0..7, 7..14, 14..21].map(firsts).concat();
    assert_eq!(parts, gaps(&times));
}

#[test]
fn cuts_and_long_waits_are_none() {
    assert!(gaps(&[0.0, 1.0, 1.1, 2.0, 3.0]).is_empty());
    assert!(gaps(&[0.0, 1.0, 2.0, 4.2, 5.0]).is_empty());
}

#[test]
fn cubic_motion_counts_as_motion() {
    let times = [0.0, 0.7, 1.0, 1.4, 2.0, 2.5];
    let positions = times.map(|t: f64| DVec3::new(t * t * t - 2.0 * t, t, 1.0));
    let interpolated = Gap::new(&times, 2, 3).interpolated(&positions);
    assert!(
        interpolated[0].distance(positions[2]) < 1e-12
            && interpolated[1].distance(positions[3]) < 1e-12
    );
}
