//! Drawing in one call.

use super::{Backend, BackendError, Cpu, Driver, Extent, Scene};
use crate::frame::Frame;
use crate::pose::ModelPose;
use crate::rig::{Asset, SkinningOptions};
use crate::units::{SignedAxis, Space};
use crate::view::{Framing, Projection, Style, ViewDirection, Viewport};

/// How [`draw`] draws.
#[derive(Debug, Clone)]
pub struct DrawOptions {
    /// The direction of the camera, which is placed so that the posed model fits into the image.
    pub direction: ViewDirection,
    /// The direction that the figure faces, perpendicular to [`Space::up`]; `None` for the front of its file.
    pub front: Option<SignedAxis>,
    /// How depth appears.
    pub projection: Projection,
    /// Size of the image.
    pub viewport: Viewport,
    /// What the surface shows, and the background.
    pub style: Style,
    /// How weights are used.
    pub skinning: SkinningOptions,
}

impl Default for DrawOptions {
    /// 1024 by 1024 pixels, lit, from the front and above.
    fn default() -> Self {
        Self {
            direction: ViewDirection::default(),
            front: None,
            projection: Projection::default(),
            viewport: Viewport {
                width: 1024,
                height: 1024,
            },
            style: Style::default(),
            skinning: SkinningOptions::default(),
        }
    }
}

/// Draws `asset` in `pose` on the CPU.
///
/// For many images of one model, or for OpenGL, open a [`Device`](super::Device) and [load](super::Device::load) the model once.
///
/// * `asset` – valid by [`Asset::validate`].
/// * `pose` – of the skeleton of `asset`, in world space.
///
/// # Errors
///
/// [`BackendError`] if `pose` is of another skeleton, or the model is too large.
///
/// # Example
///
/// ```
/// # mod skincheck { pub use skincheck_rig::{pose, rig}; pub use skincheck_draw::{backend, frame}; }
/// # let asset = skincheck::rig::leg();
/// use skincheck::backend::{self, DrawOptions};
/// use skincheck::{frame::png, pose};
///
/// let rest = pose::model_pose(&asset, &pose::rest(&asset));
/// let frame = backend::draw(&asset, &rest, &DrawOptions::default())?;
/// let file = png::encode(&frame, &[])?;
/// # assert!(file.starts_with(b"\x89PNG"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn draw(asset: &Asset, pose: &ModelPose, options: &DrawOptions) -> Result<Frame, BackendError> {
    let DrawOptions {
        direction,
        front,
        projection,
        viewport,
        ref style,
        skinning,
    } = *options;
    let space = Space {
        front: front.unwrap_or(asset.space.front),
        ..asset.space
    };
    let mut framing = Framing::new(&space, direction, projection, viewport);
    let extent = Extent {
        asset,
        skinning,
        joints: false,
    };
    extent.include_pose(&mut framing, pose)?;
    let mut device = Cpu.open(Driver::default())?;
    device.load(asset)?.render(&Scene {
        pose,
        skinning,
        camera: framing.camera(),
        viewport,
        style: style.clone(),
    })
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::pose;
    use crate::rig::{AssetBuilder, Mesh, Trs};

    #[test]
    fn views_start_from_the_front_that_is_asked_for() {
        let mut rig = AssetBuilder::new();
        let root = rig.node("root", None, Trs::IDENTITY);
        // Seen from behind, it is mirrored.
        let sail = rig.mesh(Mesh {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y * 2.0],
            triangles: vec![[0, 1, 2], [0, 2, 1]],
            ..Mesh::default()
        });
        rig.attach(sail, root);
        let asset = rig.build().expect("it is valid");
        let rest = pose::model_pose(&asset, &pose::rest(&asset));
        let image = |front, direction| {
            let options = DrawOptions {
                front,
                direction,
                viewport: Viewport {
                    width: 64,
                    height: 64,
                },
                ..DrawOptions::default()
            };
            draw(&asset, &rest, &options).expect("it can be drawn")
        };
        let own = image(None, ViewDirection::Front);
        assert_ne!(image(None, ViewDirection::Back), own);
        assert_eq!(asset.space.front, SignedAxis::PlusZ);
        assert_eq!(image(Some(SignedAxis::PlusZ), ViewDirection::Front), own);
        let behind = image(Some(SignedAxis::MinusZ), ViewDirection::Back);
        assert_eq!(behind, own, "the back of the other front");
    }
}
