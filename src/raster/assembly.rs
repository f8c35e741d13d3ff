//! Triangles from vertices: culling, clipping, and the way to the screen.

use glam::{DVec4, Vec3};

use super::DrawInput;
use super::clip::{self, Corner, Volume};
use super::coverage::{GridPoint, LIMIT, SUBPIXEL, doubled_area};
use super::geometry::{self, Varying, Vertices};
use super::scene::{PixelBounds, Scene, ScreenCorner, Triangle};
use super::surface::{Sides, Surface};
use super::texture::Textures;
use super::vertex_colors::VertexColors;
use crate::view::Viewport;

/// Transforms, assembles, culls and clips everything that `input` shows.
pub(super) fn assemble<'a>(input: &DrawInput<'a>, textures: &'a Textures<'a>) -> Scene<'a> {
    let mut scene = Scene::default();
    let assembler = Assembler::new(input.viewport);
    let clip_from_world = geometry::clip_from_world(input.camera);
    let show = input.style.show;
    for deformed in input.meshes {
        let Some(instance) = input.asset.instances.get(deformed.instance.index()) else {
            continue;
        };
        let mesh = input.asset.mesh_of(instance);
        let surface = Surface::new(show, input.asset, instance, deformed, textures);
        let colors = VertexColors::new(input, instance, surface.base_color);
        let vertices = geometry::vertices(deformed, mesh, &surface, &colors, &clip_from_world);
        scene.surfaces.push(surface);
        assembler.add_all(&mesh.triangles, vertices, &mut scene);
    }
    scene.sort_panes();
    scene
}

/// Makes triangles for one size of picture.
#[derive(Debug, Clone, Copy)]
struct Assembler {
    viewport: Viewport,
    picture: PixelBounds,
    volume: Volume,
}

/// A corner that may still be behind the viewer, and which [`Varying`] belongs to it.
#[derive(Debug, Clone, Copy)]
struct ClipCorner {
    clip: DVec4,
    varying: usize,
    original_side: bool,
}

impl Assembler {
    /// * `viewport` – the size of the picture.
    fn new(viewport: Viewport) -> Self {
        let last = |size: u32| i32::try_from(size).unwrap_or(i32::MAX) - 1;
        Self {
            viewport,
            picture: PixelBounds {
                min: [0, 0],
                max: [last(viewport.width), last(viewport.height)],
            },
            volume: Volume::new(viewport),
        }
    }

    /// Adds what is visible of `triangles` to `scene`, for the surface that was added last.
    fn add_all(&self, triangles: &[[u32; 3]], vertices: Vertices, scene: &mut Scene<'_>) {
        let base = scene.varyings.len();
        scene.varyings.extend(vertices.varying);
        for triangle in triangles {
            let [a, b, c] = triangle.map(|index| {
                let clip = *vertices.clip.get(index as usize)?;
                clip.is_finite().then_some(ClipCorner {
                    clip,
                    varying: base + index as usize,
                    original_side: true,
                })
            });
            if let (Some(a), Some(b), Some(c)) = (a, b, c) {
                self.add([a, b, c], scene);
            }
        }
    }

    fn add(&self, corners: [ClipCorner; 3], scene: &mut Scene<'_>) {
        let clip = corners.map(|corner| corner.clip);
        if clip::is_out_of_sight(clip) {
            return;
        }
        let facing = Facing::new(corners.map(|corner| &scene.varyings[corner.varying]));
        if self.volume.contains(clip) {
            self.add_whole(corners, facing, scene);
            return;
        }
        let polygon = self.volume.cut(clip);
        let polygon: Vec<ClipCorner> = polygon
            .iter()
            .map(|corner| push_cut_corner(corner, &corners, scene))
            .collect();
        for index in 2..polygon.len() {
            let [mut a, b, mut c] = [polygon[0], polygon[index - 1], polygon[index]];
            // Only the outermost triangles of the fan have their sides on the polygon's outline.
            a.original_side &= index == 2;
            c.original_side &= index + 1 == polygon.len();
            self.add_whole([a, b, c], facing, scene);
        }
    }

    fn add_whole(&self, corners: [ClipCorner; 3], facing: Facing, scene: &mut Scene<'_>) {
        let [a, b, c] = corners.map(|corner| self.project(corner.clip));
        let (Some(a), Some(b), Some(c)) = (a, b, c) else {
            return;
        };
        let surface = scene.surfaces.len() - 1;
        let area = doubled_area([a.at, b.at, c.at]);
        // Rows go down: what is counter-clockwise to the viewer has a negative area.
        let counter_clockwise = area < 0;
        let visible = match scene.surfaces[surface].sides {
            Sides::Both => area != 0,
            Sides::CounterClockwise => area < 0,
            Sides::Clockwise => area > 0,
        };
        if !visible {
            return;
        }
        let turned = scene.surfaces[surface].sides == Sides::Both;
        let triangle = Triangle {
            corners: [a, b, c],
            varyings: corners.map(|corner| corner.varying),
            surface,
            face_normal: facing.towards_viewer(counter_clockwise),
            turned: turned && facing.normals_point_away(counter_clockwise),
            original_sides: corners.map(|corner| corner.original_side),
        };
        let triangle = if counter_clockwise {
            reversed(&triangle)
        } else {
            triangle
        };
        let bounds = pixel_bounds(&triangle);
        if bounds.meets(&self.picture) {
            scene.triangles.push(triangle);
            scene.bounds.push(bounds);
        }
    }

