//! Faults of the bind pose.

use glam::{Mat4, Quat, Vec3};
use skincheck::rig::Asset;

use super::{Class, change_middle, diagonal, drop_tracks, farthest, middle, rejoint, trs};

pub(super) const CLASSES: &[Class] = &[
    Class::of("a bind matrix of zeros", &["B201"]).planted(|asset, _| bind(asset, |_| Mat4::ZERO)),
    Class::of("a bind matrix that mirrors", &["B204"]).planted(|asset, _| {
        bind(asset, |matrix| {
            Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0)) * matrix
        })
    }),
    Class::of("a bind matrix off (degrees)", &["B205"])
        .seen_from(3.0, &[0.01, 3.0, 20.0, 90.0])
        .planted(|asset, degrees| {
            bind(asset, |matrix| {
                Mat4::from_rotation_z(degrees.to_radians()) * matrix
            })
        }),
    Class::of("a bind matrix off (diagonals)", &["B205"])
        .seen_from(0.01, &[1e-5, 0.01, 0.1])
        .planted(|asset, by| {
            let by = by * diagonal(asset);
            bind(asset, |matrix| {
                Mat4::from_translation(Vec3::X * by) * matrix
            })
        }),
    Class::of("bind matrices of two joints exchanged", &["B205"]).planted(|asset, _| {
        let (one, other) = (middle(asset), farthest(asset, middle(asset)));
        asset.skins[0].inverse_bind_matrices.swap(one, other);
        true
    }),
    Class::of("all bind matrices the identity", &["B205"]).planted(|asset, _| {
        asset.skins[0].inverse_bind_matrices.fill(Mat4::IDENTITY);
        true
    }),
    Class::of("bind matrices in another unit (factor)", &["B205", "D609"])
        .seen_from(2.54, &[1.000_01, 2.54, 100.0])
        .planted(|asset, factor| {
            for matrix in &mut asset.skins[0].inverse_bind_matrices {
                matrix.w_axis = (matrix.w_axis.truncate() * factor).extend(1.0);
            }
            true
        }),
    Class::of(
        "a mesh in another unit than its skeleton (factor)",
        &["B211"],
    )
    .seen_from(0.01, &[1.0, 0.01, 100.0])
    .planted(|asset, factor| {
        let mesh = &mut asset.meshes[0];
        mesh.positions
            .iter_mut()
            .for_each(|position| *position *= factor);
        (factor - 1.0).abs() > 0.5
    }),
    Class::of("a mesh beside its skeleton (diagonals)", &["B214"])
        .seen_from(0.3, &[0.001, 0.3, 1.0])
        .planted(|asset, by| {
            let by = Vec3::X * by * diagonal(asset);
            for position in &mut asset.meshes[0].positions {
                *position += by;
            }
            true
        }),
    Class::of("a joint that rests off its bind pose (degrees)", &["B205"])
        .seen_from(3.0, &[0.01, 3.0, 20.0, 90.0])
        .planted(|asset, degrees| {
            let joint = middle(asset);
            drop_tracks(asset, joint);
            change_middle(asset, |joint| {
                trs(&mut joint.rest).rotation = Quat::from_rotation_x(degrees.to_radians());
            })
        }),
    Class::of("a skinned node that is moved (diagonals)", &["B207"])
        .seen_from(0.1, &[1e-5, 0.1, 3.0])
        .planted(|asset, by| {
            let (node, by) = (asset.skeleton.len() - 1, by * diagonal(asset));
            rejoint(asset, node, |node| {
                trs(&mut node.rest).translation = Vec3::X * by;
            });
            true
        }),
    Class::of("a skinned node that is scaled (factor)", &["B207"])
        .seen_from(1.5, &[1.000_01, 1.5, 100.0])
        .planted(|asset, factor| {
            let node = asset.skeleton.len() - 1;
            rejoint(asset, node, |node| {
                trs(&mut node.rest).scale = Vec3::splat(factor);
            });
            true
        }),
];

/// Changes the bind matrix of a joint in a limb.
fn bind(asset: &mut Asset, change: impl FnOnce(Mat4) -> Mat4) -> bool {
    let joint = middle(asset);
    let matrix = &mut asset.skins[0].inverse_bind_matrices[joint];
    *matrix = change(*matrix);
    true
}
