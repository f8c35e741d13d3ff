//! How a picture looks.

use glam::Vec3;

use crate::rig::JointId;

/// What the colour of the surface tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// The material in the light of the scene.
    Lit,
    /// The material without light.
    Texture,
    /// World-space normals as colours: 0.5 + 0.5 n.
    Normals,
    /// How strongly one joint pulls, blue to red; black where it does not.
    Weights(JointId),
    /// How many influences a vertex has.
    Influences,
    /// The colours of the joints, mixed by their weights.
    Joints,
    /// A numbered-looking checker in texture space.
    Uv,
    /// Distance from the camera, near bright.
    Depth,
    /// The edges of the triangles.
    Wireframe,
}

/// What is behind the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// sRGB.
    Color([u8; 3]),
    /// Alpha 0.
    Transparent,
}

/// Coverage samples per pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Samples {
    /// The pixel's centre.
    One,
    /// The standard positions of Direct3D 11 and most OpenGL drivers.
    Four,
}

/// All choices of appearance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// What the surface shows.
    pub show: Show,
    /// What is behind it.
    pub background: Background,
    /// Anti-aliasing.
    pub samples: Samples,
}

impl Style {
    /// A neutral dark grey on which a mid-grey character reads well.
    pub const DEFAULT_BACKGROUND: [u8; 3] = [46, 49, 54];
}

impl Default for Style {
    fn default() -> Self {
        Self {
            show: Show::Lit,
            background: Background::Color(Self::DEFAULT_BACKGROUND),
            samples: Samples::Four,
        }
    }
}

/// A skeleton to be drawn over the model, in world space.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overlay {
    /// From a joint to its child.
    pub bones: Vec<[Vec3; 2]>,
    /// Every joint to be marked.
    pub joints: Vec<Vec3>,
}
