//! The parts of a joint that have keys.

use super::*;

#[test]
fn a_part_that_nothing_drives_has_no_key() {
    let rotated = animation("a", "arm-id/z.ANGLE", 1, ["0 1", "0 90", "LINEAR LINEAR"]);
    let channel = only_channel(&rotated);
    assert!(channel.rotation.is_some());
    assert_eq!((channel.translation, channel.scale), (None, None));
}

#[test]
fn a_part_that_is_driven_has_its_keys_even_if_it_stays_at_rest() {
    let constant = animation("a", "arm-id/s.X", 1, ["0 1", "1 1", "LINEAR LINEAR"]);
    assert_eq!(
        only_channel(&constant)
            .scale
            .expect("it is driven")
            .keys
            .len(),
        1
    );
    let rest = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 ";
    let constant = animation(
        "a",
        "flat-id/m",
        16,
        ["0 1", &rest.repeat(2), "LINEAR LINEAR"],
    );
    let channel = only_channel(&constant);
    assert!(channel.translation.is_some() && channel.rotation.is_some());
    assert!(channel.scale.is_some());
}

#[test]
fn a_matrix_has_keys_of_the_parts_that_move_or_are_not_at_rest() {
    let lifted = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 1 0 0 0 0 1 0 5 0 0 1 0 0 0 0 1";
    let moved = animation("a", "flat-id/m", 16, ["0 1", lifted, "LINEAR LINEAR"]);
    let channel = only_channel(&moved);
    assert_eq!(channel.translation.expect("it moves").keys.len(), 2);
    assert_eq!((channel.rotation, channel.scale), (None, None));
    let large = document(&moved, "").replace(
        "<matrix sid=\"m\">1 0 0 0 0 1",
        "<matrix sid=\"m\">2 0 0 0 0 1",
    );
    let scale = model(&large).unwrap().clips[0].channels[0].scale.clone();
    let keys = scale.expect("it is not the rest value").keys;
    assert_eq!((keys.len(), keys[0].value), (1, Vec3::ONE));
}
