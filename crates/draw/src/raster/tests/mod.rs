//! Scenes to draw, and what must hold for their images.

mod images;
mod kernels;
mod laws;

use glam::camera::rh::proj::opengl;
use glam::camera::rh::view::look_at_mat4;
use glam::{Mat4, Quat, Vec2, Vec3, Vec4};

use super::{DrawInput, draw};
use crate::frame::Frame;
use crate::rig::{
    AlphaMode, Asset, Bitmap, DeformedMesh, Finish, Image, ImageData, ImageId, Influence,
    Influences, InstanceId, LocalTransform, Material, MaterialId, Mesh, MeshId, MeshInstance, Node,
    NodeId, Skeleton, Skin, SkinId, SkinSlot, TextureRef, TextureWrap, Trs, Visibility,
};
use crate::view::{Background, Camera, Measured, Show, Style, Viewport};

pub(super) use crate::simd::levels;
pub(super) use crate::units::law::holds as check;

const SIZE: u32 = 32;
const WHITE: Vec4 = Vec4::ONE;

/// Whether a law holds, and if not, where.
pub(super) type Verdict = Result<(), String>;

/// A model in its rest pose, with a camera.
#[derive(Debug, Clone)]
pub(super) struct TestScene {
    pub(super) asset: Asset,
    pub(super) meshes: Vec<DeformedMesh>,
    pub(super) visibility: Visibility,
    pub(super) camera: Camera,
    pub(super) viewport: Viewport,
    pub(super) style: Style,
}

impl TestScene {
    /// No mesh; an orthographic camera at +Z that sees -1..1 in x and y and all of z in -10..10.
    pub(super) fn empty(width: u32, height: u32) -> Self {
        let joint = |parent| Node {
            name: String::new(),
            parent,
            rest: LocalTransform::Trs(Trs::IDENTITY),
        };
        Self {
            asset: Asset::of(Skeleton::new(vec![joint(None), joint(Some(NodeId(0)))]).unwrap()),
            meshes: Vec::new(),
            visibility: Visibility::default(),
            camera: Camera {
                view_from_world: Mat4::IDENTITY,
                clip_from_view: Mat4::from_scale(Vec3::new(1.0, 1.0, -0.1)),
            },
            viewport: Viewport { width, height },
            style: Style::default(),
        }
    }

    /// Adds `mesh` with a material of its own, drawn where it is.
    pub(super) fn add(&mut self, mut mesh: Mesh, material: Material) -> InstanceId {
        let id = InstanceId::from_index(self.asset.instances.len());
        mesh.material = Some(MaterialId::from_index(self.asset.materials.len()));
        self.meshes.push(DeformedMesh {
            instance: id,
            positions: mesh.positions.clone(),
            normals: mesh.normals.clone(),
            tangents: Vec::new(),
            bitangents: Vec::new(),
        });
        self.asset.instances.push(MeshInstance {
            node: NodeId(0),
            mesh: MeshId::from_index(self.asset.meshes.len()),
            skin: None,
            morph_weights: Vec::new(),
        });
        self.asset.materials.push(material);
        self.asset.meshes.push(mesh);
        id
    }

    /// Adds an image and gives it to the last material.
    pub(super) fn add_texture(&mut self, bitmap: Bitmap) {
        let image = ImageId::from_index(self.asset.images.len());
        self.asset.images.push(Image {
            name: "test".into(),
            data: ImageData::Bitmap(bitmap),
        });
        self.asset.materials.last_mut().unwrap().base_color_texture = Some(TextureRef {
            image,
            uv_set: 0,
            wrap_u: TextureWrap::Repeat,
            wrap_v: TextureWrap::Repeat,
        });
    }

    pub(super) fn input(&self) -> DrawInput<'_> {
        DrawInput {
            asset: &self.asset,
            meshes: &self.meshes,
            visibility: &self.visibility,
            camera: &self.camera,
            viewport: self.viewport,
            style: &self.style,
            max_influences: None,
        }
    }

    pub(super) fn draw(&self) -> Frame {
        self.asset.validate().unwrap();
        draw(&self.input())
    }
}

