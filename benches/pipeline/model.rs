//! A rig of the size of a game character: a winding, painted tube bound to a chain of joints.

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "all counts are small"
)]

use glam::{Mat4, Quat, Vec2, Vec3, Vec4};
use skincheck::frame::Frame;
use skincheck::pose::{self, ModelPose};
use skincheck::raster::{self, DrawInput};
use skincheck::rig::SkinningOptions;
use skincheck::rig::{
    AlphaMode, Asset, Bitmap, Channel, Clip, DeformedMesh, Finish, Image, ImageData, ImageId,
    Influence, Influences, Key, LocalTransform, Material, MaterialId, Mesh, MeshId, MeshInstance,
    Node, NodeId, Skeleton, Skin, SkinId, SkinSlot, Span, TextureRef, TextureWrap, Track, Trs,
    Visibility,
};
use skincheck::skinning;
use skincheck::units::Seconds;
use skincheck::view::{Camera, Framing, Projection, Style, ViewDirection, Viewport};

const JOINTS: usize = 60;
const RINGS: usize = 200;
/// Vertices per ring: 5000 in all.
const SIDES: usize = 25;
/// The joints that influence the vertices of ring 0, 1, 2, …: 1.75 on average, as in real meshes.
const PULLS: [usize; 4] = [1, 1, 2, 3];
const KEYS: usize = 61;
/// Texels along each side of the texture.
const TEXTURE: u32 = 1024;
/// With the proportions of a stout character, whose joints are one unit apart.
const RADIUS: f32 = 12.0;

/// The rig and the result of each stage, which is the input of the next.
pub(crate) struct Model {
    pub(crate) asset: Asset,
    pub(crate) pose: ModelPose,
    pub(crate) meshes: Vec<DeformedMesh>,
    pub(crate) camera: Camera,
    pub(crate) frame: Frame,
}

impl Model {
    pub(crate) const TIME: Seconds = Seconds(1.23);
    pub(crate) const VIEWPORT: Viewport = Viewport {
        width: 1024,
        height: 1024,
    };

    pub(crate) fn new() -> Self {
        let asset = asset();
        asset.validate().expect("the rig is whole");
        let local = pose::sample(&asset, &asset.clips[0], Self::TIME).expect("it is finite");
        let pose = pose::model_pose(&asset, &local);
        let options = SkinningOptions::default();
        let meshes = skinning::deform(&asset, &pose, &options).expect("the pose is of this rig");
        let camera = Self::fit(&asset, &meshes[0].positions);
        let frame = raster::draw(&DrawInput {
            asset: &asset,
            meshes: &meshes,
            visibility: &Visibility::default(),
            camera: &camera,
            viewport: Self::VIEWPORT,
            style: &Style::default(),
            max_influences: None,
        });
        Self {
            asset,
            pose,
            meshes,
            camera,
            frame,
        }
    }

    pub(crate) fn fit(asset: &Asset, points: &[Vec3]) -> Camera {
        let (direction, projection) = (ViewDirection::default(), Projection::default());
        let mut framing = Framing::new(&asset.space, direction, projection, Self::VIEWPORT);
        framing.include(points);
        framing.camera()
    }

    pub(crate) fn clip(&self) -> &Clip {
        &self.asset.clips[0]
    }

    pub(crate) fn mesh(&self) -> &Mesh {
        &self.asset.meshes[0]
    }
}

fn asset() -> Asset {
    // Colours that blend into each other, with a fine grain.
    let texel = |x: u32, y: u32| [(x / 4) as u8, (y / 4) as u8, (x ^ y) as u8, u8::MAX];
    let mut asset = painted((0..JOINTS).map(joint), tube(), TEXTURE, texel);
    asset.instances[0].skin = Some(SkinId(0));
    asset.skins.push(skin());
    asset.clips.push(clip());
    asset
}

/// A textured mesh that follows the first joint.
///
/// * `texture` – texels along each side.
pub(crate) fn painted(
    joints: impl Iterator<Item = Node>,
    mesh: Mesh,
    texture: u32,
    texel: impl Fn(u32, u32) -> [u8; 4],
) -> Asset {
    let texels = (0..texture).flat_map(|y| (0..texture).map(move |x| (x, y)));
    Asset {
        meshes: vec![Mesh {
            material: Some(MaterialId(0)),
            ..mesh
        }],
        instances: vec![MeshInstance {
            node: NodeId(0),
            mesh: MeshId(0),
            skin: None,
            morph_weights: Vec::new(),
        }],
        materials: vec![paint()],
        images: vec![Image {
            name: "paint".to_owned(),
            data: ImageData::Bitmap(Bitmap {
                width: texture,
                height: texture,
                rgba: texels.flat_map(|(x, y)| texel(x, y)).collect(),
            }),
        }],
        ..Asset::of(Skeleton::new(joints.collect()).expect("parents come first"))
    }
}

