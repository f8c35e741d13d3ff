//! Transforms that do not decompose into translation, rotation and scale.

use glam::{DMat4, DVec3, Mat4};

use super::*;
use crate::import::bake::tests::read as value_at;
use crate::rig::Track;

/// The only track of whole matrices in `clip`.
fn whole(clip: &Clip) -> &Track<Mat4> {
    let [channel] = &clip.channels[..] else {
        panic!("{clip:?}")
    };
    assert_eq!(
        (&channel.translation, &channel.rotation, &channel.scale),
        (&None, &None, &None)
    );
    channel.matrix.as_ref().expect("it is sheared")
}

#[test]
fn a_sheared_matrix_is_interpolated_number_by_number() {
    let keys = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1  0 -2 0 8 2 1 0 0 0 0 1 0 0 0 0 1";
    for (kind, span) in [("LINEAR", Span::Linear), ("STEP", Span::Step)] {
        let kinds = format!("{kind} {kind}");
        let clips = clips(&animation("a", "flat-id/m", 16, ["0 1", keys, &kinds]), "");
        let track = whole(&clips[0]);
        assert_eq!(track.keys[0].span, span);
        let last = Mat4::from_cols_array_2d(&[
            [0.0, 2.0, 0.0, 0.0],
            [-2.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0, 0.0],
            [8.0, 0.0, 0.0, 1.0],
        ]);
        let values: Vec<Mat4> = track.keys.iter().map(|key| key.value).collect();
        assert_eq!(values, [Mat4::IDENTITY, last]);
    }
}

#[test]
fn a_large_translation_does_not_hide_shear() {
    let keys = "1 0.01 0 9000 0 1 0 0 0 0 1 0 0 0 0 1 ".repeat(2);
    let clips = clips(
        &animation("a", "flat-id/m", 16, ["0 1", &keys, "LINEAR LINEAR"]),
        "",
    );
    let shear = whole(&clips[0]).keys[0].value.y_axis.x;
    assert_eq!(shear.to_bits(), 0.01_f32.to_bits());
}

#[test]
fn six_decimals_of_a_small_scale_are_not_a_shear() {
    let keys = "0.008660 -0.005000 0 0 0.005000 0.008660 0 0 0 0 0.01 0 0 0 0 1 ".repeat(2);
    let constant = animation("a", "flat-id/m", 16, ["0 1", &keys, "LINEAR LINEAR"]);
    assert!(only_channel(&constant).rotation.is_some());
}

#[test]
fn a_matrix_that_is_sheared_at_rest_alone_is_straight_in_the_clip() {
    let keys = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 ".repeat(2);
    let constant = animation("a", "flat-id/m", 16, ["0 1", &keys, "LINEAR LINEAR"]);
    let sheared = "<matrix sid=\"m\">1 1 0 0 0 1";
    let text = document(&constant, "").replace("<matrix sid=\"m\">1 0 0 0 0 1", sheared);
    let mut asset = model(&text).unwrap();
    assert!(asset.skeleton.nodes()[2].rest.is_sheared());
    let channel = &asset.clips[0].channels[0];
    let rotation = channel
        .rotation
        .as_ref()
        .expect("nothing is left to the rest");
    assert_eq!(rotation.keys[0].value, glam::Quat::IDENTITY);
    assert!(channel.translation.is_some() && channel.scale.is_some());
    crate::import::shear::note_what_is_lost(&mut asset);
    assert_eq!(asset.notes, []);
}

/// `arm` with other steps after its translation and its two rotations; the first rotates from 0 to 90 degrees in a
/// second; at some times the matrix of the clip and the product of the steps.
fn is_the_product_of(steps: &str, behind: DMat4) {
    let rotated = animation("a", "arm-id/z.ANGLE", 1, ["0 1", "0 90", "LINEAR LINEAR"]);
    let steps = format!("<scale>2 1 1</scale><rotate sid=\"z\">0 0 1 0</rotate>{steps}");
    let text = document(&rotated, "")
        .replace(r#"<rotate sid="z">0 0 1 0</rotate>"#, "")
        .replace(r#"<scale sid="s">1 1 1</scale>"#, &steps);
    let asset = model(&text).unwrap();
    assert_eq!(asset.notes, [], "{steps}");
    let track = whole(&asset.clips[0]);
    for step in 0..=64 {
        let time = f64::from(step) / 64.0;
        let expected = DMat4::from_translation(DVec3::new(1.0, 2.0, 3.0))
            * DMat4::from_scale(DVec3::new(2.0, 1.0, 1.0))
            * DMat4::from_rotation_z(time * std::f64::consts::FRAC_PI_2)
            * behind;
        let sampled: DMat4 = value_at(track, time, |matrix: &Mat4| matrix.as_dmat4());
        let apart = (sampled - expected).to_cols_array();
        let apart = apart.into_iter().map(f64::abs).fold(0.0, f64::max);
        assert!(apart < 3e-6, "{apart} at {time} s: {sampled} {expected}");
    }
}

#[test]
fn a_rotation_below_an_uneven_scale_keeps_its_shear_at_all_times() {
    // Sheared neither at the first key nor at the last.
    is_the_product_of("", DMat4::IDENTITY);
    is_the_product_of(
        "<scale>1 3 1</scale>",
        DMat4::from_scale(DVec3::new(1.0, 3.0, 1.0)),
    );
}

#[test]
fn a_skew_leans_its_first_axis_towards_the_second_by_its_angle() {
    // x is sheared towards y by 45 degrees: y grows with x.
    let mut leaning = DMat4::IDENTITY;
    leaning.x_axis.y = 1.0;
    is_the_product_of("<skew>45 1 0 0 0 1 0</skew>", leaning);
    // (-1, 1), at a right angle to (1, 1), is sheared towards that until it points along y.
    let mut slanted = DMat4::IDENTITY;
    slanted.x_axis = glam::DVec4::new(0.5, -0.5, 0.0, 0.0);
    slanted.y_axis = glam::DVec4::new(0.5, 1.5, 0.0, 0.0);
    is_the_product_of("<skew>45 -1 1 0 1 1 0</skew>", slanted);
}