    /// `None` for a corner that cannot be seen from anywhere: at the eye itself.
    fn project(&self, clip: DVec4) -> Option<ScreenCorner> {
        let inverse_w = 1.0 / clip.w;
        let usable = clip.w > 0.0 && inverse_w.is_finite();
        let (width, height) = (
            f64::from(self.viewport.width),
            f64::from(self.viewport.height),
        );
        usable.then(|| ScreenCorner {
            at: GridPoint {
                x: snap((clip.x * inverse_w * 0.5 + 0.5) * width),
                y: snap((0.5 - clip.y * inverse_w * 0.5) * height),
            },
            depth: clip.z * inverse_w * 0.5 + 0.5,
            inverse_w,
        })
    }
}

/// The nearest grid point to a coordinate in pixels. Halves go up, also below 0: moving by a pixel moves by a pixel.
#[expect(
    clippy::cast_possible_truncation,
    reason = "within the limit, and NaN is 0"
)]
fn snap(pixels: f64) -> i32 {
    let grid = (pixels * f64::from(SUBPIXEL) + 0.5).floor();
    (grid as i32).clamp(-LIMIT, LIMIT)
}

fn pixel_bounds(triangle: &Triangle) -> PixelBounds {
    let [a, b, c] = triangle.corners.map(|corner| corner.at);
    let pixel = |grid: i32| grid.div_euclid(SUBPIXEL);
    PixelBounds {
        min: [pixel(a.x.min(b.x).min(c.x)), pixel(a.y.min(b.y).min(c.y))],
        max: [pixel(a.x.max(b.x).max(c.x)), pixel(a.y.max(b.y).max(c.y))],
    }
}

fn reversed(triangle: &Triangle) -> Triangle {
    let (corners, varyings) = (triangle.corners, triangle.varyings);
    let [ab, bc, ca] = triangle.original_sides;
    Triangle {
        corners: [corners[0], corners[2], corners[1]],
        varyings: [varyings[0], varyings[2], varyings[1]],
        original_sides: [ca, bc, ab],
        ..*triangle
    }
}

fn push_cut_corner(corner: &Corner, whole: &[ClipCorner; 3], scene: &mut Scene<'_>) -> ClipCorner {
    let corners = whole.map(|corner| &scene.varyings[corner.varying]);
    let blended = Varying::blend(corners, corner.weights.as_vec3().to_array());
    scene.varyings.push(blended);
    ClipCorner {
        clip: corner.clip,
        varying: scene.varyings.len() - 1,
        original_side: corner.original_side,
    }
}

/// How a triangle lies in the world, and its vertices' normals to it.
#[derive(Debug, Clone, Copy)]
struct Facing {
    /// Out of the counter-clockwise side.
    normal: Vec3,
    /// Positive if the vertices' normals are on that side too.
    agreement: f32,
    /// An agreement no larger than this says nothing.
    doubt: f32,
}

/// Normals within this angle (radians) of the triangle's plane, as those of a cap are that shares its vertices with the
/// sides, do not tell its sides apart: which one they are on is a matter of rounding.
const DOUBTFUL_ANGLE: f32 = 1e-3;

impl Facing {
    fn new([a, b, c]: [&Varying; 3]) -> Self {
        let normal = (b.position - a.position).cross(c.position - a.position);
        let normals = a.normal + b.normal + c.normal;
        Self {
            normal,
            agreement: normal.dot(normals),
            doubt: DOUBTFUL_ANGLE * normal.length() * normals.length(),
        }
    }

    fn towards_viewer(&self, counter_clockwise: bool) -> Vec3 {
        if counter_clockwise {
            self.normal
        } else {
            -self.normal
        }
    }

    fn normals_point_away(&self, counter_clockwise: bool) -> bool {
        if counter_clockwise {
            self.agreement < -self.doubt
        } else {
            self.agreement > self.doubt
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::raster::tests::{Verdict, check};

    #[expect(clippy::cast_possible_truncation, reason = "numbers of a test")]
    fn snap_away_from_zero(pixels: f64) -> i32 {
        (pixels * f64::from(SUBPIXEL)).round() as i32
    }

    fn pixels_shift_the_grid(snap: fn(f64) -> i32) -> Verdict {
        let places = (-100_000..100_000_i32, -100..100_i32);
        check(&places, |(place, pixels)| {
            let at = f64::from(place) / 1024.0;
            let moved = snap(at + f64::from(pixels));
            prop_assert_eq!(moved, snap(at) + pixels * SUBPIXEL);
            Ok(())
        })
    }

    #[test]
    fn snapping_does_not_depend_on_where_the_picture_begins() {
        pixels_shift_the_grid(snap).unwrap();
    }

    #[test]
    fn the_law_of_snapping_sees_rounding_away_from_zero() {
        assert!(pixels_shift_the_grid(snap_away_from_zero).is_err());
    }

    #[test]
    fn snapping_keeps_within_the_limit() {
        assert_eq!(snap(1e300), LIMIT);
        assert_eq!(snap(f64::NEG_INFINITY), -LIMIT);
        assert_eq!(snap(f64::NAN), 0);
    }
}
