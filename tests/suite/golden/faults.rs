//! Changes that an exporter may make, and faults that are named.

use skincheck::glam::{Quat, Vec3};
use skincheck::rig::{Asset, Key, LocalTransform, Skeleton, Track};
use skincheck::units::Seconds;

use super::{Project, plain};

/// Expects no difference in the model.
#[track_caller]
fn passes(project: &Project) {
    project.run("test").exits(0).prints("arm.gltf: same");
}

/// Expects these words about the model.
#[track_caller]
fn fails(project: &Project, words: &[&str]) -> String {
    let run = project.run("test");
    run.exits(1);
    for word in words {
        assert!(run.text().contains(word), "{word}:\n{}", run.text());
    }
    run.text().to_owned()
}

fn rotate(asset: &mut Asset, joint: usize, degrees: f32) {
    let mut nodes = asset.skeleton.nodes().to_vec();
    let mut rest = nodes[joint].rest.to_trs();
    rest.rotation *= Quat::from_rotation_x(degrees.to_radians());
    nodes[joint].rest = LocalTransform::Trs(rest);
    asset.skeleton = Skeleton::new(nodes).expect("parents come first");
}

#[test]
fn what_is_approved_passes() {
    let project = Project::approved();
    passes(&project);
    let run = project.run("test").ok();
    run.prints("1 model: 1 same");
    assert_eq!(run.stderr, "");
}

#[test]
fn an_export_with_other_orders_passes() {
    let project = Project::approved();
    project.put("arm.gltf", |asset| {
        let mesh = &mut asset.meshes[0];
        let last = u32::try_from(mesh.positions.len()).expect("few vertices") - 1;
        let mut lists: Vec<Vec<_>> = mesh.influences.iter().map(<[_]>::to_vec).collect();
        lists.reverse();
        mesh.influences = skincheck::rig::Influences::from_vertices(lists);
        mesh.positions.reverse();
        mesh.normals.reverse();
        mesh.uv_sets.iter_mut().for_each(|set| set.reverse());
        for triangle in &mut mesh.triangles {
            *triangle = triangle.map(|corner| last - corner);
            triangle.rotate_left(1);
        }
        mesh.triangles.reverse();
        asset.clips.reverse();
    });
    passes(&project);
}

#[test]
fn an_export_that_moves_vertices_within_the_tolerance_passes() {
    let project = Project::approved();
    project.put("arm.gltf", |asset| {
        for position in &mut asset.meshes[0].positions {
            *position = (*position * 2048.0).round() / 2048.0 + 2e-4;
        }
    });
    passes(&project);
}

#[test]
fn a_changed_weight_is_found() {
    let project = Project::approved();
    project.put("arm.gltf", |asset| {
        let mesh = &mut asset.meshes[0];
        let mut lists: Vec<Vec<_>> = mesh.influences.iter().map(<[_]>::to_vec).collect();
        let list = lists
            .iter_mut()
            .find(|list| list.len() == 2)
            .expect("some are blended");
        (list[0].weight, list[1].weight) = (list[1].weight + 0.2, list[0].weight - 0.2);
        mesh.influences = skincheck::rig::Influences::from_vertices(lists);
    });
    fails(&project, &["weights: ", "clip \"Bend\": CHANGED"]);
}

#[test]
fn a_rotated_joint_is_found() {
    let project = Project::approved();
    project.put("arm.gltf", |asset| rotate(asset, 0, 10.0));
    let text = fails(&project, &["CHANGED"]);
    assert!(text.contains("rotat"), "{text}");
}

#[test]
fn a_shifted_key_is_found_in_its_clip_alone() {
    let project = Project::approved();
    project.put("arm.gltf", |asset| {
        let bend = asset
            .clips
            .iter_mut()
            .find(|clip| clip.name == "Bend")
            .expect("it is there");
        let track = bend.channels[0].rotation.as_mut().expect("it is rotated");
        track.keys.last_mut().expect("it has keys").value *= Quat::from_rotation_z(0.3);
    });
    let text = fails(&project, &["keys: ", "clip \"Bend\": CHANGED"]);
    assert!(!text.contains("clip \"Nod\""), "{text}");
    assert!(!text.contains("pixels"), "the numbers decide: {text}");
}

#[test]
fn a_clip_that_ends_earlier_is_found() {
    let project = Project::approved();
    project.put("arm.gltf", |asset| {
        let twist = asset
            .clips
            .iter_mut()
            .find(|clip| clip.name == "Twist")
            .expect("it is there");
        for channel in &mut twist.channels {
            channel.rotation.as_mut().expect("it is rotated").keys.pop();
        }
        twist.end = Seconds(1.0);
    });
    fails(
        &project,
        &[
            "timing (clip-range)",
            "runs from 0.000 to 1.000 s now",
            "clip \"Twist\": CHANGED",
        ],
    );
}

#[test]
fn a_clip_that_ends_later_is_found() {
    let project = Project::approved();
    project.put("arm.gltf", |asset| {
        let mut clips = asset.clips.iter_mut();
        let twist = clips.find(|clip| clip.name == "Twist");
        let twist = twist.expect("it is there");
        for channel in &mut twist.channels {
            let rotation = channel.rotation.as_mut().expect("it is rotated");
            let last = rotation.keys.last().expect("it has keys").clone();
            let time = Seconds(last.time.0 + 0.5);
            rotation.keys.push(Key { time, ..last });
        }
        twist.end.0 += 0.5;
    });
    fails(
        &project,
        &["timing (clip-range)", "clip \"Twist\": CHANGED"],
    );
}