fn paint() -> Material {
    Material {
        name: "paint".to_owned(),
        base_color: Vec4::ONE,
        base_color_texture: Some(TextureRef {
            image: ImageId(0),
            uv_set: 0,
            wrap_u: TextureWrap::Repeat,
            wrap_v: TextureWrap::Repeat,
        }),
        alpha: AlphaMode::Opaque,
        two_sided: false,
        finish: Finish::default(),
    }
}

/// Every joint is one unit above its parent.
pub(crate) fn joint(index: usize) -> Node {
    Node {
        name: format!("joint {index}"),
        parent: index.checked_sub(1).map(NodeId::from_index),
        rest: LocalTransform::Trs(Trs {
            translation: if index == 0 { Vec3::ZERO } else { Vec3::Y },
            ..Trs::IDENTITY
        }),
    }
}

fn skin() -> Skin {
    let below = |joint: usize| Mat4::from_translation(-(joint as f32) * Vec3::Y);
    Skin {
        name: "tube".to_owned(),
        joints: (0..JOINTS).map(NodeId::from_index).collect(),
        inverse_bind_matrices: (0..JOINTS).map(below).collect(),
    }
}

fn tube() -> Mesh {
    let positions = || (0..RINGS).flat_map(|ring| (0..SIDES).map(move |side| (ring, side)));
    let outward = |(_, side): (usize, usize)| {
        let (sin, cos) = libm::sincosf(std::f32::consts::TAU * side as f32 / SIDES as f32);
        Vec3::new(cos, 0.0, sin)
    };
    let position = |point: (usize, usize)| RADIUS * outward(point) + Vec3::Y * height(point.0);
    let uv = |(ring, side): (usize, usize)| {
        Vec2::new(side as f32 / SIDES as f32, ring as f32 / RINGS as f32)
    };
    Mesh {
        name: "tube".to_owned(),
        positions: positions().map(position).collect(),
        normals: positions().map(outward).collect(),
        uv_sets: vec![positions().map(uv).collect()],
        triangles: (0..RINGS - 1)
            .flat_map(|ring| (0..SIDES).flat_map(move |side| quad(ring, side)))
            .collect(),
        influences: Influences::from_vertices(positions().map(|(ring, _)| influences(ring))),
        ..Mesh::default()
    }
}

fn height(ring: usize) -> f32 {
    ring as f32 * (JOINTS - 1) as f32 / (RINGS - 1) as f32
}

fn quad(ring: usize, side: usize) -> [[u32; 3]; 2] {
    let vertex = |ring: usize, side: usize| (ring * SIDES + side % SIDES) as u32;
    let (a, b) = (vertex(ring, side), vertex(ring, side + 1));
    let (c, d) = (vertex(ring + 1, side + 1), vertex(ring + 1, side));
    [[a, c, b], [a, d, c]]
}

fn influences(ring: usize) -> Vec<Influence> {
    let count = PULLS[ring % PULLS.len()];
    let nearest = ring * (JOINTS - 1) / (RINGS - 1);
    let influence = |offset: usize| Influence {
        slot: SkinSlot((nearest + offset).min(JOINTS - 1) as u32),
        weight: 1.0 / count as f32,
    };
    (0..count).map(influence).collect()
}

/// Two seconds in which every joint rotates by its own phase and the root moves.
fn clip() -> Clip {
    Clip {
        channels: (0..JOINTS).map(channel).collect(),
        ..Clip::new("wind", Seconds(2.0))
    }
}

fn channel(index: usize) -> Channel {
    let rotation = move |time: f32| {
        let (sin, cos) = libm::sincosf(0.05 * libm::sinf(3.0 * time + index as f32));
        Quat::from_xyzw(0.6 * sin, 0.0, 0.8 * sin, cos)
    };
    let shift = |time: f32| Vec3::new(time, 0.0, 0.0);
    Channel {
        translation: (index == 0).then(|| track(shift)),
        rotation: Some(track(rotation)),
        ..Channel::of(NodeId::from_index(index))
    }
}

fn track<T>(value: impl Fn(f32) -> T) -> Track<T> {
    let key = |index: usize| {
        let time = 2.0 * index as f32 / (KEYS - 1) as f32;
        Key {
            time: Seconds(f64::from(time)),
            value: value(time),
            span: Span::Linear,
        }
    };
    Track {
        keys: (0..KEYS).map(key).collect(),
    }
}
