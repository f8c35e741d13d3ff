mod scene;

use std::fs;

use glam::{DMat4, DQuat, DVec3, Mat4, Vec3};

use super::archive::tests::packed;
use super::*;
use crate::bake::tests::read as value_at;
use crate::rig::{Channel, Clip, Span, Track};
use crate::units::Seconds;

/// A source of numbers or names.
fn source(id: &str, width: usize, content: &str) -> String {
    let words: Vec<&str> = content.split_ascii_whitespace().collect();
    let is_number = words.iter().all(|word| word.parse::<f64>().is_ok());
    let kind = if is_number {
        "float_array"
    } else {
        "Name_array"
    };
    let (length, count) = (words.len(), words.len() / width);
    format!(
        r##"<source id="{id}"><{kind} id="{id}-array" count="{length}">{content}</{kind}><technique_common>
            <accessor source="#{id}-array" count="{count}" stride="{width}"><param name="X" type="float"/></accessor>
            </technique_common></source>"##
    )
}

/// An animation called `id` with one channel.
fn animation(id: &str, target: &str, width: usize, keys: [&str; 3]) -> String {
    let [times, values, kinds] = keys;
    let sources = source(&format!("{id}-in"), 1, times)
        + &source(&format!("{id}-out"), width, values)
        + &source(&format!("{id}-kinds"), 1, kinds);
    format!(
        r##"<animation id="{id}" name="{id}">{sources}<sampler id="{id}-sampler">
            <input semantic="INPUT" source="#{id}-in"/><input semantic="OUTPUT" source="#{id}-out"/>
            <input semantic="INTERPOLATION" source="#{id}-kinds"/></sampler>
            <channel source="#{id}-sampler" target="{target}"/></animation>"##
    )
}

/// A document with a node `arm` that has all kinds of steps, and one without an id.
fn document(animations: &str, others: &str) -> String {
    format!(
        r##"<?xml version="1.0" encoding="utf-8"?>
        <COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
        <asset><unit meter="1"/><up_axis>Y_UP</up_axis></asset>
        <library_animations>{animations}</library_animations>{others}
        <library_visual_scenes><visual_scene id="scene">
          <node id="arm-id" name="arm">
            <translate sid="t">1 2 3</translate><rotate sid="z">0 0 1 0</rotate><rotate sid="x">1 0 0 0</rotate>
            <scale sid="s">1 1 1</scale>
          </node>
          <node id="flat-id" name="flat"><matrix sid="m">1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix></node>
        </visual_scene></library_visual_scenes>
        <scene><instance_visual_scene url="#scene"/></scene></COLLADA>"##
    )
}

/// The model in `text`.
fn model(text: &str) -> Result<Asset, ImporterError> {
    let asset = resolve(super::read(text)?)?;
    asset.validate().expect("what is imported is valid");
    Ok(asset)
}

fn refusal(text: &str) -> String {
    let error = model(text).expect_err("it is refused");
    error.to_string()
}

fn clips(animations: &str, others: &str) -> Vec<Clip> {
    let asset = model(&document(animations, others)).unwrap();
    assert_eq!(asset.notes, []);
    assert_eq!(asset.evidence.defects, []);
    asset.clips
}

fn only_channel(animations: &str) -> Channel {
    let [clip] = &clips(animations, "")[..] else {
        panic!("one clip is expected")
    };
    assert_eq!(clip.channels.len(), 1, "{clip:?}");
    clip.channels[0].clone()
}

#[test]
fn a_curve_that_steps_makes_steps_of_its_part_and_nothing_of_the_others() {
    let steps = animation("a", "arm-id/t.Y", 1, ["0 1 2", "5 6 7", "STEP STEP STEP"]);
    let channel = only_channel(&steps);
    let keys = channel.translation.expect("it is driven").keys;
    let reported: Vec<_> = keys.iter().map(|key| (key.time, key.value)).collect();
    let at = |time, y| (Seconds(time), Vec3::new(1.0, y, 3.0));
    assert_eq!(reported, [at(0.0, 5.0), at(1.0, 6.0), at(2.0, 7.0)]);
    assert!(keys[..2].iter().all(|key| key.span == Span::Step));
    assert_eq!((channel.rotation, channel.scale), (None, None));
}

#[test]
fn two_angles_that_run_straight_are_not_the_shortest_way() {
    let both = animation("a", "arm-id/z.ANGLE", 1, ["0 1", "0 90", "LINEAR LINEAR"])
        + &animation("b", "arm-id/x.ANGLE", 1, ["0 1", "0 90", "LINEAR LINEAR"]);
    let rotation = only_channel(&both).rotation.expect("it is driven");
    let half = std::f64::consts::FRAC_PI_8;
    let expected = DQuat::from_xyzw(0.0, 0.0, libm::sin(half), libm::cos(half))
        * DQuat::from_xyzw(libm::sin(half), 0.0, 0.0, libm::cos(half));
    let middle = rotation
        .keys
        .iter()
        .find(|key| key.time == Seconds(0.5))
        .expect("halves meet there")
        .value
        .as_dquat();
    assert!(
        middle.dot(expected).abs() > 1.0 - 1e-12,
        "{middle} {expected}"
    );
}

