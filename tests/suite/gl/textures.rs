//! Compares textures of both paths: the images agree, and those of wrong textures do not.

use glam::{Mat4, Vec2, Vec3};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use skincheck::backend::{Backend, Cpu, Device, Driver, Scene};
use skincheck::compare::{self, PixelReport};
use skincheck::pose;
use skincheck::rig::{
    AlphaMode, Asset, Bitmap, Bumps, Finish, Image, ImageData, ImageId, LocalTransform, Material,
    MaterialId, Mesh, MeshId, MeshInstance, Node, NodeId, Reflection, Skeleton, SkinningOptions,
    TextureRef, TextureWrap, Trs,
};
use skincheck::view::{Camera, Show, Style, Viewport};

use super::open;

const VIEWPORT: Viewport = Viewport {
    width: 64,
    height: 48,
};

const WRAPS: [TextureWrap; 3] = [TextureWrap::Repeat, TextureWrap::Mirror, TextureWrap::Clamp];

/// Sheets in space, each with its own texture.
#[derive(Debug, Clone)]
struct Sheets(Vec<Sheet>);

#[derive(Debug, Clone)]
struct Sheet {
    corners: [Vec3; 4],
    uvs: [Vec2; 4],
    bitmap: Bitmap,
    wrap: [TextureWrap; 2],
    show_lit: bool,
    /// Roughness and metal; whether they and the normals are mapped, and whether vertices have tangents.
    finish: Option<([f32; 2], [bool; 3])>,
}

/// Random texels, or stripes of single texels, which vary the fastest.
fn bitmaps() -> impl Strategy<Value = Bitmap> {
    let sides = (1_u32..40, 1_u32..40);
    (sides, any::<bool>()).prop_flat_map(|((width, height), stripes)| {
        let texels = (width * height) as usize;
        prop::collection::vec(any::<[u8; 3]>(), texels).prop_map(move |codes| Bitmap {
            width,
            height,
            rgba: (0..texels)
                .flat_map(|k| {
                    let [r, g, b] = codes[k];
                    let white = u8::MAX * u8::from(k % 2 == 0);
                    if stripes { [white; 4] } else { [r, g, b, 255] }
                })
                .collect(),
        })
    })
}

/// Coordinates from a small part of the texture to many copies of it.
fn sheets() -> impl Strategy<Value = Sheets> {
    let axis = || -1.2..1.2_f32;
    let corner = || (axis(), axis(), axis()).prop_map(|(x, y, z)| Vec3::new(x, y, z));
    let scale = prop::sample::select(vec![0.05_f32, 0.7, 3.0, 20.0, 1e4]);
    // Farther from 0, steps of f32 are visible parts of a texel, and rounding decides what a pixel shows.
    let origin = prop::sample::select(vec![0.0_f32, -3.0, 40.0]);
    let uv = || (0.0..1.0_f32, 0.0..1.0_f32).prop_map(Vec2::from);
    let uvs = (prop::array::uniform4(uv()), scale, origin)
        .prop_map(|(uvs, scale, origin)| uvs.map(|uv| uv * scale + origin));
    let wrap = || prop::sample::select(WRAPS.to_vec());
    let corners = prop::array::uniform4(corner());
    let finish = ([0.0..1.0_f32, 0.0..1.0_f32], any::<[bool; 3]>());
    let finish = prop::option::of(finish);
    let sheet = (
        corners,
        uvs,
        bitmaps(),
        [wrap(), wrap()],
        any::<bool>(),
        finish,
    );
    let sheet = sheet.prop_map(|(corners, uvs, bitmap, wrap, show_lit, finish)| Sheet {
        corners,
        uvs,
        bitmap,
        wrap,
        show_lit,
        finish,
    });
    prop::collection::vec(sheet, 1..3).prop_map(Sheets)
}

impl Sheets {
    fn asset(&self) -> Asset {
        let root = Node {
            name: "root".to_owned(),
            parent: None,
            rest: LocalTransform::Trs(Trs::IDENTITY),
        };
        let instance = |index| MeshInstance::rigid(NodeId(0), MeshId::from_index(index));
        let sheets = || self.0.iter().enumerate();
        Asset {
            meshes: sheets().map(|(index, sheet)| sheet.mesh(index)).collect(),
            instances: (0..self.0.len()).map(instance).collect(),
            materials: sheets()
                .map(|(index, sheet)| sheet.material(index))
                .collect(),
            images: sheets().map(|(_, sheet)| sheet.image()).collect(),
            ..Asset::of(Skeleton::new(vec![root]).expect("it is a root"))
        }
    }

