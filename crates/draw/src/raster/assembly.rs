//! Triangles from vertices: culling, clipping, and the way to the screen.

use glam::{DMat4, DVec4};
use rayon::prelude::*;

use super::DrawInput;
use super::clip::{self, Volume};
use super::coverage::{GridPoint, LIMIT, PixelBounds, SUBPIXEL, doubled_area};
use super::geometry::{self, Source, Varying};
use super::scene::{Body, Cut, Face, Scene, ScreenCorner};
use super::texture::{Surface, Textures};
use crate::rig::DeformedMesh;
use crate::view::{Appearance, Samples, Sides, Viewport};

/// Transforms, assembles, culls and clips everything that `input` shows.
pub(super) fn assemble<'a>(input: &DrawInput<'a>, textures: &'a Textures<'_>) -> Scene<'a> {
    let mut scene = Scene::default();
    if input.viewport.width.min(input.viewport.height) == 0 {
        return scene;
    }
    let assembler = Assembler::new(input);
    let show = &input.style.show;
    let shown = |deformed: &&DeformedMesh| input.visibility.shows(deformed.instance);
    for deformed in input.meshes.iter().filter(shown) {
        let Some(instance) = input.asset.instances.get(deformed.instance.index()) else {
            continue;
        };
        let mesh = input.asset.mesh_of(instance);
        let appearance = Appearance::of(input.asset, instance, show);
        let surface = Surface::new(show, &appearance, mesh, deformed, textures);
        let vertices = show.vertices(input.asset, deformed.instance, input.max_influences);
        let source = Source::new(deformed, appearance.uvs(mesh), &surface, vertices);
        assembler.add_all(&mesh.triangles, surface, source, &mut scene);
    }
    // The tiles' lists need all triangles.
    scene.sort(input.viewport);
    scene
}

/// Makes triangles for one image.
#[derive(Debug, Clone, Copy)]
struct Assembler {
    clip_from_world: DMat4,
    viewport: Viewport,
    image: PixelBounds,
    volume: Volume,
    lattice: Lattice,
}

/// The lines on which samples lie along either axis, in grid units: `first`, and every 2^`step` after it.
#[derive(Debug, Clone, Copy)]
struct Lattice {
    first: i32,
    /// The logarithm of the distance between two lines, to base 2.
    step: u32,
}

/// The bits of a vertex's state in clip space, which decide how its triangles are treated. Most vertices have none set.
mod state {
    /// Beyond each of the six sides of the view volume.
    pub(super) const BEYOND: [u8; 6] = [1, 2, 4, 8, 16, 32];
    /// Any of these six.
    pub(super) const SIDES: u8 = 63;
    /// Outside the volume that triangles are clipped to, or impossible to project.
    pub(super) const OUTSIDE: u8 = 64;
    /// Not a finite number.
    pub(super) const BROKEN: u8 = 128;
}

/// What a run of triangles is assembled to, in their order.
#[derive(Debug, Default)]
struct Part {
    faces: Vec<Face>,
    bounds: Vec<PixelBounds>,
    /// `face` and new corners count from the part's first.
    cuts: Vec<Cut>,
    corners: Vec<ScreenCorner>,
    varyings: Vec<Varying>,
    /// The pixels of all triangles together.
    covered: u64,
}

/// Fewer triangles are not worth a second thread.
const SMALLEST_PART: usize = 4096;

impl Assembler {
    fn new(input: &DrawInput<'_>) -> Self {
        let last = |size: u32| i32::try_from(size).unwrap_or(i32::MAX) - 1;
        let viewport = input.viewport;
        Self {
            clip_from_world: geometry::clip_from_world(input.camera),
            viewport,
            image: PixelBounds {
                min: [0, 0],
                max: [last(viewport.width), last(viewport.height)],
            },
            volume: Volume::new(viewport),
            // Sample lines are a pixel apart, or a quarter of one. A triangle between two of them covers no sample.
            lattice: match input.style.samples {
                Samples::One => Lattice {
                    first: 128,
                    step: 8,
                },
                Samples::Four => Lattice { first: 32, step: 6 },
            },
        }
    }

