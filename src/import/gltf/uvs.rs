//! Texture transforms (`KHR_texture_transform`), applied to the texture coordinates.
//!
//! A material that transforms its texture gets its own set of texture coordinates after the file's sets, which are not
//! changed.

use glam::Vec2;

use crate::rig::{Material, MaterialId, Mesh};

/// Scale, rotation and offset, in this order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct UvTransform {
    /// Added last, in units of the texture's size.
    pub(super) offset: Vec2,
    /// In radians; counter-clockwise for the viewer, as v grows downwards.
    pub(super) rotation: f32,
    /// Factor per axis.
    pub(super) scale: Vec2,
}

impl UvTransform {
    fn is_identity(self) -> bool {
        self.offset == Vec2::ZERO && self.rotation == 0.0 && self.scale == Vec2::ONE
    }

    /// The transform of a point, computed in f64 and rounded once.
    fn map(self) -> impl Fn(Vec2) -> Vec2 {
        let (sin, cos) = libm::sincos(f64::from(self.rotation));
        let (scale, offset) = (self.scale.as_dvec2(), self.offset.as_dvec2());
        move |uv| {
            let scaled = uv.as_dvec2() * scale;
            let rotated = glam::DVec2::new(
                cos * scaled.x + sin * scaled.y,
                cos * scaled.y - sin * scaled.x,
            );
            (rotated + offset).as_vec2()
        }
    }
}

/// Gives each mesh whose material has a transform the set that the material then refers to.
///
/// * `transforms` – one per material.
pub(super) fn apply(
    transforms: &[Option<UvTransform>],
    materials: &mut [Material],
    meshes: &mut [Mesh],
) {
    for (index, (material, transform)) in materials.iter_mut().zip(transforms).enumerate() {
        let transform = transform.filter(|transform| !transform.is_identity());
        let (Some(transform), Some(texture)) = (transform, &mut material.base_color_texture) else {
            continue;
        };
        let id = MaterialId::from_index(index);
        let set = texture.uv_set as usize;
        let has_set = |mesh: &Mesh| mesh.uv_sets.get(set).is_some_and(|set| !set.is_empty());
        let users = || {
            meshes
                .iter()
                .filter(|mesh| mesh.material == Some(id) && has_set(mesh))
        };
        let Some(new) = users().map(|mesh| mesh.uv_sets.len()).max() else {
            continue;
        };
        let map = transform.map();
        for mesh in meshes
            .iter_mut()
            .filter(|mesh| mesh.material == Some(id) && has_set(mesh))
        {
            let moved = mesh.uv_sets[set].iter().map(|&uv| map(uv)).collect();
            mesh.uv_sets.resize(new, Vec::new());
            mesh.uv_sets.push(moved);
        }
        texture.uv_set = u32::try_from(new).unwrap_or(u32::MAX);
    }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::FRAC_PI_2;

    use super::*;

    #[test]
    fn the_example_of_the_extension_shows_the_lower_left_quarter_rotated_clockwise() {
        let map = UvTransform {
            offset: Vec2::new(0.0, 1.0),
            rotation: FRAC_PI_2,
            scale: Vec2::splat(0.5),
        }
        .map();
        let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
        let expected = [(0.0, 1.0), (0.0, 0.5), (0.5, 0.5), (0.5, 1.0)];
        for (corner, expected) in corners.into_iter().zip(expected) {
            let found = map(Vec2::from(corner));
            assert!(
                found.abs_diff_eq(Vec2::from(expected), 1e-6),
                "{corner:?} is at {found}"
            );
        }
    }

    #[test]
    fn the_other_example_flips_the_texture_upside_down() {
        let map = UvTransform {
            offset: Vec2::new(0.0, 1.0),
            rotation: 0.0,
            scale: Vec2::new(1.0, -1.0),
        }
        .map();
        assert_eq!(map(Vec2::new(0.25, 0.75)), Vec2::new(0.25, 0.25));
    }

    #[test]
    fn scale_comes_before_rotation() {
        let map = UvTransform {
            offset: Vec2::ZERO,
            rotation: FRAC_PI_2,
            scale: Vec2::new(2.0, 3.0),
        }
        .map();
        assert!(map(Vec2::ONE).abs_diff_eq(Vec2::new(3.0, -2.0), 1e-6));
    }
}
