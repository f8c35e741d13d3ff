//! Morph targets: offsets added to a mesh before it is skinned.

use std::borrow::Cow;

use glam::Vec3;

use super::Attributes;
use crate::rig::{Mesh, MorphTarget};

/// The vertices of a mesh before skinning, in mesh space. Attributes that the mesh lacks are empty.
#[derive(Debug, Clone)]
pub(super) struct Vertices<'a> {
    pub(super) positions: Cow<'a, [Vec3]>,
    pub(super) normals: Cow<'a, [Vec3]>,
    pub(super) tangents: Cow<'a, [Vec3]>,
    pub(super) bitangents: Cow<'a, [Vec3]>,
}

type Active<'a> = (&'a MorphTarget, f32);

/// The vertices of `mesh` with `weights[t]` times the offsets of target `t` added, in the order of the targets.
///
/// A target without a weight, or with weight 0, adds nothing. Skinning normalizes directions at its end, so they are
/// not normalized here. Targets hold no bitangents: where they move normals or tangents, bitangents are computed anew,
/// perpendicular to both and on the side of the mesh's bitangents.
///
/// # Reference
///
/// glTF 2.0 §3.7.2.2 "Morph Targets".
pub(super) fn morph<'a>(mesh: &'a Mesh, weights: &[f32], wanted: Attributes) -> Vertices<'a> {
    let active = active(mesh, weights);
    let mut vertices = Vertices {
        positions: with_offsets(&mesh.positions, &active, |target| &target.positions),
        normals: Cow::Borrowed(&[]),
        tangents: Cow::Borrowed(&[]),
        bitangents: Cow::Borrowed(&[]),
    };
    if wanted != Attributes::Positions {
        vertices.normals = with_offsets(&mesh.normals, &active, |target| &target.normals);
    }
    if wanted == Attributes::All {
        vertices.tangents = with_offsets(&mesh.tangents, &active, |target| &target.tangents);
        vertices.bitangents = match (&vertices.normals, &vertices.tangents) {
            (Cow::Borrowed(_), Cow::Borrowed(_)) => Cow::Borrowed(&mesh.bitangents),
            (normals, tangents) => bitangents(mesh, normals, tangents),
        };
    }
    vertices
}

fn active<'a>(mesh: &'a Mesh, weights: &[f32]) -> Vec<Active<'a>> {
    let pairs = mesh.morph_targets.iter().zip(weights.iter().copied());
    pairs.filter(|(_, weight)| *weight != 0.0).collect()
}

/// Borrowed where nothing is added.
fn with_offsets<'a>(
    base: &'a [Vec3],
    active: &[Active<'_>],
    offsets: impl Fn(&MorphTarget) -> &[Vec3],
) -> Cow<'a, [Vec3]> {
    let mut sum = Cow::Borrowed(base);
    for (target, weight) in active {
        let offsets = offsets(target);
        if offsets.is_empty() || base.is_empty() {
            continue;
        }
        // All vertices add targets in the same order, because the order of sums decides their bits.
        for (value, offset) in sum.to_mut().iter_mut().zip(offsets) {
            *value += *offset * *weight;
        }
    }
    sum
}

/// The bitangents of `mesh`, rotated with its moved `normals` and `tangents`.
fn bitangents<'a>(mesh: &'a Mesh, normals: &[Vec3], tangents: &[Vec3]) -> Cow<'a, [Vec3]> {
    let count = mesh.bitangents.len();
    if normals.len() != count || tangents.len() != count {
        return Cow::Borrowed(&mesh.bitangents);
    }
    let anew = |vertex: usize| {
        let before = mesh.normals[vertex].cross(mesh.tangents[vertex]);
        // The handedness of the file's frame, which no target changes.
        let mirrored = before.dot(mesh.bitangents[vertex]) < 0.0;
        let after = normals[vertex].cross(tangents[vertex]);
        if mirrored { -after } else { after }
    };
    (0..count).map(anew).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh(bitangent: Vec3) -> Mesh {
        Mesh {
            positions: vec![Vec3::ONE],
            normals: vec![Vec3::Z],
            tangents: vec![Vec3::X],
            bitangents: vec![bitangent],
            morph_targets: vec![
                MorphTarget {
                    positions: vec![Vec3::X * 4.0],
                    ..MorphTarget::default()
                },
                MorphTarget {
                    positions: vec![Vec3::Y],
                    normals: vec![Vec3::Y - Vec3::Z],
                    ..MorphTarget::default()
                },
            ],
            ..Mesh::default()
        }
    }

    #[test]
    fn weights_scale_the_offsets_and_add_up() {
        let mesh = mesh(Vec3::Y);
        let morphed = morph(&mesh, &[0.5, 2.0], Attributes::All);
        assert_eq!(morphed.positions[..], [Vec3::new(3.0, 3.0, 1.0)]);
        assert_eq!(morphed.normals[..], [Vec3::new(0.0, 2.0, -1.0)]);
    }

    #[test]
    fn a_target_of_weight_0_or_without_a_weight_adds_nothing() {
        let mut mesh = mesh(Vec3::Y);
        mesh.morph_targets[0].positions[0] = Vec3::INFINITY;
        for weights in [&[0.0, 0.0][..], &[0.0], &[]] {
            let morphed = morph(&mesh, weights, Attributes::All);
            assert!(matches!(morphed.positions, Cow::Borrowed(_)));
            assert_eq!(morphed.positions[..], mesh.positions);
        }
    }

    #[test]
    fn bitangents_rotate_with_the_normals_on_their_side() {
        for side in [Vec3::Y, Vec3::NEG_Y] {
            let mesh = mesh(side);
            // The normal goes from z to y, so what was y goes to -z.
            let rotated = morph(&mesh, &[0.0, 1.0], Attributes::All).bitangents[0];
            assert_eq!(rotated, Vec3::NEG_Z * side.y);
            let unmoved = morph(&mesh, &[1.0, 0.0], Attributes::All).bitangents[0];
            assert_eq!(unmoved, side);
        }
    }
}