pub(super) fn material(color: Vec4) -> Material {
    Material {
        name: String::new(),
        base_color: color,
        base_color_texture: None,
        alpha: AlphaMode::Opaque,
        two_sided: false,
        finish: Finish::default(),
    }
}

pub(super) fn perspective(eye: Vec3, target: Vec3, aspect: f32) -> Camera {
    Camera {
        view_from_world: look_at_mat4(eye, target, Vec3::Y),
        clip_from_view: opengl::perspective(0.6, aspect, 0.1, 100.0),
    }
}

/// An empty image with an odd background, seen from +Z.
fn scene(show: Show) -> TestScene {
    let mut scene = TestScene::empty(SIZE, SIZE);
    scene.style.show = show;
    scene.style.background = Background::Color([1, 2, 3]);
    scene
}

/// A square over the middle half of the image, towards the viewer at +Z.
fn square(z: f32) -> Mesh {
    quad(Vec3::Z * z, Vec3::X * 0.5, Vec3::Y * 0.5)
}

fn two_sided(color: Vec4) -> Material {
    Material {
        two_sided: true,
        ..material(color)
    }
}

fn pixel(frame: &Frame, x: u32, y: u32) -> [u8; 4] {
    let index = 4 * (y * frame.width + x) as usize;
    frame.rgba[index..index + 4].try_into().unwrap()
}

fn middle(frame: &Frame) -> [u8; 4] {
    pixel(frame, frame.width / 2, frame.height / 2)
}

fn depth_in_middle(frame: &Frame) -> f32 {
    frame.depth[(frame.height / 2 * frame.width + frame.width / 2) as usize]
}

/// A mesh of triangles that share nothing.
fn soup(triangles: &[[Vec3; 3]]) -> Mesh {
    Mesh {
        positions: triangles.iter().flatten().copied().collect(),
        triangles: (0..triangles.len() as u32)
            .map(|t| [3 * t, 3 * t + 1, 3 * t + 2])
            .collect(),
        ..Mesh::default()
    }
}

/// A grid over 0..1 in (u, v), put in space by `position`; normals point away from `centre(u, v)`.
fn grid(
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
fn sphere(centre: Vec3, radius: f32, columns: u32, rows: u32) -> Mesh {
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
fn quad(centre: Vec3, right: Vec3, up: Vec3) -> Mesh {
    let position = |u: f32, v: f32| centre + right * (2.0 * u - 1.0) + up * (1.0 - 2.0 * v);
    grid(1, 1, position, |_, _| right.cross(up))
}

fn bitmap(size: u32, texel: impl Fn(u32, u32) -> [u8; 4]) -> Bitmap {
    let texels = (0..size).flat_map(|y| (0..size).map(move |x| (x, y)));
    Bitmap {
        width: size,
        height: size,
        rgba: texels.flat_map(|(x, y)| texel(x, y)).collect(),
    }
}

/// Binds the last mesh to both joints, from the first at the bottom to the second at the top.
fn bind_by_height(scene: &mut TestScene, bottom: f32, top: f32) {
    let mesh = scene.asset.meshes.last_mut().unwrap();
    let lists = mesh.positions.iter().map(|p| {
        let up = ((p.y - bottom) / (top - bottom)).clamp(0.0, 1.0);
        let influence = |slot, weight| Influence {
            slot: SkinSlot(slot),
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
fn distances() -> Show {
    let values = (0..4096_u16).map(|vertex| f32::from(vertex % 64) / 48.0);
    Show::distance(Measured {
        ticks: vec![(0.0, String::new()), (1.0, String::new())],
        of_instances: vec![values.collect(); 8],
        ..Measured::default()
    })
}

/// Something of everything: curved and flat, opaque, masked, blended, textured, seen in perspective and cut by the near plane.
fn showcase(width: u32, height: u32, show: Show) -> TestScene {
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
