//! The triangles of all instances, and the parameters of an image.

use std::ops::Range;

use crate::gl::buffer::{Buffer, TexelBuffer, TexelFormat, VertexArray, check_count};
use crate::gl::deformer::Deformer;
use crate::gl::mesh::VECTORS;
use crate::gl::{Current, GlError};
use crate::pose::ModelPose;
use crate::rig::{Asset, DeformedMesh, SkinningOptions, Visibility};
use crate::view::{Camera, Style, Viewport};

/// Most triangles of all instances together; each takes 28 bytes.
const MAX_TRIANGLES: usize = 1 << 24;

/// The triangles of all instances, in order.
#[derive(Debug)]
pub(super) struct Triangles<'gl> {
    /// Reads the positions of the posed vertices.
    pub(super) array: VertexArray<'gl>,
    /// Three posed vertices and the instance of each triangle.
    pub(super) rows: TexelBuffer<'gl>,
    /// The triangles of each instance.
    ranges: Vec<Range<usize>>,
    elements: Buffer<'gl>,
    corners: Vec<[u32; 3]>,
    /// Instances with some triangles skipped.
    gaps: Vec<bool>,
    /// Instances that are hidden or without a single finite vertex.
    gone: Vec<bool>,
}

impl<'gl> Triangles<'gl> {
    pub(super) fn upload(
        gl: Current<'gl>,
        asset: &Asset,
        deformer: &Deformer<'gl>,
    ) -> Result<Self, GlError> {
        check_size(asset)?;
        let (mut corners, mut rows, mut ranges) = (Vec::new(), Vec::new(), Vec::new());
        for (index, instance) in asset.instances.iter().enumerate() {
            let (base, first) = (number(deformer.ranges()[index].start), corners.len());
            for triangle in &asset.mesh_of(instance).triangles {
                let [a, b, c] = triangle.map(|corner| base + corner);
                corners.push([a, b, c]);
                rows.push([a, b, c, number(index)]);
            }
            ranges.push(first..corners.len());
        }
        let elements = Buffer::upload(gl, &corners)?;
        let posed = deformer.posed().buffer();
        Ok(Self {
            array: VertexArray::new(posed, 1, VECTORS, Some(&elements))?,
            rows: TexelBuffer::upload(gl, &rows, TexelFormat::Rgba32U, "the triangles")?,
            gaps: vec![false; ranges.len()],
            gone: vec![false; ranges.len()],
            ranges,
            elements,
            corners,
        })
    }

    /// The triangles of instance `index` that are not skipped.
    pub(super) fn range(&self, index: usize) -> Range<usize> {
        let range = &self.ranges[index];
        if self.gone[index] {
            range.start..range.start
        } else {
            range.clone()
        }
    }

    /// Skips what this pose hides, and triangles with a non-finite corner: drivers handle them arbitrarily.
    pub(super) fn skip_unseen(
        &mut self,
        deformer: &Deformer<'gl>,
        meshes: &[DeformedMesh],
        visibility: &Visibility,
    ) -> Result<(), GlError> {
        for (index, mesh) in meshes.iter().enumerate() {
            let finite = mesh
                .positions
                .iter()
                .position(|position| position.is_finite());
            let broken = !mesh.positions.iter().all(|position| position.is_finite());
            self.gone[index] = finite.is_none() || !visibility.shows(mesh.instance);
            if !broken && !self.gaps[index] {
                continue;
            }
            let (base, range) = (deformer.ranges()[index].start, self.ranges[index].clone());
            let whole = self.corners[range.clone()].iter();
            let is_finite = |corner: &u32| mesh.positions[*corner as usize - base].is_finite();
            // A skipped triangle becomes three times one finite vertex: without area, and safe for every driver.
            let nothing = [number(base + finite.unwrap_or_default()); 3];
            let usable = |c: &[u32; 3]| if c.iter().all(is_finite) { *c } else { nothing };
            let corners: Vec<_> = whole.map(usable).collect();
            self.elements.write(range.start, &corners)?;
            self.gaps[index] = broken;
        }
        Ok(())
    }
}

fn check_size(asset: &Asset) -> Result<(), GlError> {
    let counts = asset
        .instances
        .iter()
        .map(|i| asset.mesh_of(i).triangles.len());
    let needed = counts.fold(0, usize::saturating_add);
    check_count(needed, MAX_TRIANGLES, "the triangles of all instances")
}

/// Vertices and triangles are fewer than 2^25.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Everything that an image of a model depends on.
#[derive(Debug, Clone, Copy)]
pub struct ImageParams<'a> {
    /// The pose of the model's skeleton, in world space.
    pub pose: &'a ModelPose,
    /// How weights are used.
    pub skinning: SkinningOptions,
    /// The camera.
    pub camera: &'a Camera,
    /// The size of the image.
    pub viewport: Viewport,
    /// Surface mode, background and samples.
    pub style: &'a Style,
}
