//! Many vertices, joints or clips at one position, and models whose results do not fit in memory.

use std::time::Instant;

use glam::Vec3;
use skincheck::diff::reference::{Pose, of_model};
use skincheck::pose;
use skincheck::rig::{Asset, ClipId, LocalTransform, Node, NodeId, Trs};
use skincheck::skinning;
use skincheck::units::Seconds;

use super::edit::{id, joints};
use super::{compare, load, reported};
use crate::folder::Folder;
use crate::hostile::limits::limited;

/// A mesh of this many triangles, all at one point or without a position.
fn collapsed(triangles: u32, position: Vec3) -> Asset {
    let mut asset = load("arm.gltf");
    let mesh = &mut asset.meshes[0];
    let order = vec![0; 3 * triangles as usize];
    let corners = (0..triangles).map(|index| [0, 1, 2].map(|corner| 3 * index + corner));
    super::edit::gather(mesh, &order, corners.collect());
    mesh.positions.fill(position);
    asset
}

#[test]
fn a_hundred_thousand_vertices_at_one_position_are_compared_in_seconds() {
    for position in [Vec3::ONE, Vec3::splat(1e30), Vec3::NAN] {
        let asset = collapsed(33_000, position);
        let pose = pose::sample(&asset, &asset.clips[0], Seconds(0.0)).expect("it is finite");
        let pose = pose::model_pose(&asset, &pose);
        let meshes = skinning::deform(&asset, &pose, &skincheck::rig::SkinningOptions::default());
        let frame = Pose {
            clip: ClipId(0),
            time: Seconds(0.0),
            meshes: meshes.expect("it can be skinned"),
            pose,
        };
        let reference = of_model(&asset, vec![frame]);
        let folder = Folder::new();
        folder.write("point.skref", reference.to_bytes());
        let run = limited(&folder, "ulimit -t 20", "diff point.skref point.skref");
        assert!(
            matches!(run.code, Some(0 | 2)),
            "{position}: {:?}: {}",
            run.code,
            run.stderr
        );
    }
}

/// A row of joints below the wrist, all at its position.
fn with_row(mut asset: Asset, count: u32, prefix: &str) -> Asset {
    let wrist = id(&asset, "wrist").index();
    joints(&mut asset, |nodes| {
        for index in 0..count {
            let parent = if index == 0 { wrist } else { nodes.len() - 1 };
            nodes.push(Node {
                name: format!("{prefix}{index}"),
                parent: Some(NodeId::from_index(parent)),
                rest: LocalTransform::Trs(Trs::IDENTITY),
            });
        }
    });
    asset
}

#[test]
fn thousands_of_renamed_joints_at_one_position_are_compared_in_seconds() {
    let rows = |count: u32| ["a", "b"].map(|prefix| with_row(load("arm.gltf"), count, prefix));
    let [before, after] = rows(3000);
    let started = Instant::now();
    compare(before, after, None);
    assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());

    let [before, after] = rows(60);
    let report = compare(before, after, None);
    let named = report
        .findings
        .iter()
        .map(|one| one.finding.message.as_str());
    for index in 0..60 {
        let expected = format!("`a{index}` is named `b{index}` after");
        assert!(
            named.clone().any(|one| one == expected),
            "{expected}\n{}",
            reported(&report)
        );
    }
}

#[test]
fn thousands_of_renamed_clips_are_paired_by_motion() {
    let named = |prefix: &str| {
        let mut asset = load("arm.gltf");
        let clip = asset.clips[0].clone();
        asset.clips = (0..1500)
            .map(|index| {
                let mut clip = clip.clone();
                clip.name = format!("{prefix} {index}");
                clip
            })
            .collect();
        asset
    };
    let started = Instant::now();
    let report = compare(named("a"), named("b"), None);
    assert!(started.elapsed().as_secs() < 30, "{:?}", started.elapsed());
    assert_eq!(report.matched.clips, 1500);
}

#[test]
fn ten_thousand_joints_and_a_thousand_clips_are_refused_with_a_way_out() {
    let Some(corpus) = std::env::var_os("SKINCHECK_CORPUS") else {
        return;
    };
    let model = std::path::Path::new(&corpus).join("../cases/hostile/j10000_c1000.gltf");
    if !model.exists() {
        return;
    }
    let folder = Folder::new();
    std::fs::copy(model, folder.path("m.gltf")).expect("it is writable");
    for (line, way_out) in [
        (
            "diff m.gltf m.gltf",
            "split the clips of both models over several files",
        ),
        (
            "bake m.gltf --all-clips --times keys -o out.jsonl",
            "select fewer with --clip or --times",
        ),
    ] {
        let run = limited(&folder, "ulimit -t 60; ulimit -v 3000000", line);
        assert_eq!(run.code, Some(2), "{line}: {}", run.stderr);
        assert!(run.stderr.contains(way_out), "{line}: {}", run.stderr);
    }
}
