//! A closed, bumpy surface of any number of triangles, drawn on its own.

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "all counts are small"
)]

use std::f32::consts::{PI, TAU};

use glam::camera::rh::{proj::opengl, view::look_at_mat4};
use glam::{Vec2, Vec3};
use skincheck::raster::DrawInput;
use skincheck::rig::{Asset, Bitmap, DeformedMesh, ImageData, InstanceId, Mesh, Visibility};
use skincheck::view::{Camera, Style, Viewport};

use crate::model::{joint, painted};

/// Texels along each side of the texture, which wraps around the blob four times.
pub(crate) const TEXTURE: u32 = 512;

/// A blob and its camera.
pub(crate) struct Blob {
    pub(crate) asset: Asset,
    pub(crate) meshes: Vec<DeformedMesh>,
    pub(crate) visibility: Visibility,
    pub(crate) camera: Camera,
    pub(crate) style: Style,
}

impl Blob {
    pub(crate) const VIEWPORT: Viewport = Viewport {
        width: 1024,
        height: 1024,
    };

    /// * `side` – squares along each side of the sheet that it is bent from: `2 side²` triangles.
    pub(crate) fn new(side: usize) -> Self {
        let mesh = mesh(side);
        let deformed = DeformedMesh {
            instance: InstanceId(0),
            positions: mesh.positions.clone(),
            normals: mesh.normals.clone(),
            tangents: vec![],
            bitangents: vec![],
        };
        Self {
            asset: painted(std::iter::once(joint(0)), mesh, TEXTURE, texel),
            meshes: vec![deformed],
            visibility: Visibility::default(),
            camera: Camera {
                view_from_world: look_at_mat4(Vec3::Z * 3.4, Vec3::ZERO, Vec3::Y),
                clip_from_view: opengl::perspective(0.872_664_6, 1.0, 0.1, 100.0),
            },
            style: Style::default(),
        }
    }

    pub(crate) fn input(&self) -> DrawInput<'_> {
        DrawInput {
            asset: &self.asset,
            meshes: &self.meshes,
            visibility: &self.visibility,
            camera: &self.camera,
            viewport: Self::VIEWPORT,
            style: &self.style,
            max_influences: None,
        }
    }

    pub(crate) fn mesh(&self) -> &Mesh {
        &self.asset.meshes[0]
    }

    pub(crate) fn bitmap(&self) -> &Bitmap {
        match &self.asset.images[0].data {
            ImageData::Bitmap(bitmap) => bitmap,
            _ => unreachable!("it was made here"),
        }
    }
}

fn position(u: f32, v: f32) -> Vec3 {
    let ((sin, cos), (ring, up)) = ((u * TAU).sin_cos(), (v * PI).sin_cos());
    let radius = 1.0 + 0.25 * (5.0 * u * TAU).sin() * ring * (4.0 * v * PI).cos();
    Vec3::new(radius * ring * cos, 1.3 * radius * up, radius * ring * sin)
}

fn normal(u: f32, v: f32) -> Vec3 {
    const STEP: f32 = 1e-3;
    let towards = if v < 0.5 { STEP } else { -STEP };
    let along = position(u + STEP, v) - position(u, v);
    let down = (position(u, v + towards) - position(u, v)) * towards.signum();
    along.cross(down).normalize_or(Vec3::Y * towards.signum())
}

fn mesh(side: usize) -> Mesh {
    let part = |k: usize| k as f32 / side as f32;
    let uvs: Vec<Vec2> = (0..=side)
        .flat_map(|j| (0..=side).map(move |i| Vec2::new(part(i), part(j))))
        .collect();
    let quad = |k: usize| {
        let a = (k / side * (side + 1) + k % side) as u32;
        let c = a + side as u32 + 1;
        [[a, a + 1, c], [a + 1, c + 1, c]]
    };
    Mesh {
        positions: uvs.iter().map(|uv| position(uv.x, uv.y)).collect(),
        normals: uvs.iter().map(|uv| normal(uv.x, uv.y)).collect(),
        triangles: (0..side * side).flat_map(quad).collect(),
        uv_sets: vec![uvs.iter().map(|uv| *uv * 4.0).collect()],
        ..Mesh::default()
    }
}

fn texel(x: u32, y: u32) -> [u8; 4] {
    if ((x >> 5) ^ (y >> 5)) & 1 == 1 {
        [230, 200, 160, 255]
    } else {
        [(40 + x / 4) as u8, (60 + y / 4) as u8, 90, 255]
    }
}