#[test]
fn a_clip_that_ends_earlier_is_found_whatever_timing_is_accepted() {
    let project = Project::new();
    let config = format!("{}[diff]\nalign = [\"time\"]\n", super::CONFIG);
    project.write("skincheck.toml", config);
    project.run("accept").ok();
    project.put("arm.gltf", |asset| {
        let mut clips = asset.clips.iter_mut();
        let clip = clips.find(|clip| clip.name == "Twist");
        let clip = clip.expect("it is there");
        for channel in &mut clip.channels {
            channel.rotation.as_mut().expect("it is rotated").keys.pop();
        }
        clip.end = Seconds(1.0);
    });
    let found = "but now has only those from 0.000 to 0.667 s";
    fails(&project, &["timing (clip-range)", found]);
}

#[test]
fn a_clip_that_is_gone_is_found() {
    let project = Project::approved();
    project.put("arm.gltf", |asset| {
        asset.clips.retain(|clip| clip.name != "Nod");
    });
    fails(&project, &["clips (clip-missing)", "Nod"]);
}

#[test]
fn another_texture_is_found_by_images_alone() {
    let project = Project::new();
    project.put_textured(false);
    project.run("accept").ok();
    project.write("models/skin.png", plain([202, 120, 60]));
    let words = "no vertex has moved: a material, a texture, texture coordinates, vertex colours or the light has changed";
    let text = fails(&project, &[words, "clip \"Bend\": CHANGED"]);
    assert!(!text.contains("like the numbers"), "{text}");
    let json = project.json();
    assert_eq!(json["models"][0]["clips"][0]["numbers"], "same");
}

#[test]
fn another_texture_is_found_in_another_order_of_vertices_too() {
    let project = Project::new();
    project.put_textured(false);
    project.run("accept").ok();
    project.put_textured(true);
    passes(&project);
    project.write("models/skin.png", plain([60, 120, 200]));
    fails(&project, &["differ by more than the numbers explain"]);
}

#[test]
fn another_camera_is_found() {
    let project = Project::approved();
    project.write(
        "skincheck.toml",
        format!("{}camera = \"front\"\n", super::CONFIG),
    );
    for words in [
        "clips \"Bend\", \"Twist\" and 1 more, with 12 images: NOT APPROVED",
        "arm.gltf.approved/Bend-0.000s-three-quarter.png",
    ] {
        project.run("test").exits(0).prints(words);
    }
    project.run_with("test", Some("true")).exits(1);
    project.run("accept").ok();
    project.run_with("test", Some("true")).ok();
    let names: Vec<String> = project.stored().into_iter().map(|(name, _)| name).collect();
    assert!(
        !names.iter().any(|name| name.contains("three")),
        "{names:?}"
    );
}

#[test]
fn another_size_is_found() {
    let project = Project::approved();
    project.write("skincheck.toml", super::CONFIG.replace("96x96", "64x64"));
    fails(
        &project,
        &["the image size has changed: the approved one is 96x96"],
    );
}

#[test]
fn a_model_without_clips_is_tested_at_rest() {
    let project = Project::new();
    project.put("arm.gltf", |asset| asset.clips.clear());
    project.run("accept").ok();
    project.run("test").ok().prints("arm.gltf: same");
    project.put("arm.gltf", |asset| {
        asset.clips.clear();
        rotate(asset, 1, 20.0);
    });
    fails(&project, &["clip \"rest pose\": CHANGED"]);
}

#[test]
fn another_character_is_not_the_same() {
    let project = Project::approved();
    project.put("arm.gltf", |asset| {
        for mesh in &mut asset.meshes {
            mesh.positions
                .iter_mut()
                .for_each(|position| *position *= Vec3::new(9.0, 0.1, 1.0));
        }
        let mut nodes = asset.skeleton.nodes().to_vec();
        for (index, node) in nodes.iter_mut().enumerate() {
            node.name = format!("other_{index}");
        }
        asset.skeleton = Skeleton::new(nodes).expect("parents come first");
    });
    fails(&project, &["CHANGED"]);
}

/// The arm, whose clip "Bend" returns to its first pose.
fn looped(asset: &mut Asset, bent: f32) {
    let clip = &mut asset.clips[0];
    let track = clip.channels[0].rotation.as_mut().expect("it is rotated");
    let first = track.keys[0].value;
    let other = first * Quat::from_rotation_x(bent.to_radians());
    let [start, end] = [clip.start.0, clip.end.0];
    let keys = [
        (start, first),
        (f64::midpoint(start, end), other),
        (end, first),
    ];
    *track = Track::linear(keys);
}

#[test]
fn a_joint_of_a_loop_that_stands_still_is_named_as_such() {
    let project = Project::new();
    project.put("arm.gltf", |asset| looped(asset, 60.0));
    project.run("accept").ok();
    project.put("arm.gltf", |asset| looped(asset, 0.0));
    let text = fails(&project, &["its rotation no longer moves"]);
    assert!(!text.contains("resampled"), "{text}");
    project.put("arm.gltf", |asset| looped(asset, 40.0));
    let text = fails(&project, &["its keys have other values"]);
    assert!(!text.contains("resampled"), "{text}");
}
