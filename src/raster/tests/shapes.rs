//! Meshes and images to draw.

use glam::{Mat4, Quat, Vec2, Vec3, Vec4};

use super::{TestScene, material, perspective};
use crate::rig::{AlphaMode, Bitmap, Influence, Influences, JointId, Mesh, NodeId, Skin, SkinId};
use crate::view::{Measured, Show};

/// A mesh of triangles that share nothing.
pub(super) fn soup(triangles: &[[Vec3; 3]]) -> Mesh {
    Mesh {
        positions: triangles.iter().flatten().copied().collect(),
        triangles: (0..triangles.len() as u32)
            .map(|t| [3 * t, 3 * t + 1, 3 * t + 2])
            .collect(),
        ..Mesh::default()
    }
}

/// A grid over 0..1 in (u, v), put in space by `position`; normals point away from `centre(u, v)`.
pub(super) fn grid(
    columns: u32,
    rows: u32,
    position: impl Fn(f32, f32) -> Vec3,
    normal: impl Fn(f32, f32) -> Vec3,
) -> Mesh {
    let uv = |i: u32, j: u32| Vec2::new(i as f32 / columns as f32, j as f32 / rows as f32);
    let uvs: Vec<Vec2> = (0..=rows)
        .flat_map(|j| (0..=columns).map(move |i| uv(i, j)))
        .collect();
    let quad = |i: u32, j: u32| {
        let a = j * (columns + 1) + i;
        let c = a + columns + 1;
        [[a, c, a + 1], [a + 1, c, c + 1]]
    };
    Mesh {
        positions: uvs.iter().map(|uv| position(uv.x, uv.y)).collect(),
        normals: uvs
            .iter()
            .map(|uv| normal(uv.x, uv.y).normalize())
            .collect(),
        triangles: (0..rows)
            .flat_map(|j| (0..columns).flat_map(move |i| quad(i, j)))
            .collect(),
        uv_sets: vec![uvs],
        ..Mesh::default()
    }
}

/// A sphere around `centre`, v from the top down.
pub(super) fn sphere(centre: Vec3, radius: f32, columns: u32, rows: u32) -> Mesh {
    let out = |u: f32, v: f32| {
        let (longitude, latitude) = (u * std::f32::consts::TAU, v * std::f32::consts::PI);
        let ring = latitude.sin();
        Vec3::new(
            ring * longitude.sin(),
            latitude.cos(),
            ring * longitude.cos(),
        )
    };
    grid(columns, rows, |u, v| centre + out(u, v) * radius, out)
}

/// A quad, v from the top down.
pub(super) fn quad(centre: Vec3, right: Vec3, up: Vec3) -> Mesh {
    let position = |u: f32, v: f32| centre + right * (2.0 * u - 1.0) + up * (1.0 - 2.0 * v);
    grid(1, 1, position, |_, _| right.cross(up))
}

pub(super) fn bitmap(size: u32, texel: impl Fn(u32, u32) -> [u8; 4]) -> Bitmap {
    let texels = (0..size).flat_map(|y| (0..size).map(move |x| (x, y)));
    Bitmap {
        width: size,
        height: size,
        rgba: texels.flat_map(|(x, y)| texel(x, y)).collect(),
    }
}

/// Binds the last mesh to both joints, from the first at the bottom to the second at the top.
pub(super) fn bind_by_height(scene: &mut TestScene, bottom: f32, top: f32) {
    let mesh = scene.asset.meshes.last_mut().unwrap();
    let lists = mesh.positions.iter().map(|p| {
        let up = ((p.y - bottom) / (top - bottom)).clamp(0.0, 1.0);
        let influence = |slot, weight| Influence {
            joint: JointId(slot),
            weight,
        };
        if up <= 0.0 {
            vec![influence(0, 1.0)]
        } else {
            vec![influence(0, 1.0 - up), influence(1, up)]
        }
    });
    mesh.influences = Influences::from_vertices(lists.collect::<Vec<_>>());
    scene.asset.instances.last_mut().unwrap().skin =
        Some(SkinId::from_index(scene.asset.skins.len()));
    scene.asset.skins.push(Skin {
        name: String::new(),
        joints: vec![NodeId(0), NodeId(1)],
        inverse_bind_matrices: vec![Mat4::IDENTITY; 2],
    });
}

/// Numbers for the vertices of [`showcase`], or of as many others.
pub(super) fn distances() -> Show {
    let values = (0..4096_u16).map(|vertex| f32::from(vertex % 64) / 48.0);
    Show::distance(Measured {
        ticks: vec![(0.0, String::new()), (1.0, String::new())],
        of_instances: vec![values.collect(); 8],
        ..Measured::default()
    })
}

/// Something of everything: curved and flat, opaque, masked, blended, textured, seen in perspective and cut by the near plane.
pub(super) fn showcase(width: u32, height: u32, show: Show) -> TestScene {
    let mut scene = TestScene::empty(width, height);
    scene.camera = perspective(
        Vec3::new(1.6, 2.2, 5.4),
        Vec3::new(0.0, 0.85, 0.0),
        width as f32 / height as f32,
    );
    scene.style.show = show;
    let tile = |x: u32, y: u32| match (x / 32 + y / 32) % 2 {
        0 => [205, 200, 190, 255],
        _ => [120, 122, 128, 255],
    };
    let position = |u: f32, v: f32| Vec3::new(6.0 * u - 3.0, 0.0, 9.0 * v - 3.0);
    let mut floor = grid(1, 1, position, |_, _| Vec3::Y);
    floor.uv_sets[0]
        .iter_mut()
        .for_each(|uv| *uv *= Vec2::new(6.0, 9.0));
    scene.add(floor, material(Vec4::ONE));
    scene.add_texture(bitmap(256, tile));
    scene.add(
        sphere(Vec3::new(0.0, 1.0, 0.0), 1.0, 64, 32),
        material(Vec4::new(0.5, 0.5, 0.5, 1.0)),
    );
    bind_by_height(&mut scene, 0.0, 2.0);
    scene.add(
        sphere(Vec3::new(-1.5, 0.5, 0.9), 0.5, 48, 24),
        material(Vec4::new(0.75, 0.12, 0.06, 1.0)),
    );
    bind_by_height(&mut scene, 0.2, 0.8);
    let mut hoop = material(Vec4::new(0.95, 0.9, 0.75, 1.0));
    hoop.alpha = AlphaMode::Mask(0.5);
    hoop.two_sided = true;
    let rotation = Quat::from_rotation_y(0.6);
    let card = |at: Vec3| quad(at, rotation * Vec3::X * 0.5, Vec3::Y * 0.5);
    scene.add(card(Vec3::new(1.4, 0.5, 1.0)), hoop);
    scene.add_texture(bitmap(128, |x, y| {
        let (x, y) = (x as f32 - 63.5, y as f32 - 63.5);
        let ring = (x * x + y * y).sqrt();
        [
            255,
            255,
            255,
            if (36.0..60.0).contains(&ring) { 255 } else { 0 },
        ]
    }));
    for (index, color) in [(0.1, 0.5, 0.9), (0.9, 0.75, 0.1)].into_iter().enumerate() {
        let mut glass = material(Vec3::from(color).extend(0.45));
        glass.alpha = AlphaMode::Blend;
        glass.two_sided = true;
        let rotation = Quat::from_rotation_y([0.5, -0.7][index]);
        let at = Vec3::new(0.55, 0.45, 1.5);
        scene.add(quad(at, rotation * Vec3::X * 0.6, Vec3::Y * 0.45), glass);
    }
    scene
}
