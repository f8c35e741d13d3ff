use glam::Vec3;

use super::*;

/// Keys at these times with these values on the x axis, mended; their times, and the defects as kind, count and
/// message.
fn mended(times: &[f32], x: &[f32], is_step: bool) -> (Vec<f32>, Vec<(DefectKind, usize, String)>) {
    let pairs = times.iter().zip(x).enumerate();
    let mut keys: Vec<RawKey<Vec3>> = pairs
        .map(|(number, (&time, &x))| RawKey {
            number,
            time,
            value: Vec3::X * x,
            tangents: None,
        })
        .collect();
    let defects = logged(|site| mend(&mut keys, is_step, site));
    (keys.iter().map(|key| key.time).collect(), defects)
}

fn logged(act: impl FnOnce(&mut Site<'_>)) -> Vec<(DefectKind, usize, String)> {
    let mut log = Log::default();
    act(&mut Site {
        place: Place::clip("Run"),
        clip: "clip \"Run\"",
        log: &mut log,
    });
    let defects = log.defects.into_evidence([]).defects;
    let told = defects.into_iter().map(|d| (d.kind, d.count, d.message));
    told.collect()
}

#[test]
fn keys_that_go_back_are_put_in_order_and_told_once_a_step_back() {
    let (times, defects) = mended(&[0.0, 2.0, 1.0, 3.0, 2.5], &[0.0; 5], false);
    assert_eq!(times, [0.0, 1.0, 2.0, 2.5, 3.0]);
    let message = "key 2 at 1 s comes after one at 2 s".to_owned();
    assert_eq!(defects, [(DefectKind::UnorderedKeys, 2, message)]);
}

#[test]
fn two_keys_at_one_time_conflict_only_if_they_differ_and_are_not_held() {
    let conflict = "keys 0 and 1 are both at 1 s and differ".to_owned();
    let same = "keys 0 and 1 are both at 1 s".to_owned();
    let kinds = [
        (0.5, false, (DefectKind::ConflictingKeys, 1, conflict)),
        (0.0, false, (DefectKind::UnorderedKeys, 1, same.clone())),
        (0.5, true, (DefectKind::UnorderedKeys, 1, same)),
    ];
    for (x, is_step, expected) in kinds {
        assert_eq!(mended(&[1.0, 1.0], &[0.0, x], is_step).1, [expected]);
    }
}

#[test]
fn keys_that_are_no_numbers_go_and_disturb_no_other_check() {
    let times = [0.0, f32::NAN, 1.0, 2.0, f32::INFINITY];
    let x = [0.0, 1.0, f32::NAN, f32::INFINITY, 0.0];
    let (times, defects) = mended(&times, &x, false);
    assert_eq!(times, [0.0]);
    let message = "the time of key 1 is NaN or infinite".to_owned();
    assert_eq!(defects, [(DefectKind::NonfiniteKey, 4, message)]);
}

#[test]
fn the_earliest_time_before_0_is_told_and_its_key_stays() {
    let (times, defects) = mended(&[-0.5, -0.25, -0.0, 1.0], &[0.0; 4], false);
    assert_eq!(times.len(), 4);
    let message = "key 0 is at -0.5 s".to_owned();
    assert_eq!(defects, [(DefectKind::NegativeTime, 2, message)]);
}

#[test]
fn rotations_become_units_or_go() {
    let lengths = [1.0, 1.0076, 1.5, 0.001, 0.0, 0.9];
    let mut keys: Vec<RawKey<Quat>> = lengths
        .iter()
        .enumerate()
        .map(|(number, &length)| RawKey {
            number,
            time: 0.0,
            value: Quat::from_xyzw(0.0, 0.0, 0.0, length),
            tangents: None,
        })
        .collect();
    let defects = logged(|site| mend_rotations(&mut keys, site));
    let left: Vec<f32> = keys.iter().map(|key| key.value.w).collect();
    assert_eq!(left, [1.0, 1.0076, 1.0, 1.0]);
    let long = "rotation key 2 has length 1.5, not 1".to_owned();
    let zero = "rotation key 4 has length 0".to_owned();
    let expected = [
        (DefectKind::NonunitKey, 2, long),
        (DefectKind::ZeroQuaternion, 2, zero),
    ];
    assert_eq!(defects, expected);
}
