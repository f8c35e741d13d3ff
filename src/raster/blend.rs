//! Translucent surfaces, mixed from back to front at every sample.
//!
//! Each sample sorts what covers it, so that surfaces which pierce each other come out right and the order of triangles
//! does not matter. Only the fragments of one pixel are held at a time.

use glam::Vec4;

use super::coverage::GridPoint;
use super::scene::PixelBounds;
use super::shade::Shader;
use super::tile::mean;
use super::visibility::{Cover, Visibility, Walker, is_nearer};

/// A translucent triangle at one pixel.
#[derive(Debug)]
struct Fragment<const N: usize> {
    id: u32,
    cover: Cover<N>,
    /// Linear, straight alpha.
    color: Vec4,
}

/// Mixes the translucent triangles of one tile.
#[derive(Debug)]
pub(super) struct Blender<'a, const N: usize> {
    shader: &'a Shader<'a>,
    triangles: Vec<(u32, PixelBounds, Walker<'a, N>)>,
    row: i32,
    /// Positions in `triangles` of those that touch the row.
    in_row: Vec<usize>,
    fragments: Vec<Fragment<N>>,
}

impl<'a, const N: usize> Blender<'a, N> {
    /// * `ids` – the translucent triangles of the tile, in any order.
    pub(super) fn new(shader: &'a Shader<'a>, pattern: &'a [GridPoint; N], ids: &[u32]) -> Self {
        let scene = shader.scene;
        let prepare = |&id: &u32| {
            let triangle = &scene.triangles[id as usize];
            (
                id,
                scene.bounds[id as usize],
                Walker::new(triangle, pattern),
            )
        };
        Self {
            shader,
            triangles: ids.iter().map(prepare).collect(),
            row: 0,
            in_row: Vec::new(),
            fragments: Vec::new(),
        }
    }

    /// Prepares for the pixels of `row`.
    pub(super) fn turn_to(&mut self, row: i32) {
        let touches = |(_, bounds, _): &(u32, PixelBounds, Walker<'_, N>)| {
            bounds.min[1] <= row && row <= bounds.max[1]
        };
        let all = self.triangles.iter().enumerate();
        self.row = row;
        self.in_row.clear();
        self.in_row
            .extend(all.filter(|(_, t)| touches(t)).map(|(index, _)| index));
    }

    /// Mixes what covers the pixel in `column` of the row into `colors` (linear, premultiplied; one a sample).
    ///
    /// Returns the depth of the nearest fragment, if there is one.
    pub(super) fn blend(
        &mut self,
        column: i32,
        solid: &Visibility<'_, N>,
        colors: &mut [Vec4; N],
    ) -> Option<f32> {
        if self.in_row.is_empty() {
            return None;
        }
        self.collect(column, solid);
        let mut nearest = None;
        for (s, color) in colors.iter_mut().enumerate() {
            let front = self.blend_sample(s, color);
            nearest = match (nearest, front) {
                (Some(a), Some(b)) => Some(f32::min(a, b)),
                (a, b) => a.or(b),
            };
        }
        nearest
    }

    fn collect(&mut self, column: i32, solid: &Visibility<'_, N>) {
        self.fragments.clear();
        let samples = solid.samples(column, self.row);
        let hidden_from = solid.depth(column, self.row);
        for &index in &self.in_row {
            let (id, bounds, walker) = &self.triangles[index];
            if column < bounds.min[0] || bounds.max[0] < column {
                continue;
            }
            let mut cover = walker.at(column, self.row);
            for s in 0..N {
                // An opaque surface at the same depth hides it.
                if cover.depth[s] >= hidden_from[s] {
                    cover.mask &= !(1 << s);
                }
            }
            if cover.mask != 0 {
                let place = mean(&samples, |s| cover.mask & (1 << s) != 0);
                let color = self.shader.shade_translucent(*id, place);
                self.fragments.push(Fragment {
                    id: *id,
                    cover,
                    color,
                });
            }
        }
    }

    fn blend_sample(&self, sample: usize, color: &mut Vec4) -> Option<f32> {
        let covers = |f: &&Fragment<N>| f.cover.mask & (1 << sample) != 0;
        let mut here: Vec<&Fragment<N>> = self.fragments.iter().filter(covers).collect();
        let depth = |fragment: &Fragment<N>| fragment.cover.depth[sample];
        here.sort_unstable_by(|a, b| {
            let a_first = is_nearer(b.id, depth(b), a.id, depth(a), self.shader);
            let b_first = is_nearer(a.id, depth(a), b.id, depth(b), self.shader);
            b_first.cmp(&a_first)
        });
        for fragment in &here {
            let alpha = fragment.color.w;
            *color = (fragment.color.truncate() * alpha).extend(alpha) + *color * (1.0 - alpha);
        }
        here.last().map(|fragment| depth(fragment))
    }
}