    /// Adds what is visible of `triangles` to `scene`.
    ///
    /// Several threads assemble runs of triangles. The results are appended in the order of the runs, so the scene does
    /// not depend on the number of threads.
    fn add_all<'a>(
        &self,
        triangles: &[[u32; 3]],
        surface: Surface<'a>,
        source: Source<'a>,
        scene: &mut Scene<'a>,
    ) {
        let positions = source.positions.par_iter().with_min_len(SMALLEST_PART);
        let (mut corners, mut states) = (Vec::new(), Vec::new());
        positions
            .map(|position| self.vertex(self.clip(position.as_dvec3().extend(1.0))))
            .unzip_into_vecs(&mut corners, &mut states);
        let mut body = Body {
            surface,
            source,
            corners,
            cut_varyings: Vec::new(),
        };
        let number = scene.bodies.len();
        let threads = rayon::current_num_threads();
        // Four parts per thread balance parts with few visible triangles against those with many.
        let share = triangles.len().div_ceil(threads * 4).max(SMALLEST_PART);
        let size = if threads == 1 { usize::MAX } else { share };
        let parts = triangles
            .par_chunks(size)
            .map(|part| self.assemble(part, &body, &states, number));
        for part in parts.collect::<Vec<Part>>() {
            scene.covered = scene.covered.saturating_add(part.covered);
            scene.append(part.finished(&mut body));
        }
        scene.bodies.push(body);
    }

    fn clip(&self, position: DVec4) -> DVec4 {
        self.clip_from_world * position
    }

    /// A vertex on the screen, and its [`state`]. The corner means nothing if `OUTSIDE` or `BROKEN` is set.
    fn vertex(&self, clip: DVec4) -> (ScreenCorner, u8) {
        if !clip.is_finite() {
            return (ScreenCorner::default(), state::BROKEN);
        }
        let mut bits = 0;
        let beyond = clip::sides_beyond(clip);
        for (is_beyond, bit) in beyond.into_iter().zip(state::BEYOND) {
            bits |= u8::from(is_beyond) * bit;
        }
        let corner = self.project(clip).filter(|_| self.volume.contains(clip));
        if corner.is_none() {
            bits |= state::OUTSIDE;
        }
        (corner.unwrap_or_default(), bits)
    }

    fn assemble(
        &self,
        triangles: &[[u32; 3]],
        body: &Body<'_>,
        states: &[u8],
        number: usize,
    ) -> Part {
        let mut part = Part::default();
        let maker = Maker {
            assembler: self,
            body,
            number,
        };
        for &triangle in triangles {
            let [a, b, c] = triangle.map(|vertex| states.get(vertex as usize).copied());
            let (Some(a), Some(b), Some(c)) = (a, b, c) else {
                continue;
            };
            let any = a | b | c;
            // Skips triangles with a corner that is not finite, and those with all corners beyond one side of the view
            // volume.
            if any & state::BROKEN != 0 || a & b & c & state::SIDES != 0 {
                continue;
            }
            // Nearly all triangles need no clipping: they share the corners of their vertices.
            if any & state::OUTSIDE == 0 {
                let corners = triangle.map(|vertex| body.corners[vertex as usize]);
                maker.add(triangle, &corners, false, &mut part);
            } else {
                maker.cut(triangle, &mut part);
            }
        }
        part
    }

    /// `None` for a position without a projection: at the eye, or behind it.
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

    /// Whether a triangle with this bounding box on the grid may cover a sample.
    fn may_cover(&self, min: [i32; 2], max: [i32; 2]) -> bool {
        let Lattice { first, step } = self.lattice;
        // If no sample line lies between, the first one at or after the minimum is beyond the maximum.
        (0..2).all(|axis| {
            let next = (min[axis] - first + (1 << step) - 1) >> step;
            let last = (max[axis] - first) >> step;
            next <= last
        })
    }
}

/// Makes triangles of one body.
struct Maker<'a> {
    assembler: &'a Assembler,
    body: &'a Body<'a>,
    /// The index of the body in the scene.
    number: usize,
}

