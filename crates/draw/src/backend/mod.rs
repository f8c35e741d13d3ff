//! Backends: from a posed asset to skinned vertices and an image.
//!
//! ```text
//! Backend --open--> Device --load(asset)--> Model --deform--> vertices
//!                                                 --render--> Frame
//! ```

mod draw;
mod enclosing;
mod extent;
mod follow;
#[cfg(feature = "gl")]
mod gl;
mod ground;

use std::sync::Arc;

use crate::frame::Frame;
use crate::pose::ModelPose;
use crate::raster::{self, DrawInput, Textures};
use crate::rig::{Asset, DeformedMesh, SkinningOptions};
use crate::skinning::{Attributes, Prepared, SkinningError};
use crate::view::{Camera, Style, Viewport};

pub use draw::{DrawOptions, draw};
pub use enclosing::{enclosing, meets};
pub use extent::Extent;
pub use follow::Follow;
#[cfg(feature = "gl")]
pub use gl::Gl;

/// An implementation of skinning and drawing.
///
/// To add one, write a file next to this one, and add a line to [`BACKENDS`].
pub trait Backend: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Opens it for any number of models.
    ///
    /// # Errors
    ///
    /// [`BackendError`] if this machine lacks what it needs.
    fn open(&self, driver: Driver) -> Result<Box<dyn Device>, BackendError>;
}

/// The OpenGL implementation; the CPU backend ignores it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Driver {
    /// The machine's default: hardware if there is any.
    #[default]
    Auto,
    /// Mesa's llvmpipe.
    Software,
    /// A graphics card; an error without one.
    Hardware,
}

/// A backend that is ready for models.
pub trait Device {
    /// The renderer's name, as it reports it.
    fn describe(&self) -> String;

    /// Prepares `asset`, which is valid by [`Asset::validate`], for any number of poses and images.
    ///
    /// # Errors
    ///
    /// [`BackendError`] if the model is too large.
    fn load<'a>(&'a mut self, asset: &'a Asset) -> Result<Box<dyn Model + 'a>, BackendError>;
}

/// A model that is ready to be posed.
pub trait Model {
    /// Skins every mesh instance in `pose`, in world space.
    ///
    /// # Errors
    ///
    /// [`BackendError`] if `pose` does not belong to the model.
    fn deform(
        &mut self,
        pose: &ModelPose,
        options: &SkinningOptions,
    ) -> Result<Vec<DeformedMesh>, BackendError>;

    /// Skins and draws.
    ///
    /// # Errors
    ///
    /// As [`Model::deform`]; also if there are more than [`MAX_TRIANGLES`], or on the CPU more than [`MAX_LAYERS`].
    fn render(&mut self, scene: &Scene<'_>) -> Result<Frame, BackendError>;

    /// The same model for another thread, with shared textures and weights; `None` if all drawing must stay on one thread.
    fn for_thread(&self) -> Option<Box<dyn Model + Send + '_>> {
        None
    }
}

/// Everything that an image of a model depends on.
#[derive(Debug, Clone)]
pub struct Scene<'a> {
    /// The model's pose.
    pub pose: &'a ModelPose,
    /// How weights are used.
    pub skinning: SkinningOptions,
    /// The camera.
    pub camera: Camera,
    /// Size of the image.
    pub viewport: Viewport,
    /// How it looks.
    pub style: Style,
}

/// Every backend of this build; the first is the default.
pub static BACKENDS: &[&dyn Backend] = &[
    &Cpu,
    #[cfg(feature = "gl")]
    &Gl,
];

/// The maximum number of triangles of all instances together. Each takes some 140 bytes, so this is about 2 GiB.
pub const MAX_TRIANGLES: usize = 1 << 24;

/// The maximum number of times that triangles may cover the image on the CPU. A torn model needs a fraction of it.
pub const MAX_LAYERS: u64 = 1 << 14;

/// Refuses too many triangles: a small file can use a large mesh many times.
fn check_size(asset: &Asset) -> Result<(), BackendError> {
    let (triangles, limit) = (asset.drawn_triangles(), MAX_TRIANGLES);
    if triangles > limit {
        return Err(BackendError::TooManyTriangles { triangles, limit });
    }
    Ok(())
}

