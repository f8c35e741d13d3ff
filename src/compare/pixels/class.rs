//! What the scene says of a pixel, and the samples that it is drawn by.

use glam::DVec2;
use schemars::JsonSchema;
use serde::Serialize;

use super::triangle::Triangle;

/// How certain the content of a pixel is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PixelClass {
    /// No sample is covered, by any path.
    #[default]
    Empty,
    /// All samples show the same triangles.
    Whole,
    /// Each sample's triangles are certain, but not all samples show the same.
    Mixed,
    /// Rounding decides what at least one sample shows.
    Open,
}

/// The classification of an image, row by row.
#[derive(Debug)]
pub(super) struct Classes {
    pub(super) width: usize,
    pub(super) pixels: Vec<Pixel>,
}

/// The classification of one pixel.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pixel {
    pub(super) class: PixelClass,
    /// For each sample, the group that it shows. The surfaces of a group belong to the same instances.
    pub(super) groups: [u32; MOST_SAMPLES],
    /// How two correct paths may differ there.
    pub(super) doubt: Doubt,
}

/// How two correct paths may differ at a pixel.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Doubt {
    /// Largest distance of a path from the exact point on the surface, in pixels.
    pub(super) shift: f32,
    /// Largest rotation of a path's normal, in radians.
    pub(super) rotation: f32,
}

impl Doubt {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "small numbers that need not be exact"
    )]
    pub(super) fn include(&mut self, triangle: &Triangle) {
        self.shift = self.shift.max(triangle.radius as f32);
        self.rotation = self.rotation.max(triangle.rotation as f32);
    }
}

/// The most samples that are drawn; with one sample all entries are equal.
pub(super) const MOST_SAMPLES: usize = 4;

/// The group of the background.
pub(super) const BACKGROUND: u32 = 0;

/// The centre, relative to itself.
pub(super) const CENTRE: [DVec2; 1] = [DVec2::ZERO];

/// The standard positions of Direct3D 11 for four samples, relative to the centre.
pub(super) const STANDARD: [DVec2; 4] = [
    DVec2::new(-0.125, -0.375),
    DVec2::new(0.375, -0.125),
    DVec2::new(-0.375, 0.125),
    DVec2::new(0.125, 0.375),
];
