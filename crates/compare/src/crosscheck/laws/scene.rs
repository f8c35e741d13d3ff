//! Something of everything, to be drawn twice.

use std::f32::consts::{PI, TAU};

use glam::{Vec2, Vec3, Vec4};

use crate::rig::{
    AlphaMode, Asset, AssetBuilder, Bitmap, Finish, Image, ImageData, ImageId, Material,
    MaterialId, Mesh, TextureRef, TextureWrap, Trs,
};

/// Meshes of [`scene`], in the order in which they are in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// A textured ball, bound to two joints.
    Ball,
    /// A ball without texture, seen from outside only.
    Plain,
    /// A card with round holes, seen from both sides.
    Card,
    /// A translucent pane before the rest.
    Pane,
}

impl Part {
    pub(super) fn mesh(self, asset: &mut Asset) -> &mut Mesh {
        &mut asset.meshes[self as usize]
    }

    pub(super) fn material(self, asset: &mut Asset) -> &mut Material {
        &mut asset.materials[self as usize]
    }
}

/// Opaque, masked and blended, textured and plain, curved and flat, one-sided and two-sided.
pub(super) fn scene() -> Asset {
    let mut rig = AssetBuilder::new();
    let low = rig.node("low", None, Trs::IDENTITY);
    let high = rig.node("high", Some(low), Trs::IDENTITY);
    let bound = ball(Vec3::ZERO);
    let by_height: Vec<_> = bound
        .positions
        .iter()
        .map(|position| {
            let weight = (position.y * 0.5 + 0.5).clamp(0.0, 1.0);
            [(low, 1.0 - weight), (high, weight)]
        })
        .collect();
    let bound = rig.mesh(bound);
    rig.skin(bound, by_height);
    for mesh in [
        ball(Vec3::new(1.7, -0.2, -0.4)),
        card(Vec3::new(0.1, 0.3, 1.2)),
        card(Vec3::new(1.4, -0.4, 1.5)),
    ] {
        let mesh = rig.mesh(mesh);
        rig.attach(mesh, low);
    }
    let mut asset = rig.build().expect("it is whole");
    asset.materials = vec![
        material(1.0, AlphaMode::Opaque, false),
        material(0.1, AlphaMode::Opaque, false),
        material(0.9, AlphaMode::Mask(0.5), true),
        material(0.5, AlphaMode::Blend, true),
    ];
    for (index, mesh) in asset.meshes.iter_mut().enumerate() {
        mesh.material = Some(MaterialId::from_index(index));
    }
    Part::Pane.material(&mut asset).base_color.w = 0.4;
    paint(&mut asset, Part::Ball, checker());
    paint(&mut asset, Part::Card, holes());
    asset
}

fn paint(asset: &mut Asset, part: Part, bitmap: Bitmap) {
    let image = ImageId::from_index(asset.images.len());
    part.material(asset).base_color_texture = Some(TextureRef {
        image,
        uv_set: 0,
        wrap_u: TextureWrap::Repeat,
        wrap_v: TextureWrap::Repeat,
    });
    asset.images.push(Image {
        name: "test".into(),
        data: ImageData::Bitmap(bitmap),
    });
}

fn material(grey: f32, alpha: AlphaMode, two_sided: bool) -> Material {
    Material {
        name: String::new(),
        base_color: Vec4::new(grey, grey, 0.8 * grey, 1.0),
        base_color_texture: None,
        alpha,
        two_sided,
        finish: Finish::default(),
    }
}

fn ball(centre: Vec3) -> Mesh {
    let out = |u: f32, v: f32| {
        let ((ring, up), (sin, cos)) = ((v * PI).sin_cos(), (u * TAU).sin_cos());
        Vec3::new(ring * sin, up, ring * cos)
    };
    grid(24, 16, |u, v| (centre + out(u, v), out(u, v)))
}

/// A card that does not look straight at the viewer.
fn card(centre: Vec3) -> Mesh {
    let (right, up) = (Vec3::new(0.5, 0.05, 0.15), Vec3::new(-0.08, 0.5, 0.1));
    let normal = right.cross(up).normalize();
    grid(3, 3, |u, v| {
        (
            centre + right * (2.0 * u - 1.0) + up * (1.0 - 2.0 * v),
            normal,
        )
    })
}

fn grid(columns: u32, rows: u32, point: impl Fn(f32, f32) -> (Vec3, Vec3)) -> Mesh {
    let part = |k: u32, of: u32| k as f32 / of as f32;
    let uv = |k: u32| {
        Vec2::new(
            part(k % (columns + 1), columns),
            part(k / (columns + 1), rows),
        )
    };
    let uvs: Vec<Vec2> = (0..(columns + 1) * (rows + 1)).map(uv).collect();
    let points: Vec<(Vec3, Vec3)> = uvs.iter().map(|uv| point(uv.x, uv.y)).collect();
    let quad = |k: u32| {
        let a = k / columns * (columns + 1) + k % columns;
        let b = a + columns + 1;
        [[a, b, a + 1], [a + 1, b, b + 1]]
    };
    Mesh {
        positions: points.iter().map(|(position, _)| *position).collect(),
        normals: points.iter().map(|(_, normal)| *normal).collect(),
        triangles: (0..columns * rows).flat_map(quad).collect(),
        uv_sets: vec![uvs],
        ..Mesh::default()
    }
}

fn checker() -> Bitmap {
    bitmap(256, |x, y| match (x / 16 + y / 16) % 2 {
        0 => [230, 180, 60, 255],
        _ => [40, 70 + (y / 2) as u8, 150, 255],
    })
}

/// White with a round hole in each of its quarters.
fn holes() -> Bitmap {
    bitmap(64, |x, y| {
        let (x, y) = ((x % 32) as f32 - 15.5, (y % 32) as f32 - 15.5);
        let alpha = ((x.hypot(y) - 8.0) * 60.0 + 128.0).clamp(0.0, 255.0);
        [220, 220, 220, alpha as u8]
    })
}

fn bitmap(size: u32, texel: impl Fn(u32, u32) -> [u8; 4]) -> Bitmap {
    let texels = (0..size * size).map(|k| texel(k % size, k / size));
    Bitmap {
        width: size,
        height: size,
        rgba: texels.flatten().collect(),
    }
}
