//! A model on the graphics card.

use super::deformer::Deformer;
use super::draw::{Painter, Picture};
use super::{Current, GlError};
use crate::frame::Frame;
use crate::pose::ModelPose;
use crate::rig::{Asset, DeformedMesh, SkinningOptions};

/// A model on the graphics card, for any number of poses and pictures.
#[derive(Debug)]
pub struct GlModel<'gl> {
    gl: Current<'gl>,
    asset: &'gl Asset,
    deformer: Deformer<'gl>,
    /// Made when it is first needed: vertices alone take no programs that draw.
    painter: Option<Painter<'gl>>,
}

impl<'gl> GlModel<'gl> {
    /// Uploads meshes, weights and morph targets.
    ///
    /// * `asset` – valid by [`Asset::validate`].
    ///
    /// # Errors
    ///
    /// [`GlError::TooLarge`] if the driver cannot address it all.
    pub fn load(gl: Current<'gl>, asset: &'gl Asset) -> Result<Self, GlError> {
        Ok(Self {
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
    /// [`GlError::UnknownNode`] and [`GlError::UnknownJoint`] if `pose` is of another skeleton.
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
    /// Materials show in [`Lit`](crate::view::Show::Lit) and [`Texture`](crate::view::Show::Texture), with masked and
    /// blended alpha; all other pictures show the surface itself, whole and opaque. Back faces are left out where the
    /// material is one-sided, also of a mesh that its pose mirrors. A triangle with a corner that is not finite, or
    /// without area, is not drawn. Of two surfaces with the same depth the first instance is in front.
    ///
    /// # Errors
    ///
    /// As [`GlModel::deform`]; also [`GlError::TooManyLayers`] if too many translucent surfaces lie behind each other.
    pub fn draw(&mut self, picture: &Picture<'_>) -> Result<Frame, GlError> {
        self.deformer.pose(picture.pose, picture.skinning)?;
        let painter = match self.painter.take() {
            Some(painter) => painter,
            None => Painter::new(self.gl, self.asset, &self.deformer)?,
        };
        self.painter.insert(painter).draw(&self.deformer, picture)
    }
}
