//! A model on the graphics card.

use super::deformer::Deformer;
use super::draw::{ImageParams, Painter};
use super::{Current, GlError};
use crate::account::Unallocated;
use crate::frame::Frame;
use crate::pose::ModelPose;
use crate::rig::{Asset, DeformedMesh, SkinningOptions};

/// A model on the graphics card, for any number of poses and images.
#[derive(Debug)]
pub struct GlModel<'gl> {
    gl: Current<'gl>,
    asset: &'gl Asset,
    deformer: Deformer<'gl>,
    /// Created when first needed: vertices alone need no drawing programs.
    painter: Option<Painter<'gl>>,
    _driver: Option<Unallocated>,
}

/// What a software driver holds besides buffers and textures, in bytes: compiled shaders, tiles, threads.
const DRIVER: usize = 64 << 20;

impl<'gl> GlModel<'gl> {
    /// Uploads meshes, weights and morph targets.
    ///
    /// * `asset` – valid by [`Asset::validate`].
    ///
    /// # Errors
    ///
    /// [`GlError::TooLarge`] if the asset exceeds what the driver can address.
    pub fn load(gl: Current<'gl>, asset: &'gl Asset) -> Result<Self, GlError> {
        Ok(Self {
            _driver: gl.book(DRIVER),
            gl,
            asset,
            deformer: Deformer::load(gl, asset)?,
            painter: None,
        })
    }

    /// Skins every mesh instance, in order, in world space.
    ///
    /// * `pose` – of the asset's skeleton, in world space.
    ///
    /// # Errors
    ///
    /// [`GlError::UnknownNode`] and [`GlError::UnknownJoint`] if `pose` belongs to another skeleton.
    pub fn deform(
        &mut self,
        pose: &ModelPose,
        options: &SkinningOptions,
    ) -> Result<Vec<DeformedMesh>, GlError> {
        self.deformer.pose(pose, *options)?;
        self.deformer.read()
    }

    /// Skins and draws.
    ///
    /// [`Lit`](crate::view::Show::LIT) and [`Texture`](crate::view::Show::TEXTURE) show materials, with masked and
    /// blended alpha. All other modes show the surface itself, whole and opaque. Back faces of one-sided materials are
    /// culled, also where the pose mirrors the mesh. Triangles with a non-finite corner or without area are not drawn.
    /// Of two surfaces with equal depth, the first instance is in front.
    ///
    /// # Errors
    ///
    /// As [`GlModel::deform`]; also [`GlError::TooManyLayers`] if too many translucent surfaces overlap.
    pub fn draw(&mut self, params: &ImageParams<'_>) -> Result<Frame, GlError> {
        self.deformer.pose(params.pose, params.skinning)?;
        let painter = match self.painter.take() {
            Some(painter) => painter,
            None => Painter::new(self.gl, self.asset, &self.deformer)?,
        };
        self.painter.insert(painter).draw(&self.deformer, params)
    }
}
