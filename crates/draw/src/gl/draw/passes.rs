//! The passes that draw one tile.

use glam::Vec4;

use super::paint::Paint;
use super::programs::Programs;
use super::textures::SrgbTables;
use super::tile::{Projector, Stand, Targets, Tile};
use super::triangles::Triangles;
use crate::gl::buffer::{TexelBuffer, VertexArray, draw_everywhere, draw_triangles};
use crate::gl::object::Query;
use crate::gl::program::{Inputs, Program};
use crate::gl::target::Texture;
use crate::gl::{Current, GlError};
use crate::rig::AlphaMode;
use crate::view::{Sides, Viewport};

/// Most layers of translucent triangles at one sample.
const MAX_LAYERS: u32 = 1024;

/// The data that the passes of an image share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passes<'p, 'gl> {
    pub(super) gl: Current<'gl>,
    pub(super) programs: &'p Programs<'gl>,
    pub(super) tables: &'p SrgbTables<'gl>,
    pub(super) nothing: &'p VertexArray<'gl>,
    pub(super) posed: &'p TexelBuffer<'gl>,
    pub(super) triangles: &'p Triangles<'gl>,
    pub(super) paint: &'p Paint<'gl>,
    /// One per instance.
    pub(super) sides: &'p [Sides],
    pub(super) targets: &'p Targets<'gl>,
    pub(super) projector: Projector,
    pub(super) stand: Stand,
    /// Distances of the nearest and the farthest vertex in front of the viewer.
    pub(super) range: [f32; 2],
    pub(super) viewport: Viewport,
    pub(super) sample_offsets: &'static [[f32; 2]],
    /// Linear, premultiplied.
    pub(super) background: Vec4,
}