#[test]
fn a_matrix_is_interpolated_by_parts() {
    let rotated = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 -2 0 8 2 0 0 0 0 0 1 0 0 0 0 1";
    let whole = animation("a", "flat-id/m", 16, ["0 1", rotated, "LINEAR LINEAR"]);
    let channel = only_channel(&whole);
    let keys = channel.rotation.expect("it is driven").keys;
    assert!(keys.len() == 2 && keys[0].span == Span::Linear);
    let scale = channel.scale.expect("it is driven").keys;
    assert_eq!(scale[1].value, Vec3::new(2.0, 2.0, 1.0));
    let element = animation("a", "flat-id/m(3)(1)", 1, ["0 1", "0 8", "STEP STEP"]);
    let keys = only_channel(&element)
        .translation
        .expect("it is driven")
        .keys;
    assert_eq!((keys[1].value, &keys[0].span), (Vec3::Y * 8.0, &Span::Step));
}

#[test]
fn stated_clips_keep_their_names_and_times() {
    let all = animation("a", "arm-id/t.Y", 1, ["0 4", "0 1", "LINEAR LINEAR"])
        + &animation("b", "arm-id/t.Y", 1, ["1 2", "5 6", "LINEAR LINEAR"]);
    let library = r##"<library_animation_clips>
        <animation_clip id="wave" start="1" end="3"><instance_animation url="#a"/></animation_clip>
        <animation_clip name="Nod"><instance_animation url="#b"/></animation_clip>
        </library_animation_clips>"##;
    let [wave, nod] = &clips(&all, library)[..] else {
        panic!("two clips are expected")
    };
    let told = |clip: &Clip| (clip.start.0, clip.end.0, clip.channels.len());
    assert_eq!((wave.name.as_str(), told(wave)), ("wave", (1.0, 3.0, 1)));
    assert_eq!((nod.name.as_str(), told(nod)), ("Nod", (0.0, 2.0, 1)));
}

#[test]
fn an_unsupported_channel_names_its_animation() {
    let good = animation("good", "arm-id/t.Y", 1, ["0 1", "0 1", "LINEAR LINEAR"]);
    let bad = |target, values| animation("bad", target, 1, ["0 1", values, "LINEAR LINEAR"]);
    let aimless =
        r##"<animation id="bad"><channel source="#gone" target="arm-id/t.X"/></animation>"##;
    for (broken, why) in [
        (bad("arm-id/t", "0 1"), "a transform of 3 numbers"),
        (bad("arm-id/t.X", "0"), "2 times and 1 values"),
        (aimless.to_owned(), "\"#gone\" is not a <sampler>"),
    ] {
        let error = refusal(&document(&(good.clone() + &broken), ""));
        assert!(error.starts_with("animation \"bad\": "), "{error}");
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn a_document_that_is_not_xml_or_declares_entities_is_refused() {
    let bomb =
        r#"<!DOCTYPE COLLADA [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><COLLADA>&b;</COLLADA>"#;
    for text in ["", "<COLLADA>", bomb] {
        let error = refusal(text);
        assert!(
            error.contains("malformed XML in line 1, column "),
            "{error}"
        );
    }
}

#[test]
fn a_document_with_too_many_attributes_is_refused_before_it_is_parsed() {
    let attributes = " a=''".repeat(5000);
    let error = refusal(&format!("<COLLADA{attributes}>"));
    assert_eq!(error, "document: an element has more than 4096 attributes");
}

#[test]
fn a_document_as_deep_as_it_is_long_is_walked_without_recursion() {
    let deep = "<node>".repeat(50_000) + &"</node>".repeat(50_000);
    let moved = animation("a", "arm-id/t.Y", 1, ["0 1", "0 1", "LINEAR LINEAR"]);
    let text = document(&moved, "").replace("</visual_scene>", &(deep + "</visual_scene>"));
    assert_eq!(model(&text).unwrap().skeleton.len(), 50_003);
}

#[test]
fn an_archive_is_read_as_its_document_with_its_images() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.zae");
    let steps = animation("Hop", "arm-id/t.Y", 1, ["0 1", "5 6", "STEP STEP"]);
    let material = r##"<library_images><image id="i"><init_from>a%20b.png</init_from></image></library_images>
        <library_effects><effect id="e"><profile_COMMON><technique><phong><diffuse><texture texture="i" texcoord="UV"/>
        </diffuse></phong></technique></profile_COMMON></effect></library_effects>
        <library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>"##;
    let text = document(&steps, material);
    let files = packed(&[("x/m.dae", text.as_bytes()), ("x/a b.png", b"PNG")]);
    fs::write(&path, files).unwrap();
    let asset = Collada.import(&path).unwrap();
    assert_eq!(asset.clips, model(&text).unwrap().clips);
    assert_eq!(asset.images[0].data, ImageData::Encoded(b"PNG".to_vec()));
}

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
    crate::log::note_what_is_lost(&mut asset);
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
        let apart = (sampled - expected)
            .to_cols_array()
            .into_iter()
            .map(f64::abs)
            .fold(0.0, f64::max);
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
