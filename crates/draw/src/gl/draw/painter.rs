//! Draws a posed model.

use glam::{Vec3, Vec4};

use super::paint::Paint;
use super::passes::Passes;
use super::programs::Programs;
use super::textures::{self, SrgbTables};
use super::tile::{self, DEPTHS, PIXELS, Projector, Stand, Targets, Tile};
use super::triangles::{ImageParams, Triangles};
use crate::frame::Frame;
use crate::gl::buffer::VertexArray;
use crate::gl::deformer::Deformer;
use crate::gl::target::PixelFormat;
use crate::gl::{Current, GlError};
use crate::look::srgb::tables;
use crate::rig::{Asset, DeformedMesh};
use crate::view::{Background, ColorSource, Sides};

/// Draws one asset, and caches resources that images share.
#[derive(Debug)]
pub(in crate::gl) struct Painter<'gl> {
    gl: Current<'gl>,
    asset: &'gl Asset,
    programs: Programs<'gl>,
    tables: SrgbTables<'gl>,
    nothing: VertexArray<'gl>,
    triangles: Triangles<'gl>,
    paint: Option<Paint<'gl>>,
    targets: Option<Targets<'gl>>,
}

impl<'gl> Painter<'gl> {
    /// * `deformer` – of the same asset.
    pub(in crate::gl) fn new(
        gl: Current<'gl>,
        asset: &'gl Asset,
        deformer: &Deformer<'gl>,
    ) -> Result<Self, GlError> {
        Ok(Self {
            gl,
            asset,
            programs: Programs::link(gl)?,
            tables: SrgbTables::upload(gl)?,
            nothing: VertexArray::bare(gl),
            triangles: Triangles::upload(gl, asset, deformer)?,
            paint: None,
            targets: None,
        })
    }

    /// Draws the vertices that `deformer` has posed.
    pub(in crate::gl) fn draw(
        &mut self,
        deformer: &Deformer<'gl>,
        params: &ImageParams<'_>,
    ) -> Result<Frame, GlError> {
        let mut frame = Frame::blank(params.viewport.width, params.viewport.height);
        if frame.depth.is_empty() {
            return Ok(frame);
        }
        let meshes = deformer.read()?;
        self.triangles
            .skip_unseen(deformer, &meshes, &params.pose.visibility)?;
        self.prepare(params)?;
        let (paint, targets) = (self.paint.as_ref(), self.targets.as_ref());
        let paint = paint.expect("it was prepared");
        let targets = targets.expect("they were prepared");
        let stand = Stand::new(params.camera);
        let passes = Passes {
            gl: self.gl,
            programs: &self.programs,
            tables: &self.tables,
            nothing: &self.nothing,
            posed: deformer.posed(),
            triangles: &self.triangles,
            sides: &self.sides(paint, &meshes),
            paint,
            targets,
            projector: Projector::new(params.camera, params.viewport),
            range: range(&stand, params, &meshes),
            stand,
            viewport: params.viewport,
            sample_offsets: textures::sample_offsets(params.style.samples),
            background: background(params.style.background),
        };
        for tile in tile::tiles(params.viewport) {
            passes.draw(&tile)?;
            read(targets, &tile, &mut frame)?;
        }
        Ok(frame)
    }

    /// Reuses the last image's resources if they fit.
    fn prepare(&mut self, params: &ImageParams<'_>) -> Result<(), GlError> {
        let (show, most) = (&params.style.show, params.skinning.max_influences);
        let fits = |paint: &Paint<'_>| paint.show == *show && paint.max_influences == most;
        if !self.paint.as_ref().is_some_and(fits) {
            self.paint = None;
            self.paint = Some(Paint::new(self.gl, self.asset, show, most)?);
        }
        let (size, samples) = (tile::largest(params.viewport), params.style.samples.count());
        let fits = |targets: &Targets<'_>| targets.size == size && targets.samples == samples;
        if !self.targets.as_ref().is_some_and(fits) {
            self.targets = None;
            self.targets = Some(Targets::new(self.gl, size, samples)?);
        }
        match (&self.paint, &mut self.targets) {
            (Some(paint), Some(targets)) if paint.has_translucent() => targets.make_translucent(),
            _ => Ok(()),
        }
    }

    fn sides(&self, paint: &Paint<'_>, meshes: &[DeformedMesh]) -> Vec<Sides> {
        let instances = self.asset.instances.iter().zip(meshes).zip(&paint.surfaces);
        let sides = instances.map(|((instance, posed), surface)| {
            let mesh = self.asset.mesh_of(instance);
            surface.sides(mesh, posed)
        });
        sides.collect()
    }
}

/// Distances of the nearest and the farthest vertex in front of the viewer, if the colours need them.
fn range(stand: &Stand, params: &ImageParams<'_>, meshes: &[DeformedMesh]) -> [f32; 2] {
    if !matches!(params.style.show.source(), ColorSource::Depth) {
        return [0.0, 1.0];
    }
    let visibility = &params.pose.visibility;
    let shown = meshes.iter().filter(|mesh| visibility.shows(mesh.instance));
    let positions = shown.flat_map(|mesh| &mesh.positions);
    let distances = positions.map(|position: &Vec3| stand.distance(*position));
    let (near, far) = distances.fold((f32::INFINITY, 0.0_f32), |(near, far), distance| {
        (near.min(distance), far.max(distance))
    });
    [near.max(0.0), far]
}

fn background(background: Background) -> Vec4 {
    match background {
        Background::Color([r, g, b]) => tables().premultiplied([r, g, b, u8::MAX]),
        Background::Transparent => Vec4::ZERO,
    }
}

fn read(targets: &Targets<'_>, tile: &Tile, frame: &mut Frame) -> Result<(), GlError> {
    let (stride, width) = (targets.size[0], frame.width);
    let resolving = &targets.resolving;
    let pixels: Vec<[u8; 4]> = resolving.read(PIXELS, PixelFormat::Rgba8U, targets.size)?;
    tile.copy(&pixels, stride, frame.rgba.as_chunks_mut().0, width);
    let depths: Vec<f32> = resolving.read(DEPTHS, PixelFormat::R32F, targets.size)?;
    tile.copy(&depths, stride, &mut frame.depth, width);
    Ok(())
}