impl<'gl> Passes<'_, 'gl> {
    /// Draws `tile` into the targets.
    pub(super) fn draw(&self, tile: &Tile) -> Result<(), GlError> {
        self.find_solid(tile)?;
        self.clear_colors()?;
        if let Some(program) = &self.paint.shading.translucent {
            self.find_and_color_translucent(tile, program)?;
        }
        self.color(&self.paint.shading.solid, tile, false, |inputs| {
            inputs.vec4(c"u_background", self.background);
        })?;
        self.resolve(tile)
    }

    /// First pass: the nearest opaque triangle of each sample.
    fn find_solid(&self, tile: &Tile) -> Result<(), GlError> {
        for sample in 0..self.targets.samples {
            self.targets.find_in(&self.targets.solid, sample)?;
            self.aim(tile);
            for (index, surface) in self.paint.surfaces.iter().enumerate() {
                let masked = self.paint.shading.masked.as_ref();
                match (surface.alpha, masked) {
                    (AlphaMode::Mask(cutoff), Some(masked)) => {
                        let inputs = self.start(masked, sample);
                        self.give_surfaces(&inputs, tile);
                        inputs.int(c"u_sample", i32::from(sample));
                        inputs.float(c"u_cutoff", cutoff);
                        self.draw_instance(index, &inputs)?;
                    }
                    (AlphaMode::Blend, _) => {}
                    (AlphaMode::Opaque | AlphaMode::Mask(_), _) => {
                        let inputs = self.start(&self.programs.visible, sample);
                        self.draw_instance(index, &inputs)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Peels and blends translucent triangles layer by layer from the front, until a layer is empty (C. Everitt, "Interactive
    /// Order-Independent Transparency", 2001). Each layer is the nearest one behind the layer before, so the order is exact
    /// without sorting.
    fn find_and_color_translucent(
        &self,
        tile: &Tile,
        program: &Program<'gl>,
    ) -> Result<(), GlError> {
        let [even, odd] = self
            .targets
            .translucent
            .as_ref()
            .expect("made for translucent surfaces");
        for layer in 0..MAX_LAYERS {
            let (here, before) = if layer % 2 == 0 {
                (even, odd)
            } else {
                (odd, even)
            };
            if !self.find_layer(tile, here, (layer > 0).then_some(before))? {
                return Ok(());
            }
            self.color(program, tile, layer == 0, |inputs| {
                inputs.texture(c"u_layer", here);
            })?;
        }
        Err(GlError::TooManyLayers { limit: MAX_LAYERS })
    }

    /// The nearest translucent triangle of each sample behind `before`. Returns whether there is one anywhere.
    fn find_layer(
        &self,
        tile: &Tile,
        here: &Texture<'gl>,
        before: Option<&Texture<'gl>>,
    ) -> Result<bool, GlError> {
        let mut found = false;
        for sample in 0..self.targets.samples {
            self.targets.find_in(here, sample)?;
            self.aim(tile);
            let inputs = self.start(&self.programs.peel, sample);
            inputs.int(c"u_sample", i32::from(sample));
            inputs.texture(c"u_solid", &self.targets.solid);
            inputs.flag(c"u_first_layer", before.is_none());
            inputs.texture(c"u_previous", before.unwrap_or(&self.targets.solid));
            inputs.texture(c"u_colors", &self.targets.colors);
            let any = Query::any_drawn(self.gl).during(|| {
                let surfaces = self.paint.surfaces.iter().enumerate();
                let mut translucent = surfaces.filter(|(_, surface)| surface.is_translucent());
                translucent.try_for_each(|(index, _)| self.draw_instance(index, &inputs))
            })?;
            found |= any != 0;
        }
        Ok(found)
    }

    /// Prepares to draw triangles.
    fn aim(&self, tile: &Tile) {
        let gl = self.gl;
        let [left, top] = tile.first.map(signed);
        let Viewport { width, height } = self.viewport;
        gl.viewport(-left, -top, signed(width), signed(height));
        gl.enable(gl::DEPTH_TEST);
        gl.depth_func(gl::LESS);
        gl.depth_mask(gl::TRUE);
        gl.disable(gl::BLEND);
        // Rows go down, so what is counter-clockwise for the viewer is clockwise for OpenGL.
        gl.front_face(gl::CW);
    }

    fn start<'p>(&self, program: &'p Program<'gl>, sample: u8) -> Inputs<'p, 'gl> {
        let inputs = program.bind();
        self.projector.give(&inputs);
        let shift = self
            .projector
            .shift(self.sample_offsets[usize::from(sample)]);
        inputs.vec2(c"u_shift", shift);
        inputs
    }

    fn draw_instance(&self, index: usize, inputs: &Inputs<'_, 'gl>) -> Result<(), GlError> {
        let range = self.triangles.range(index);
        if range.is_empty() {
            return Ok(());
        }
        match self.sides[index] {
            Sides::Both => self.gl.disable(gl::CULL_FACE),
            Sides::CounterClockwise => self.cull(gl::BACK),
            Sides::Clockwise => self.cull(gl::FRONT),
        }
        let first = u32::try_from(range.start).unwrap_or(u32::MAX);
        inputs.uint(c"u_first_triangle", first);
        self.triangles.array.bind();
        draw_triangles(self.gl, range.start, range.len())
    }

    fn cull(&self, face: u32) {
        self.gl.enable(gl::CULL_FACE);
        self.gl.cull_face(face);
    }

    /// Whether there is more than one layer; a single layer is written directly.
    fn mixes(&self) -> bool {
        self.paint.shading.translucent.is_some()
    }

    /// Clears the targets.
    fn clear_colors(&self) -> Result<(), GlError> {
        let coloring = self.targets.coloring.bind();
        coloring.use_colors(1 + self.targets.samples)?;
        coloring.clear_floats(0, [f32::INFINITY; 4]);
        if self.mixes() {
            for sample in 1..=self.targets.samples {
                coloring.clear_floats(i32::from(sample), [0.0; 4]);
            }
        }
        self.gl.check("glClearBufferfv")
    }

    /// Blends the colours of one layer under the existing ones.
    ///
    /// * `is_front` – whether it is the first translucent one.
    fn color(
        &self,
        program: &Program<'gl>,
        tile: &Tile,
        is_front: bool,
        give: impl FnOnce(&Inputs<'_, 'gl>),
    ) -> Result<(), GlError> {
        self.targets.coloring.bind();
        self.cover(tile);
        self.gl
            .color_mask(0, u8::from(is_front), gl::FALSE, gl::FALSE, gl::FALSE);
        if self.mixes() {
            for sample in 1..=self.targets.samples {
                self.gl.enable_indexed(gl::BLEND, u32::from(sample));
            }
            self.gl.blend_func(gl::ONE_MINUS_DST_ALPHA, gl::ONE);
        }
        let inputs = program.bind();
        give(&inputs);
        inputs.texture(c"u_solid", &self.targets.solid);
        self.projector.give(&inputs);
        self.give_surfaces(&inputs, tile);
        self.give_look(&inputs);
        self.nothing.bind();
        let drawn = draw_everywhere(self.gl);
        self.gl
            .color_mask(0, gl::TRUE, gl::TRUE, gl::TRUE, gl::TRUE);
        drawn
    }

    fn resolve(&self, tile: &Tile) -> Result<(), GlError> {
        self.targets.resolving.bind();
        self.cover(tile);
        let inputs = self.programs.resolve.bind();
        inputs.texture(c"u_solid", &self.targets.solid);
        inputs.texture(c"u_front", &self.targets.front);
        inputs.texture(c"u_samples_colors", &self.targets.colors);
        inputs.buffer(c"u_thresholds", &self.tables.thresholds);
        inputs.int(c"u_samples", i32::from(self.targets.samples));
        self.nothing.bind();
        draw_everywhere(self.gl)
    }

    /// Prepares to run a shader for every pixel of the tile.
    fn cover(&self, tile: &Tile) {
        let [width, height] = tile.size.map(signed);
        self.gl.viewport(0, 0, width, height);
        for what in [gl::DEPTH_TEST, gl::CULL_FACE, gl::BLEND] {
            self.gl.disable(what);
        }
    }

    fn give_surfaces(&self, inputs: &Inputs<'_, 'gl>, tile: &Tile) {
        inputs.buffer(c"u_posed", self.posed);
        inputs.buffer(c"u_triangles", &self.triangles.rows);
        inputs.buffer(c"u_decode", &self.tables.decode);
        self.paint.give(inputs);
        self.projector.give_size(inputs);
        inputs.int(c"u_samples", i32::from(self.targets.samples));
        inputs.ivec2(c"u_tile", tile.first.map(signed));
    }

    fn give_look(&self, inputs: &Inputs<'_, 'gl>) {
        self.stand.give(inputs);
        inputs.vec2(c"u_range", self.range.into());
    }
}

/// Image sides are below 2^31.
fn signed(side: u32) -> i32 {
    i32::try_from(side).unwrap_or(i32::MAX)
}