    fn show(&self) -> Show {
        if self.0[0].show_lit {
            Show::LIT
        } else {
            Show::TEXTURE
        }
    }
}

impl Sheet {
    fn mesh(&self, index: usize) -> Mesh {
        let has_tangents = self.finish.is_some_and(|(_, [.., tangents])| tangents);
        let each = |vector| vec![vector; 4];
        let (tangents, bitangents) = if has_tangents {
            (each(Vec3::X), each(Vec3::Y))
        } else {
            (Vec::new(), Vec::new())
        };
        Mesh {
            positions: self.corners.to_vec(),
            // Without normals nothing bends them.
            normals: self.finish.map_or_else(Vec::new, |_| each(Vec3::Z)),
            tangents,
            bitangents,
            uv_sets: vec![self.uvs.to_vec()],
            triangles: vec![[0, 1, 2], [2, 1, 3]],
            material: Some(MaterialId::from_index(index)),
            ..Mesh::default()
        }
    }

    fn material(&self, index: usize) -> Material {
        let [wrap_u, wrap_v] = self.wrap;
        let texture = TextureRef {
            image: ImageId::from_index(index),
            uv_set: 0,
            wrap_u,
            wrap_v,
        };
        let finish = self.finish.map(
            |([roughness, metallic], [is_mapped, has_bumps, _])| Finish {
                reflection: Some(Reflection {
                    roughness,
                    metallic,
                    texture: is_mapped.then_some(texture),
                }),
                bumps: has_bumps.then_some(Bumps {
                    texture,
                    scale: 1.5 - roughness,
                }),
            },
        );
        Material {
            name: String::new(),
            base_color: glam::Vec4::ONE,
            base_color_texture: Some(texture),
            alpha: AlphaMode::Opaque,
            two_sided: true,
            finish: finish.unwrap_or_default(),
        }
    }

    fn image(&self) -> Image {
        Image {
            name: String::new(),
            data: ImageData::Bitmap(self.bitmap.clone()),
        }
    }
}

fn camera() -> Camera {
    use glam::camera::rh::{proj::opengl, view::look_at_mat4};
    let aspect = 64.0 / 48.0;
    Camera {
        view_from_world: look_at_mat4(Vec3::new(0.4, 0.5, 3.0), Vec3::ZERO, Vec3::Y),
        clip_from_view: opengl::perspective(0.8, aspect, 0.1, 10.0) * Mat4::IDENTITY,
    }
}

/// The CPU's image of `sheets`, and OpenGL's of the sheets after `change`.
fn compare(gl: &mut dyn Device, sheets: &Sheets, change: fn(&mut Asset)) -> PixelReport {
    let asset = sheets.asset();
    let mut other = asset.clone();
    change(&mut other);
    let pose = pose::model_pose(&asset, &pose::rest(&asset));
    let style = Style {
        show: sheets.show(),
        ..Style::default()
    };
    let scene = Scene {
        pose: &pose,
        skinning: SkinningOptions::default(),
        camera: camera(),
        viewport: VIEWPORT,
        style: style.clone(),
    };
    let mut cpu = Cpu.open(Driver::Auto).expect("the CPU is there");
    let draw = |device: &mut dyn Device, asset| {
        let mut model = device.load(asset).expect("the rig is whole");
        model.render(&scene).expect("the rig is whole")
    };
    let (first, second) = (draw(&mut *cpu, &asset), draw(gl, &other));
    let compared = compare::pixels(&first, &second, None).expect("both are of one size");
    compared.report
}

const CASES: u32 = 192;

