//! Translucent surfaces, mixed from back to front at every sample.
//!
//! Each sample sorts what covers it, so that surfaces which pierce each other come out right and the order of triangles
//! does not matter. Only the fragments of one pixel are held at a time.

use glam::Vec4;

use super::coverage::GridPoint;
use super::interpolate::mean;
use super::scene::PixelBounds;
use super::shade::{Brush, Shader};
use super::visibility::{Cover, Visibility, Walker};

/// A translucent triangle in one tile.
#[derive(Debug)]
struct Pane<'a, const N: usize> {
    id: u32,
    bounds: PixelBounds,
    walker: Walker<'a, N>,
    brush: Brush<'a>,
}

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
    panes: Vec<Pane<'a, N>>,
    row: i32,
    /// Positions in `panes` of those that touch the row.
    in_row: Vec<usize>,
    fragments: Vec<Fragment<N>>,
}

impl<'a, const N: usize> Blender<'a, N> {
    /// * `ids` – the translucent triangles of the tile, in any order.
    pub(super) fn new(shader: &'a Shader<'a>, pattern: &'a [GridPoint; N], ids: &[u32]) -> Self {
        let pane = |&id: &u32| Pane {
            id,
            bounds: shader.scene.bounds[id as usize],
            walker: Walker::new(&shader.scene.triangles[id as usize], pattern),
            brush: shader.brush(id),
        };
        Self {
            shader,
            panes: ids.iter().map(pane).collect(),
            row: 0,
            in_row: Vec::new(),
            fragments: Vec::new(),
        }
    }

    /// Prepares for the pixels of `row`.
    pub(super) fn turn_to(&mut self, row: i32) {
        let touches = |pane: &Pane<'_, N>| pane.bounds.min[1] <= row && row <= pane.bounds.max[1];
        let panes = self.panes.iter().enumerate();
        self.row = row;
        self.in_row.clear();
        self.in_row.extend(
            panes
                .filter(|(_, pane)| touches(pane))
                .map(|(index, _)| index),
        );
    }

    /// Mixes what covers the pixel in `column` of the row into `colors` (linear, premultiplied; one a sample).
    ///
    /// Returns the depth of the nearest fragment; infinite if there is none.
    pub(super) fn blend(
        &mut self,
        column: i32,
        solid: &Visibility<'_, N>,
        colors: &mut [Vec4; N],
    ) -> f32 {
        self.fragments.clear();
        if !self.in_row.is_empty() {
            self.collect(column, solid);
        }
        if self.fragments.is_empty() {
            return f32::INFINITY;
        }
        let fronts = colors.iter_mut().enumerate();
        let fronts = fronts.map(|(s, color)| self.blend_sample(s, color));
        fronts.fold(f32::INFINITY, f32::min)
    }

    fn collect(&mut self, column: i32, solid: &Visibility<'_, N>) {
        let samples = solid.samples(column, self.row);
        for &index in &self.in_row {
            let pane = &self.panes[index];
            if column < pane.bounds.min[0] || pane.bounds.max[0] < column {
                continue;
            }
            let mut cover = pane.walker.at(column, self.row);
            // An opaque surface at the same depth hides it.
            cover.mask &= cover.nearer_than(solid.depth(column, self.row));
            if cover.mask != 0 {
                let place = mean(&samples, |s| cover.mask & (1 << s) != 0);
                self.fragments.push(Fragment {
                    id: pane.id,
                    color: pane.brush.color(place),
                    cover,
                });
            }
        }
    }

    /// Mixes into the sample `s` and returns the least depth there.
    fn blend_sample(&mut self, s: usize, color: &mut Vec4) -> f32 {
        let scene = self.shader.scene;
        let farthest_first = |a: &Fragment<N>, b: &Fragment<N>| {
            let by_depth = b.cover.depth[s].total_cmp(&a.cover.depth[s]);
            by_depth.then_with(|| scene.tie_order(b.id, a.id))
        };
        self.fragments.sort_unstable_by(farthest_first);
        let here = self.fragments.iter();
        let here = here.filter(|fragment| fragment.cover.mask & (1 << s) != 0);
        here.fold(f32::INFINITY, |nearest, fragment| {
            let alpha = fragment.color.w;
            *color = (fragment.color.truncate() * alpha).extend(alpha) + *color * (1.0 - alpha);
            nearest.min(fragment.cover.depth[s])
        })
    }
}
