//! Faults of reading: what a faulty importer would read from the same file.

use glam::Quat;
use skincheck::rig::{Asset, Influences, Key, LocalTransform, Node, Skeleton, Track, Trs};

use super::fault::Fault;

/// Frames per second of common file formats.
const TICKS_PER_SECOND: f64 = 24.0;

/// Changes `asset` to what an importer with `fault` reads.
pub(super) fn plant(fault: Fault, asset: &mut Asset) {
    match fault {
        Fault::TicksAsSeconds => each_time(asset, |time| *time *= TICKS_PER_SECOND),
        Fault::RateZero => each_time(asset, |time| *time *= f64::INFINITY),
        Fault::QuaternionWFirst => each_rotation(asset, w_first),
        Fault::TransposedInverseBind => {
            let skins = asset.skins.iter_mut();
            let matrices = skins.flat_map(|skin| &mut skin.inverse_bind_matrices);
            matrices.for_each(|matrix| *matrix = matrix.transpose());
        }
        Fault::TransposedNodes => each_rest(asset, |rest| {
            if let LocalTransform::Matrix(matrix) = rest {
                *matrix = matrix.transpose();
            }
        }),
        Fault::FifthInfluenceDropped => asset.meshes.iter_mut().for_each(|mesh| {
            let lists = mesh.influences.iter();
            let first = lists.map(|list| list.iter().take(4).copied().collect::<Vec<_>>());
            mesh.influences = Influences::from_vertices(first.collect::<Vec<_>>());
        }),
        Fault::MorphsAsPositions => asset.meshes.iter_mut().for_each(|mesh| {
            for target in &mut mesh.morph_targets {
                let pairs = target.positions.iter_mut().zip(&mesh.positions);
                pairs.for_each(|(offset, base)| *offset -= *base);
            }
        }),
        Fault::LastChannelLost => asset.clips.iter_mut().for_each(|clip| {
            clip.channels.pop();
        }),
        Fault::UnitsOfMeshOnly => {
            let meshes = asset.meshes.iter_mut();
            let positions = meshes.flat_map(|mesh| &mut mesh.positions);
            positions.for_each(|position| *position *= 0.01);
        }
        Fault::OneClipForAll => {
            let channels = asset.clips.first().map(|clip| clip.channels.clone());
            let clips = asset.clips.iter_mut();
            clips.for_each(|clip| clip.channels = channels.clone().unwrap_or_default());
        }
        _ => {}
    }
}

/// x y z w read as w x y z.
fn w_first(rotation: &mut Quat) {
    let [x, y, z, w] = rotation.to_array();
    *rotation = Quat::from_xyzw(y, z, w, x);
}

fn each_time(asset: &mut Asset, change: impl Fn(&mut f64)) {
    fn of<T>(track: &mut Option<Track<T>>) -> impl Iterator<Item = &mut f64> {
        let keys = track.iter_mut().flat_map(|track| &mut track.keys);
        keys.map(|key: &mut Key<T>| &mut key.time.0)
    }
    for channel in asset.clips.iter_mut().flat_map(|clip| &mut clip.channels) {
        of(&mut channel.translation).for_each(&change);
        of(&mut channel.rotation).for_each(&change);
        of(&mut channel.scale).for_each(&change);
    }
}

fn each_rotation(asset: &mut Asset, change: impl Fn(&mut Quat)) {
    let channels = asset.clips.iter_mut().flat_map(|clip| &mut clip.channels);
    let tracks = channels.filter_map(|channel| channel.rotation.as_mut());
    let keys = tracks.flat_map(|track| &mut track.keys);
    keys.for_each(|key| change(&mut key.value));
    each_rest(asset, |rest| {
        if let LocalTransform::Trs(Trs { rotation, .. }) = rest {
            change(rotation);
        }
    });
}

fn each_rest(asset: &mut Asset, change: impl Fn(&mut LocalTransform)) {
    let mut joints: Vec<Node> = asset.skeleton.nodes().to_vec();
    for joint in &mut joints {
        change(&mut joint.rest);
    }
    asset.skeleton = Skeleton::new(joints).expect("the parents are as before");
}

#[test]
fn a_quaternion_read_w_first_is_another_one() {
    let mut rotation = Quat::from_xyzw(0.1, 0.2, 0.3, 0.9);
    w_first(&mut rotation);
    assert_eq!(rotation, Quat::from_xyzw(0.2, 0.3, 0.9, 0.1));
}