/// In how many of all cases the images disagree, and how many pixels are wrong. A share of so few pixels may be less than one
/// pixel, so one is no disagreement.
fn wrong(gl: &mut dyn Device, change: fn(&mut Asset)) -> (usize, usize) {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let (mut pixels, mut cases) = (0, 0);
    for _ in 0..CASES {
        let sheets = sheets()
            .new_tree(&mut runner)
            .expect("nothing is rejected")
            .current();
        let report = compare(gl, &sheets, change);
        let disagrees = report.wrong > report.allowed.max(1);
        if disagrees {
            println!("{:?}", report.worst);
        }
        pixels += report.wrong;
        cases += usize::from(disagrees);
    }
    (cases, pixels)
}

#[test]
fn both_paths_read_textures_alike() {
    let Some(mut gl) = open() else { return };
    let (cases, pixels) = wrong(&mut *gl, |_| {});
    assert_eq!(cases, 0, "{pixels} pixels");
}

/// Changes what the second path draws.
type Fault = fn(&mut Asset);

fn each_bitmap(asset: &mut Asset, change: impl Fn(&mut Bitmap)) {
    for image in &mut asset.images {
        if let ImageData::Bitmap(bitmap) = &mut image.data {
            change(bitmap);
        }
    }
}

fn each_uv(asset: &mut Asset, change: impl Fn(&mut Vec2, [f32; 2])) {
    let (meshes, images) = (&mut asset.meshes, &asset.images);
    for (mesh, image) in meshes.iter_mut().zip(images) {
        let ImageData::Bitmap(bitmap) = &image.data else {
            continue;
        };
        let size = [bitmap.width, bitmap.height]
            .map(|side| f32::from(u16::try_from(side).unwrap_or(u16::MAX)));
        mesh.uv_sets[0].iter_mut().for_each(|uv| change(uv, size));
    }
}

/// In many cases no fault is visible: sheets are thin or out of sight, textures are a single texel, or so far away that
/// a pixel is the mean of all texels.
const FOUND_IN: usize = CASES as usize / 16;

#[test]
fn a_misread_texture_is_found() {
    let Some(mut gl) = open() else { return };
    let faults: [(&str, Fault); 7] = [
        ("half a texel off", |asset| {
            each_uv(asset, |uv, [width, _]| uv.x += 0.5 / width);
        }),
        ("a sixteenth of a texel off", |asset| {
            each_uv(asset, |uv, [_, height]| uv.y += 0.0625 / height);
        }),
        ("a level too coarse", |asset| {
            // Twice the texture, so that a pixel covers twice the texels.
            each_bitmap(asset, |bitmap| *bitmap = doubled(bitmap));
        }),
        ("another wrap", |asset| {
            for material in &mut asset.materials {
                let texture = material.base_color_texture.as_mut();
                let texture = texture.expect("all have one");
                texture.wrap_u = match texture.wrap_u {
                    TextureWrap::Repeat => TextureWrap::Mirror,
                    TextureWrap::Mirror => TextureWrap::Clamp,
                    TextureWrap::Clamp => TextureWrap::Repeat,
                };
            }
        }),
        ("v upwards", |asset| {
            each_uv(asset, |uv, _| uv.y = 1.0 - uv.y);
        }),
        ("bumps to the other side", |asset| {
            for material in &mut asset.materials {
                if let Some(bumps) = &mut material.finish.bumps {
                    bumps.scale = -bumps.scale;
                }
            }
        }),
        ("rougher", |asset| {
            for material in &mut asset.materials {
                if let Some(reflection) = &mut material.finish.reflection {
                    reflection.roughness += 0.2;
                }
            }
        }),
    ];
    for (fault, change) in faults {
        let (cases, pixels) = wrong(&mut *gl, change);
        println!("{fault}: {pixels} pixels in {cases} of {CASES} cases");
        assert!(cases > FOUND_IN, "{fault} is found in {cases}");
    }
}

/// Repeats each texel four times.
fn doubled(bitmap: &Bitmap) -> Bitmap {
    let row = 4 * bitmap.width as usize;
    let rows = bitmap.rgba.chunks_exact(row);
    let twice = |row: &[u8]| row.chunks_exact(4).flat_map(|t| [t, t].concat()).collect();
    Bitmap {
        width: 2 * bitmap.width,
        height: 2 * bitmap.height,
        rgba: rows
            .map(twice)
            .flat_map(|row: Vec<u8>| [row.clone(), row].concat())
            .collect(),
    }
}
