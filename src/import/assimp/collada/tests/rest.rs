//! Which parts of a joint have keys.

use super::*;

/// The only channel, of joints that rest at `rest`.
fn resting(animations: &str, rest: Trs) -> Channel {
    let read = read(&document(animations, ""), &skeleton_at(rest));
    let read = read.unwrap_or_else(|failure| panic!("{failure:?}"));
    read.clips[0].channels[0].clone()
}

#[test]
fn a_part_that_nothing_drives_has_a_key_only_where_the_joint_rests_elsewhere() {
    let turned = animation("a", "arm-id/z.ANGLE", 1, ["0 1", "0 90", "LINEAR LINEAR"]);
    let place = Vec3::new(1.0, 2.0, 3.0);
    let elsewhere = only_channel(&turned);
    let keys = elsewhere
        .translation
        .expect("it is not the rest value")
        .keys;
    assert_eq!((keys.len(), keys[0].value), (1, place));
    let rest = Trs {
        translation: place * (1.0 + 1e-7),
        ..Trs::IDENTITY
    };
    let channel = resting(&turned, rest);
    assert!(channel.rotation.is_some());
    assert_eq!((channel.translation, channel.scale), (None, None));
}

#[test]
fn a_part_that_is_driven_has_its_keys_even_if_it_stays_at_rest() {
    let still = animation("a", "arm-id/s.X", 1, ["0 1", "1 1", "LINEAR LINEAR"]);
    assert_eq!(
        only_channel(&still).scale.expect("it is driven").keys.len(),
        1
    );
    let rest = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 ";
    let still = animation(
        "a",
        "flat-id/m",
        16,
        ["0 1", &rest.repeat(2), "LINEAR LINEAR"],
    );
    let channel = only_channel(&still);
    assert!(channel.translation.is_some() && channel.rotation.is_some());
    assert!(channel.scale.is_some());
}

#[test]
fn a_matrix_has_keys_of_the_parts_that_move_or_are_not_at_rest() {
    let lifted = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 1 0 0 0 0 1 0 5 0 0 1 0 0 0 0 1";
    let lifted = animation("a", "flat-id/m", 16, ["0 1", lifted, "LINEAR LINEAR"]);
    let channel = only_channel(&lifted);
    assert_eq!(channel.translation.expect("it moves").keys.len(), 2);
    assert_eq!((channel.rotation, channel.scale), (None, None));
    let large = Trs {
        scale: Vec3::splat(2.0),
        ..Trs::IDENTITY
    };
    let scale = resting(&lifted, large).scale;
    let keys = scale.expect("it is not the rest value").keys;
    assert_eq!((keys.len(), keys[0].value), (1, Vec3::ONE));
}