impl Maker<'_> {
    /// Adds the triangle `indices`, whose corners are all on the screen. Returns whether it is counter-clockwise, or
    /// `None` if it is not visible.
    #[inline]
    fn add(
        &self,
        indices: [u32; 3],
        corners: &[ScreenCorner; 3],
        is_cut: bool,
        part: &mut Part,
    ) -> Option<bool> {
        let [a, b, c] = corners.map(|corner| corner.at);
        let area = doubled_area([a, b, c]);
        // Rows go down, so what the viewer sees as counter-clockwise has a negative area.
        let counter_clockwise = area < 0;
        let visible = match self.body.surface.sides {
            Sides::Both => area != 0,
            Sides::CounterClockwise => area < 0,
            Sides::Clockwise => area > 0,
        };
        if !visible {
            return None;
        }
        let min = [a.x.min(b.x).min(c.x), a.y.min(b.y).min(c.y)];
        let max = [a.x.max(b.x).max(c.x), a.y.max(b.y).max(c.y)];
        let pixel = |grid: i32| grid.div_euclid(SUBPIXEL);
        let bounds = PixelBounds {
            min: min.map(pixel),
            max: max.map(pixel),
        };
        if !self.assembler.may_cover(min, max) || !bounds.meets(&self.assembler.image) {
            return None;
        }
        part.faces
            .push(Face::new(indices, self.number, counter_clockwise, is_cut));
        part.bounds.push(bounds);
        let pixels = area.unsigned_abs() / (2 * u64::from(SUBPIXEL.unsigned_abs()).pow(2));
        part.covered += pixels.min(bounds.common(&self.assembler.image).area());
        Some(counter_clockwise)
    }

    /// Clips a triangle and adds the fan of what remains.
    fn cut(&self, original: [u32; 3], part: &mut Part) {
        let body = self.body;
        let at = |vertex: u32| body.source.positions[vertex as usize].as_dvec3();
        let clip = original.map(|vertex| self.assembler.clip(at(vertex).extend(1.0)));
        let whole = original.map(|vertex| body.source.varying(vertex as usize));
        let first = body.corners.len() + part.corners.len();
        let polygon = self.assembler.volume.cut(clip);
        let mut projected = Vec::with_capacity(polygon.len());
        for corner in &polygon {
            let weights = corner.weights.as_vec3().to_array();
            let on_screen = self.assembler.project(corner.clip);
            projected.push(on_screen);
            part.corners.push(on_screen.unwrap_or_default());
            part.varyings
                .push(Varying::blend(whole.each_ref(), weights));
        }
        for index in 2..polygon.len() {
            let fan = [0, index - 1, index];
            let [Some(a), Some(b), Some(c)] = fan.map(|k| projected[k]) else {
                continue;
            };
            let mut sides = fan.map(|k| polygon[k].original_side);
            // Only the first and the last triangle of the fan have a second side on the polygon's outline.
            sides[0] &= index == 2;
            sides[2] &= index + 1 == polygon.len();
            let indices = fan.map(|k| u32::try_from(first + k).unwrap_or(u32::MAX));
            if let Some(counter_clockwise) = self.add(indices, &[a, b, c], true, part) {
                let [ab, bc, ca] = sides;
                part.cuts.push(Cut {
                    face: part.faces.len() - 1,
                    original,
                    original_sides: if counter_clockwise {
                        [ca, bc, ab]
                    } else {
                        sides
                    },
                });
            }
        }
    }
}

impl Part {
    /// Moves the new corners to `body`, which already has those of earlier parts, and returns the rest.
    fn finished(mut self, body: &mut Body<'_>) -> (Vec<Face>, Vec<PixelBounds>, Vec<Cut>) {
        // Each part counted its corners from the end of the body's vertices.
        let shift = u32::try_from(body.cut_varyings.len()).unwrap_or(u32::MAX);
        for cut in &self.cuts {
            self.faces[cut.face].shift(shift);
        }
        body.corners.append(&mut self.corners);
        body.cut_varyings.append(&mut self.varyings);
        (self.faces, self.bounds, self.cuts)
    }
}

/// The nearest grid point to a coordinate in pixels. Halves round up, also below 0, so that moving by a pixel moves
/// every point by a pixel.
#[expect(
    clippy::cast_possible_truncation,
    reason = "within the limit, and NaN is 0"
)]
#[inline]
fn snap(pixels: f64) -> i32 {
    let grid = pixels * f64::from(SUBPIXEL) + 0.5;
    // `floor` is a function call on the baseline instruction set.
    let towards_zero = grid as i32;
    let floor = towards_zero.saturating_sub(i32::from(f64::from(towards_zero) > grid));
    floor.clamp(-LIMIT, LIMIT)
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
        let positions = (-100_000..100_000_i32, -100..100_i32);
        check(&positions, |(position, pixels)| {
            let at = f64::from(position) / 1024.0;
            let moved = snap(at + f64::from(pixels));
            prop_assert_eq!(moved, snap(at) + pixels * SUBPIXEL);
            Ok(())
        })
    }

    #[test]
    fn snapping_does_not_depend_on_where_the_image_begins() {
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
