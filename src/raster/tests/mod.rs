//! Scenes to draw, and what must hold for their images.

mod hostile;
mod kernels;
mod laws;
mod layers;
mod materials;
mod modes;
mod shapes;
mod sides;

use glam::camera::rh::{proj::opengl, view::look_at_mat4};
use glam::{Mat4, Vec3, Vec4};

use super::{DrawInput, draw};
use crate::frame::Frame;
use crate::rig::{
    AlphaMode, Asset, Bitmap, DeformedMesh, Image, ImageData, ImageId, InstanceId, LocalTransform,
    Material, MaterialId, Mesh, MeshId, MeshInstance, Node, NodeId, Skeleton, TextureRef,
    TextureWrap, Trs,
};
pub(super) use crate::units::law::holds as check;
use crate::view::{Background, Camera, Measured, Show, Style, Viewport};
use shapes::{bitmap, distances, quad, showcase, soup, sphere};

const SIZE: u32 = 32;
const WHITE: Vec4 = Vec4::ONE;

/// Whether a law holds, and if not, where.
pub(super) type Verdict = Result<(), String>;

/// A model in its rest pose, with a camera.
#[derive(Debug, Clone)]
pub(super) struct TestScene {
    pub(super) asset: Asset,
    pub(super) meshes: Vec<DeformedMesh>,
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
