//! Faults of morph targets.

use glam::Vec3;
use serde_json::json;
use skincheck::rig::{Asset, MorphChannel, MorphTarget, NodeId, Track};

use super::super::stored::{push, through_file};
use super::{Class, diagonal};

pub(super) const CLASSES: &[Class] = &[
    Class::of("a spike in a delta (diagonals)", &["G813"])
        .seen_from(0.3, &[0.001, 0.3, 3.0])
        .planted(|asset, by| {
            let by = by * diagonal(asset);
            swell(asset);
            let mesh = &mut asset.meshes[0];
            let vertex = mesh.positions.len() / 3;
            mesh.morph_targets[0].positions[vertex] += mesh.normals[vertex] * by;
            true
        }),
    Class::of("positions instead of deltas", &["G813"]).planted(|asset, _| {
        swell(asset);
        let mesh = &mut asset.meshes[0];
        let positions = mesh.positions.iter();
        for (delta, position) in mesh.morph_targets[0].positions.iter_mut().zip(positions) {
            *delta += *position;
        }
        true
    }),
    Class::of("deltas in another unit (factor)", &["G813"])
        .seen_from(100.0, &[1.1, 100.0])
        .planted(|asset, factor| {
            swell(asset);
            let deltas = &mut asset.meshes[0].morph_targets[0].positions;
            for delta in deltas.iter_mut() {
                *delta *= factor;
            }
            true
        }),
    Class::of("a pop in the weights", &["C533"])
        .seen_from(0.5, &[0.01, 0.5, 1.0])
        .planted(|asset, by| {
            swell(asset);
            weigh(asset, |key, count| if key == count / 2 { by } else { 0.0 })
        }),
    Class::of("weights in percent", &["C533"])
        .seen_from(100.0, &[1.0, 100.0])
        .planted(|asset, factor| {
            swell(asset);
            weigh(asset, |key, count| {
                let round = std::f32::consts::TAU * key as f32 / count as f32;
                factor * (0.5 - 0.5 * libm::cosf(round))
            }) && factor > 1.0
        }),
    Class::of("a delta that is NaN", &["G801"]).planted(|asset, _| {
        swell(asset);
        asset.meshes[0].morph_targets[0].positions[3].x = f32::NAN;
        true
    }),
    Class::of("weights of a mesh for one target (how many)", &["G814"])
        .seen_from(2.0, &[1.0, 2.0, 5.0])
        .planted(|asset, count| {
            through_file(asset, |file| {
                file.add_target();
                file.json["meshes"][0]["weights"] = json!(vec![0.0; count as usize]);
            })
        }),
    Class::of("weights of a node for two targets (how many)", &["G814"])
        .seen_from(1.0, &[2.0, 1.0, 3.0])
        .planted(|asset, count| {
            let node = asset.instances[0].node.index();
            through_file(asset, |file| {
                file.add_target();
                file.add_target();
                file.json["nodes"][node]["weights"] = json!(vec![0.0; count as usize]);
            })
        }),
    Class::of(
        "parts of a mesh with unequal numbers of targets (difference)",
        &["G815"],
    )
    .seen_from(1.0, &[0.0, 1.0, 2.0])
    .planted(|asset, difference| {
        through_file(asset, |file| {
            file.add_target();
            let second = file.json["meshes"][0]["primitives"][0].clone();
            (0..difference as usize).for_each(|_| file.add_target());
            push(&mut file.json["meshes"][0]["primitives"], second);
        })
    }),
];

/// Adds a target that swells the middle of the mesh.
pub(in super::super) fn swell(asset: &mut Asset) {
    let by = 0.02 * diagonal(asset);
    let mesh = &mut asset.meshes[0];
    let middle = mesh.positions.iter().sum::<Vec3>() / mesh.positions.len() as f32;
    let reach = mesh
        .positions
        .iter()
        .map(|position| position.distance(middle));
    let reach = 0.5 * reach.fold(0.0, f32::max);
    let delta = |(position, normal): (&Vec3, &Vec3)| {
        let near = (1.0 - position.distance(middle) / reach).max(0.0);
        *normal * by * near * near
    };
    let positions = mesh
        .positions
        .iter()
        .zip(&mesh.normals)
        .map(delta)
        .collect();
    mesh.morph_targets.push(MorphTarget {
        name: "swell".into(),
        positions,
        normals: Vec::new(),
        tangents: Vec::new(),
    });
    for instance in &mut asset.instances {
        instance.morph_weights = if instance.mesh.0 == 0 {
            vec![0.0]
        } else {
            Vec::new()
        };
    }
    weigh(asset, |key, count| {
        let round = std::f32::consts::TAU * key as f32 / count as f32;
        0.5 - 0.5 * libm::cosf(round)
    });
}

/// Gives the first clip weights, by the index and number of keys.
fn weigh(asset: &mut Asset, weight: impl Fn(usize, usize) -> f32) -> bool {
    let node = NodeId::from_index(asset.skeleton.len() - 1);
    let Some(clip) = asset.clips.first_mut() else {
        return false;
    };
    let times = clip.key_times();
    let keys = times.iter().enumerate();
    let keys = keys.map(|(number, time)| (time.0, vec![weight(number, times.len())]));
    let weights = Track::linear(keys);
    clip.morph_channels = vec![MorphChannel { node, weights }];
    true
}
