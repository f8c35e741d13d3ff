//! Faults of the bind pose.

use glam::{Mat4, Quat, Vec3};
use skincheck::rig::Asset;

use super::{Class, ONE, diagonal, farthest, middle, rejoint, trs};

pub(super) const CLASSES: &[Class] = &[
    Class {
        name: "a bind matrix of zeros",
        expected: &["B201"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| bind(asset, |_| Mat4::ZERO),
    },
    Class {
        name: "a bind matrix that mirrors",
        expected: &["B204"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            bind(asset, |matrix| {
                Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0)) * matrix
            })
        },
    },
    Class {
        name: "a bind matrix off (degrees)",
        expected: &["B205"],
        strengths: &[0.01, 3.0, 20.0, 90.0],
        seen: 3.0,
        plant: |asset, degrees| {
            bind(asset, |matrix| {
                Mat4::from_rotation_z(degrees.to_radians()) * matrix
            })
        },
    },
    Class {
        name: "a bind matrix off (diagonals)",
        expected: &["B205"],
        strengths: &[1e-5, 0.01, 0.1],
        seen: 0.01,
        plant: |asset, by| {
            let by = by * diagonal(asset);
            bind(asset, |matrix| {
                Mat4::from_translation(Vec3::X * by) * matrix
            })
        },
    },
    Class {
        name: "bind matrices of two joints exchanged",
        expected: &["B205"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            let (one, other) = (middle(asset), farthest(asset, middle(asset)));
            asset.skins[0].inverse_bind_matrices.swap(one, other);
            true
        },
    },
    Class {
        name: "all bind matrices the identity",
        expected: &["B205"],
        strengths: ONE,
        seen: 1.0,
        plant: |asset, _| {
            asset.skins[0].inverse_bind_matrices.fill(Mat4::IDENTITY);
            true
        },
    },
    Class {
        name: "bind matrices in another unit (factor)",
        expected: &["B205", "D609"],
        strengths: &[1.000_01, 2.54, 100.0],
        seen: 2.54,
        plant: |asset, factor| {
            for matrix in &mut asset.skins[0].inverse_bind_matrices {
                matrix.w_axis = (matrix.w_axis.truncate() * factor).extend(1.0);
            }
            true
        },
    },
    Class {
        name: "a mesh in another unit than its skeleton (factor)",
        expected: &["B211"],
        strengths: &[1.0, 0.01, 100.0],
        seen: 0.01,
        plant: |asset, factor| {
            let mesh = &mut asset.meshes[0];
            mesh.positions
                .iter_mut()
                .for_each(|position| *position *= factor);
            (factor - 1.0).abs() > 0.5
        },
    },
    Class {
        name: "a joint that rests off its bind pose (degrees)",
        expected: &["B205"],
        strengths: &[0.01, 3.0, 20.0, 90.0],
        seen: 3.0,
        plant: |asset, degrees| {
            let joint = middle(asset);
            rejoint(asset, joint, |joint| {
                trs(&mut joint.rest).rotation = Quat::from_rotation_x(degrees.to_radians());
            });
            for clip in &mut asset.clips {
                clip.channels
                    .retain(|channel| channel.node.index() != joint);
            }
            true
        },
    },
    Class {
        name: "a skinned node that is moved (diagonals)",
        expected: &["B207"],
        strengths: &[1e-5, 0.1, 3.0],
        seen: 0.1,
        plant: |asset, by| {
            let (node, by) = (asset.skeleton.len() - 1, by * diagonal(asset));
            rejoint(asset, node, |node| {
                trs(&mut node.rest).translation = Vec3::X * by;
            });
            true
        },
    },
    Class {
        name: "a skinned node that is scaled (factor)",
        expected: &["B207"],
        strengths: &[1.000_01, 1.5, 100.0],
        seen: 1.5,
        plant: |asset, factor| {
            let node = asset.skeleton.len() - 1;
            rejoint(asset, node, |node| {
                trs(&mut node.rest).scale = Vec3::splat(factor);
            });
            true
        },
    },
];

/// Changes the bind matrix of a joint in a limb.
fn bind(asset: &mut Asset, change: impl FnOnce(Mat4) -> Mat4) -> bool {
    let joint = middle(asset);
    let matrix = &mut asset.skins[0].inverse_bind_matrices[joint];
    *matrix = change(*matrix);
    true
}