/// An error of a backend.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// The vertices could not be skinned.
    #[error(transparent)]
    Skinning(#[from] SkinningError),
    /// OpenGL is not available, or failed.
    #[cfg(feature = "gl")]
    #[error(transparent)]
    Gl(#[from] crate::gl::GlError),
    /// Instances multiply meshes: so many triangles would not fit in memory.
    #[error("the instances have {triangles} triangles in total; the limit is {limit}")]
    TooManyTriangles {
        /// How many triangles.
        triangles: usize,
        /// The most supported.
        limit: usize,
    },
    /// Large triangles lie over each other.
    #[error(
        "the triangles cover the image more than {limit} times; delete those that lie over each other"
    )]
    TooManyLayers {
        /// The most supported.
        limit: u64,
    },
}

/// The CPU backend. Bit-identical on every machine and for any number of threads.
#[derive(Debug, Clone, Copy)]
pub struct Cpu;

impl Backend for Cpu {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn open(&self, _driver: Driver) -> Result<Box<dyn Device>, BackendError> {
        Ok(Box::new(*self))
    }
}

impl Device for Cpu {
    fn describe(&self) -> String {
        let threads = rayon::current_num_threads();
        format!("software rasterizer, {threads} threads")
    }

    fn load<'a>(&'a mut self, asset: &'a Asset) -> Result<Box<dyn Model + 'a>, BackendError> {
        Ok(Box::new(CpuModel {
            asset,
            textures: Arc::new(Textures::new(asset)),
            prepared: None,
        }))
    }
}

/// A model, with the data that its images share.
#[derive(Clone)]
struct CpuModel<'a> {
    asset: &'a Asset,
    textures: Arc<Textures<'a>>,
    /// For the options of the last pose.
    prepared: Option<(SkinningOptions, Arc<Prepared<'a>>)>,
}

impl Model for CpuModel<'_> {
    fn deform(
        &mut self,
        pose: &ModelPose,
        options: &SkinningOptions,
    ) -> Result<Vec<DeformedMesh>, BackendError> {
        let of_last = self.prepared.take().filter(|(kept, _)| kept == options);
        let anew = || (*options, Arc::new(Prepared::new(self.asset, options)));
        let (_, prepared) = self.prepared.insert(of_last.unwrap_or_else(anew));
        Ok(prepared.deform(pose, Attributes::All)?)
    }

    fn render(&mut self, scene: &Scene<'_>) -> Result<Frame, BackendError> {
        check_size(self.asset)?;
        let meshes = self.deform(scene.pose, &scene.skinning)?;
        let input = DrawInput {
            asset: self.asset,
            meshes: &meshes,
            visibility: &scene.pose.visibility,
            camera: &scene.camera,
            viewport: scene.viewport,
            style: &scene.style,
            max_influences: scene.skinning.max_influences,
        };
        let limit = MAX_LAYERS;
        let drawn = raster::draw_within(&input, &self.textures, limit);
        drawn.ok_or(BackendError::TooManyLayers { limit })
    }

    fn for_thread(&self) -> Option<Box<dyn Model + Send + '_>> {
        Some(Box::new(self.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::rigs::asset_of;
    use crate::rig::{Mesh, MeshId, MeshInstance, NodeId};

    #[test]
    fn a_mesh_used_too_often_to_be_drawn_is_refused() {
        let mut asset = asset_of(vec![]);
        asset.meshes.push(Mesh {
            triangles: vec![[0; 3]; 1 << 14],
            ..Mesh::default()
        });
        let instance = MeshInstance::rigid(NodeId(0), MeshId(0));
        asset.instances = vec![instance.clone(); 1 << 10];
        assert!(check_size(&asset).is_ok());
        asset.instances.push(instance);
        let error = check_size(&asset).expect_err("it is one use too many");
        let expected = "the instances have 16793600 triangles in total; the limit is 16777216";
        assert_eq!(error.to_string(), expected);
    }
}
