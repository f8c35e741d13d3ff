//! Faults of units and axes, which no configuration states.

use glam::Quat;
use skincheck::rig::{Asset, NodeId};

use super::{Class, trs};

pub(super) const CLASSES: &[Class] = &[
    Class::of("a file in another unit than it states (factor)", &["B212"])
        .seen_from(100.0, &[1.2, 100.0, 0.01, 1000.0])
        .planted(|asset, factor| {
            let stated = asset.space.metres_per_unit;
            asset.space.metres_per_unit = stated.map(|unit| unit * f64::from(factor));
            stated.is_some() && has(asset, "head")
        }),
    Class::of("a model that lies on its back (degrees)", &["B213"])
        .seen_from(90.0, &[10.0, 90.0, 180.0])
        .planted(|asset, degrees| {
            let turn = Quat::from_rotation_x(degrees.to_radians());
            let roots: Vec<NodeId> = asset
                .skeleton
                .iter()
                .filter(|(_, node)| node.parent.is_none())
                .map(|(id, _)| id)
                .collect();
            let mut joints = asset.skeleton.nodes().to_vec();
            for root in &roots {
                let rest = trs(&mut joints[root.index()].rest);
                rest.rotation = turn * rest.rotation;
                rest.translation = turn * rest.translation;
            }
            let channels = asset.clips.iter_mut().flat_map(|clip| &mut clip.channels);
            for channel in channels.filter(|channel| roots.contains(&channel.node)) {
                let turns = channel
                    .rotation
                    .iter_mut()
                    .flat_map(|track| &mut track.keys);
                turns.for_each(|key| key.value = turn * key.value);
                let moves = channel
                    .translation
                    .iter_mut()
                    .flat_map(|track| &mut track.keys);
                moves.for_each(|key| key.value = turn * key.value);
            }
            let skeleton = skincheck::rig::Skeleton::new(joints);
            asset.skeleton = skeleton.expect("parents come first");
            has(asset, "head") && (has(asset, "foot") || has(asset, "paw"))
        }),
];

/// Whether a joint has `word` in its name.
fn has(asset: &Asset, word: &str) -> bool {
    let mut joints = asset.skeleton.nodes().iter();
    joints.any(|joint| joint.name.to_lowercase().contains(word))
}
