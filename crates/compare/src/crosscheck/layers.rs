//! The surfaces that pixels show, in exact positions: which mesh is nearest, and where two are at the same depth.

use glam::{DVec2, DVec3};

use crate::compare::MeshTruth;
use crate::rig::{Asset, InstanceId, Visibility};
use crate::view::{Camera, Viewport};

/// Depths in normalized device coordinates that differ by less are equal: 16 roundings of a depth in f32, four of each
/// corner's position in each of two paths.
const EQUAL_DEPTH: f64 = 16.0 * f32::EPSILON as f64;

/// How far paths may move a corner on the screen, in pixels: one step of the sub-pixel grid of 256 positions that the CPU
/// path and nearly all drivers have.
const SNAP: f64 = 1.0 / 256.0;

/// What is nearest to the camera in each pixel, row by row.
pub(super) struct Layers {
    pixels: Vec<[Layer; 2]>,
    width: usize,
}

/// A triangle at the centre of a pixel.
#[derive(Clone, Copy)]
struct Layer {
    instance: Option<InstanceId>,
    depth: f64,
    /// How far its depth may be off.
    doubt: f64,
}

const NOTHING: Layer = Layer {
    instance: None,
    depth: f64::INFINITY,
    doubt: 0.0,
};

impl Layers {
    /// Of opaque, masked and translucent surfaces alike, from both sides.
    pub(super) fn new(
        (asset, visibility): (&Asset, &Visibility),
        truth: &[MeshTruth],
        camera: &Camera,
        viewport: Viewport,
    ) -> Self {
        let (width, height) = (viewport.width as usize, viewport.height as usize);
        let mut layers = Self {
            pixels: vec![[NOTHING; 2]; width * height],
            width,
        };
        let clip_from_world = camera.clip_from_world().as_dmat4();
        let size = DVec2::new(viewport.width.into(), viewport.height.into());
        let on_screen = |position: &DVec3| {
            let clip = clip_from_world * position.extend(1.0);
            let device = clip.truncate() / clip.w;
            let at = (device.truncate() * DVec2::new(0.5, -0.5) + 0.5) * size;
            // Of what is behind the camera, nothing is known.
            if clip.w > 0.0 {
                at.extend(device.z)
            } else {
                DVec3::NAN
            }
        };
        for mesh in truth.iter().filter(|mesh| visibility.shows(mesh.instance)) {
            let corners: Vec<DVec3> = mesh.positions.values.iter().map(on_screen).collect();
            for triangle in &asset.mesh_of(&asset[mesh.instance]).triangles {
                let triangle = triangle.map(|vertex| corners[vertex as usize]);
                layers.add(mesh.instance, triangle, height);
            }
        }
        layers
    }

    fn add(&mut self, instance: InstanceId, [a, b, c]: [DVec3; 3], height: usize) {
        let (ab, ac) = (b - a, c - a);
        let area = ab.truncate().perp_dot(ac.truncate());
        // How depth changes from pixel to pixel.
        let slope = DVec2::new(
            (ab.z * ac.y - ac.z * ab.y) / area,
            (ac.z * ab.x - ab.z * ac.x) / area,
        );
        if !slope.is_finite() {
            return;
        }
        let doubt = EQUAL_DEPTH + slope.abs().element_sum() * SNAP;
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        for y in pixels_between(low.y, high.y, height) {
            for x in pixels_between(low.x, high.x, self.width) {
                let to_pixel = centre(x, y) - a.truncate();
                let along = [
                    to_pixel.perp_dot(ac.truncate()) / area,
                    ab.truncate().perp_dot(to_pixel) / area,
                ];
                let depth = a.z + slope.dot(to_pixel);
                let is_inside = along[0] >= 0.0 && along[1] >= 0.0 && along[0] + along[1] <= 1.0;
                if is_inside && (-1.0..=1.0).contains(&depth) {
                    let layer = Layer {
                        instance: Some(instance),
                        depth,
                        doubt,
                    };
                    let [nearest, next] = &mut self.pixels[y * self.width + x];
                    if depth < nearest.depth {
                        *next = std::mem::replace(nearest, layer);
                    } else if depth < next.depth {
                        *next = layer;
                    }
                }
            }
        }
    }

    /// The mesh at the centre of a pixel, or next to it, which the pixel may show in part; `None` for the background.
    pub(super) fn nearest(&self, x: u32, y: u32) -> Option<InstanceId> {
        let (x, y) = (x as usize, y as usize);
        let columns = x.saturating_sub(1)..(x + 2).min(self.width);
        let rows = y.saturating_sub(1)..y + 2;
        let around = rows.flat_map(|y| columns.clone().map(move |x| (x, y)));
        let mut pixels = std::iter::once((x, y)).chain(around);
        pixels.find_map(|(x, y)| self.pixels.get(y * self.width + x)?[0].instance)
    }

    /// For each pixel, whether rounding decides which of two surfaces is in front.
    pub(super) fn undecided(&self) -> Vec<bool> {
        let is_undecided =
            |[nearest, next]: &[Layer; 2]| next.depth - nearest.depth <= nearest.doubt + next.doubt;
        self.pixels.iter().map(is_undecided).collect()
    }
}

fn centre(x: usize, y: usize) -> DVec2 {
    #[expect(
        clippy::cast_precision_loss,
        reason = "images are far smaller than 2^53"
    )]
    let corner = DVec2::new(x as f64, y as f64);
    corner + 0.5
}

/// The pixels of a row or a column, `size` of them, that may touch the range from `low` to `high`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the conversion saturates"
)]
fn pixels_between(low: f64, high: f64, size: usize) -> std::ops::Range<usize> {
    (low.floor() as usize).min(size)..(high.ceil() as usize).min(size)
}

#[cfg(test)]
mod tests {
    use glam::Mat4;

    use super::*;
    use crate::compare::Known;
    use crate::rig::{AssetBuilder, Mesh, Trs};

    const VIEWPORT: Viewport = Viewport {
        width: 16,
        height: 16,
    };

    /// Two squares that fill the image; the second is farther by `behind`, and tilted by `tilt` from left to right.
    fn layers(behind: f64, tilt: f64) -> Layers {
        let mut rig = AssetBuilder::new();
        let root = rig.node("root", None, Trs::IDENTITY);
        for _ in 0..2 {
            let mesh = rig.mesh(Mesh {
                positions: vec![glam::Vec3::ZERO; 4],
                triangles: vec![[0, 1, 2], [2, 1, 3]],
                ..Mesh::default()
            });
            rig.attach(mesh, root);
        }
        let asset = rig.build().unwrap();
        let square = |depth: f64, tilt: f64| {
            // No pixel's centre is on the diagonal.
            let corners = [(-1.0, -1.0), (1.1, -1.0), (-1.0, 1.0), (1.1, 1.0)];
            corners.map(|(x, y)| DVec3::new(x, y, depth + tilt * x))
        };
        let squares = [square(0.0, 0.0), square(behind, tilt)];
        let truth = [0, 1].map(|index| MeshTruth {
            instance: InstanceId(index),
            positions: Known {
                values: squares[index as usize].to_vec(),
                bounds: vec![0.0; 4],
            },
            normals: Known::default(),
            tangents: Known::default(),
            bitangents: Known::default(),
        });
        let camera = Camera {
            view_from_world: Mat4::IDENTITY,
            clip_from_view: Mat4::IDENTITY,
        };
        Layers::new((&asset, &Visibility::default()), &truth, &camera, VIEWPORT)
    }

    fn undecided(layers: &Layers) -> usize {
        layers.undecided().iter().filter(|pixel| **pixel).count()
    }

    #[test]
    fn surfaces_at_one_depth_are_undecided_and_others_are_not() {
        assert_eq!(undecided(&layers(0.0, 0.0)), 256);
        assert_eq!(undecided(&layers(1e-6, 0.0)), 256);
        assert_eq!(undecided(&layers(1e-3, 0.0)), 0);
    }

    #[test]
    fn surfaces_that_cross_are_undecided_at_the_line_alone() {
        // They meet at x = 8, between two columns of pixels.
        assert_eq!(undecided(&layers(0.0, 0.5)), 0);
        // They meet at the centre of a column.
        assert_eq!(undecided(&layers(0.5 / 16.0, 0.5)), 16);
    }

    #[test]
    fn the_nearest_mesh_is_named() {
        assert_eq!(layers(0.1, 0.0).nearest(3, 4), Some(InstanceId(0)));
        assert_eq!(layers(-0.1, 0.0).nearest(3, 4), Some(InstanceId(1)));
        let tilted = layers(0.0, 0.5);
        assert_eq!(tilted.nearest(0, 0), Some(InstanceId(1)));
        assert_eq!(tilted.nearest(15, 0), Some(InstanceId(0)));
    }
}
