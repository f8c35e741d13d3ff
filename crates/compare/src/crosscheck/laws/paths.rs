//! Second paths: some draw differently but correctly, some wrongly.

use glam::{Mat4, Vec2, Vec3};

use super::scene::Part;
use crate::backend::{Backend, BackendError, Cpu, Driver, Model, Scene};
use crate::frame::Frame;
use crate::pose::ModelPose;
use crate::rig::{AlphaMode, Asset, Bitmap, DeformedMesh, ImageData, SkinningOptions, TextureWrap};
use crate::view::{Samples, Show};

/// How a second path differs.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    /// Looks at another model.
    Asset(fn(&mut Asset)),
    /// Looks from another place, or in another way.
    Scene(fn(&mut Scene<'_>)),
    /// Draws something else.
    Frame(fn(&mut Frame)),
    /// Skins in another way.
    Meshes(fn(&mut [DeformedMesh])),
    /// Averages samples as bytes.
    ResolvesBytes,
    /// Nothing.
    Nothing,
}

/// The CPU path with a change.
struct Changed<'a> {
    inner: Box<dyn Model + 'a>,
    change: Change,
}

impl Model for Changed<'_> {
    fn deform(
        &mut self,
        pose: &ModelPose,
        options: &SkinningOptions,
    ) -> Result<Vec<DeformedMesh>, BackendError> {
        let mut meshes = self.inner.deform(pose, options)?;
        if let Change::Meshes(change) = self.change {
            change(&mut meshes);
        }
        Ok(meshes)
    }

    fn render(&mut self, scene: &Scene<'_>) -> Result<Frame, BackendError> {
        let mut scene = scene.clone();
        match self.change {
            Change::Scene(change) => change(&mut scene),
            Change::ResolvesBytes => return self.average_of_bytes(&scene),
            _ => {}
        }
        let mut frame = self.inner.render(&scene)?;
        if let Change::Frame(change) = self.change {
            change(&mut frame);
        }
        Ok(frame)
    }
}

impl Changed<'_> {
    fn average_of_bytes(&mut self, scene: &Scene<'_>) -> Result<Frame, BackendError> {
        let offsets = [(-2.0, -6.0), (6.0, -2.0), (-6.0, 2.0), (2.0, 6.0)];
        let frames = offsets.map(|(x, y)| {
            let mut scene = scene.clone();
            scene.style.samples = Samples::One;
            moved(&mut scene, -x / 16.0, -y / 16.0);
            self.inner.render(&scene)
        });
        let [a, b, c, d] = frames;
        let mut frames = [a?, b?, c?, d?];
        let sum = |k: usize| {
            frames
                .iter()
                .map(|frame| u32::from(frame.rgba[k]))
                .sum::<u32>()
        };
        let means = (0..frames[0].rgba.len()).map(|k| ((sum(k) + 2) / 4) as u8);
        frames[0].rgba = means.collect();
        Ok(frames[0].clone())
    }
}

/// Calls `act` with the sound path and the changed one.
pub(super) fn with_both<T>(
    asset: &Asset,
    change: Change,
    act: impl FnOnce([&mut dyn Model; 2]) -> T,
) -> T {
    let mut other = asset.clone();
    if let Change::Asset(change) = change {
        change(&mut other);
    }
    let open = || Cpu.open(Driver::Auto).expect("the CPU is there");
    let (mut first, mut second) = (open(), open());
    let mut first = first.load(asset).expect("the model is small");
    let inner = second.load(&other).expect("the model is small");
    act([first.as_mut(), &mut Changed { inner, change }])
}

/// The image of what is seen moves by this many pixels.
pub(super) fn moved(scene: &mut Scene<'_>, right: f32, down: f32) {
    let (width, height) = (scene.viewport.width as f32, scene.viewport.height as f32);
    let by = Vec3::new(2.0 * right / width, -2.0 * down / height, 0.0);
    scene.camera.clip_from_view = Mat4::from_translation(by) * scene.camera.clip_from_view;
}

fn each_pixel(frame: &mut Frame, change: impl Fn([u8; 3]) -> [u8; 3]) {
    let background: [u8; 4] = std::array::from_fn(|c| frame.rgba[c]);
    for pixel in frame
        .rgba
        .chunks_exact_mut(4)
        .filter(|pixel| **pixel != background)
    {
        let changed = change([pixel[0], pixel[1], pixel[2]]);
        pixel[..3].copy_from_slice(&changed);
    }
}

/// About what sRGB makes of light, or light of sRGB.
fn powered(code: u8, power: f32) -> u8 {
    ((f32::from(code) / 255.0).powf(power) * 255.0) as u8
}

fn each_uv(asset: &mut Asset, change: impl Fn(Vec2) -> Vec2) {
    let sets = asset.meshes.iter_mut().flat_map(|mesh| &mut mesh.uv_sets);
    sets.flatten().for_each(|uv| *uv = change(*uv));
}

/// The ball's texture with another's bytes.
fn texture(asset: &mut Asset, change: impl Fn(&Bitmap) -> Bitmap) {
    if let ImageData::Bitmap(bitmap) = &mut asset.images[0].data {
        *bitmap = change(bitmap);
    }
}

/// As if the next smaller copy were taken.
fn halved(bitmap: &Bitmap) -> Bitmap {
    let (width, half) = (bitmap.width as usize, bitmap.width as usize / 2);
    let at = |x: usize, y: usize, c: usize| u32::from(bitmap.rgba[4 * (y * width + x) + c]);
    let mean = |k: usize| {
        let (x, y, c) = (2 * (k / 4 % half), 2 * (k / 4 / half), k % 4);
        ((at(x, y, c) + at(x + 1, y, c) + at(x, y + 1, c) + at(x + 1, y + 1, c)) / 4) as u8
    };
    Bitmap {
        width: bitmap.width / 2,
        height: bitmap.height / 2,
        rgba: (0..4 * half * half).map(mean).collect(),
    }
}

/// Correct paths, which differ only as rounding does.
pub(super) const SOUND: &[(&str, Change)] = &[
    ("nothing", Change::Nothing),
    (
        "the grid lies elsewhere",
        Change::Scene(|scene| moved(scene, 1.0 / 1024.0, -1.0 / 512.0)),
    ),
    (
        "and on the other side",
        Change::Scene(|scene| moved(scene, -1.0 / 512.0, 1.0 / 512.0)),
    ),
    (
        "bytes rounded up",
        Change::Frame(|frame| each_pixel(frame, |pixel| pixel.map(|code| code.saturating_add(1)))),
    ),
];

/// Paths that draw wrong.
pub(super) const FAULTS: &[(&str, Change)] = &[
    (
        "shifted by a pixel",
        Change::Frame(|frame| frame.rgba.rotate_right(4)),
    ),
    (
        "shifted by a row",
        Change::Frame(|frame| frame.rgba.rotate_right(4 * frame.width as usize)),
    ),
    (
        "shifted by an eighth of a pixel",
        Change::Scene(|scene| moved(scene, 0.125, 0.0)),
    ),
    (
        "pixel centres at corners",
        Change::Scene(|scene| moved(scene, 0.5, 0.5)),
    ),
    (
        "upside down",
        Change::Scene(|scene| {
            let flip = Mat4::from_scale(Vec3::new(1.0, -1.0, 1.0));
            scene.camera.clip_from_view = flip * scene.camera.clip_from_view;
        }),
    ),
    (
        "depth test reversed",
        Change::Scene(|scene| {
            let flip = Mat4::from_scale(Vec3::new(1.0, 1.0, -1.0));
            scene.camera.clip_from_view = flip * scene.camera.clip_from_view;
        }),
    ),
    (
        "one sample in place of four",
        Change::Scene(|scene| scene.style.samples = Samples::One),
    ),
    (
        "light left out",
        Change::Scene(|scene| scene.style.show = Show::TEXTURE),
    ),
    ("samples averaged as bytes", Change::ResolvesBytes),
    (
        "linear light written as bytes",
        Change::Frame(|frame| each_pixel(frame, |pixel| pixel.map(|code| powered(code, 2.2)))),
    ),
    (
        "encoded twice",
        Change::Frame(|frame| {
            each_pixel(frame, |pixel| pixel.map(|code| powered(code, 1.0 / 2.2)));
        }),
    ),
    (
        "red and blue swapped",
        Change::Frame(|frame| each_pixel(frame, |[r, g, b]| [b, g, r])),
    ),
    (
        "all darker by three codes",
        Change::Frame(|frame| each_pixel(frame, |pixel| pixel.map(|code| code.saturating_sub(3)))),
    ),
    (
        "a background three codes off",
        Change::Frame(|frame| {
            let background: [u8; 4] = std::array::from_fn(|c| frame.rgba[c]);
            let pixels = frame.rgba.chunks_exact_mut(4);
            pixels
                .filter(|pixel| **pixel == background)
                .for_each(|pixel| pixel[0] += 3);
        }),
    ),
    (
        "v flipped",
        Change::Asset(|asset| each_uv(asset, |uv| Vec2::new(uv.x, 1.0 - uv.y))),
    ),
    (
        "texture half a texel off",
        Change::Asset(|asset| each_uv(asset, |uv| uv + 0.5 / 256.0)),
    ),
    (
        "a level of detail too coarse",
        Change::Asset(|asset| texture(asset, halved)),
    ),
    (
        "texture clamped",
        Change::Asset(|asset| {
            each_uv(asset, |uv| uv * 1.5);
            if let Some(texture) = &mut Part::Ball.material(asset).base_color_texture {
                texture.wrap_u = TextureWrap::Clamp;
            }
        }),
    ),
    (
        "texture left out",
        Change::Asset(|asset| Part::Ball.material(asset).base_color_texture = None),
    ),
    (
        "base colour left out",
        Change::Asset(|asset| Part::Plain.material(asset).base_color.x = 1.0),
    ),
    (
        "normals of the faces",
        Change::Asset(|asset| Part::Plain.mesh(asset).normals.clear()),
    ),
    (
        "normals turned over",
        Change::Asset(|asset| {
            Part::Plain
                .mesh(asset)
                .normals
                .iter_mut()
                .for_each(|normal| *normal = -*normal);
        }),
    ),
    (
        "a triangle missing",
        Change::Asset(|asset| {
            Part::Plain.mesh(asset).triangles.remove(24 * 2 * 8);
        }),
    ),
    (
        "a mesh missing",
        Change::Asset(|asset| Part::Plain.mesh(asset).triangles.clear()),
    ),
    (
        "the index base of the second mesh forgotten",
        Change::Asset(|asset| {
            let first = Part::Ball.mesh(asset).positions.clone();
            Part::Plain.mesh(asset).positions = first;
        }),
    ),
    (
        "the mask ignored",
        Change::Asset(|asset| Part::Card.material(asset).alpha = AlphaMode::Opaque),
    ),
    (
        "the mask's cutoff ignored",
        Change::Asset(|asset| Part::Card.material(asset).alpha = AlphaMode::Mask(0.004)),
    ),
    (
        "a mask that is mixed",
        Change::Asset(|asset| Part::Card.material(asset).alpha = AlphaMode::Blend),
    ),
    (
        "a pane that is opaque",
        Change::Asset(|asset| Part::Pane.material(asset).alpha = AlphaMode::Opaque),
    ),
    (
        "a pane that writes depth first",
        Change::Asset(|asset| Part::Pane.material(asset).alpha = AlphaMode::Mask(0.1)),
    ),
    (
        "back faces of the card left out",
        Change::Asset(|asset| {
            Part::Card
                .mesh(asset)
                .triangles
                .iter_mut()
                .for_each(|triangle| triangle.swap(0, 1));
            Part::Card.material(asset).two_sided = false;
        }),
    ),
];

/// Paths that skin wrong.
pub(super) const SKINNING_FAULTS: &[(&str, Change)] = &[
    (
        "a vertex a thousandth off",
        Change::Meshes(|meshes| meshes[0].positions[100].x += 1e-3),
    ),
    (
        "a vertex that is no number",
        Change::Meshes(|meshes| meshes[1].positions[7] = Vec3::NAN),
    ),
    (
        "a normal a degree off",
        Change::Meshes(|meshes| {
            let normal = &mut meshes[0].normals[200];
            *normal = (*normal + normal.any_orthonormal_vector() * 0.0175).normalize();
        }),
    ),
    (
        "normals not normalized",
        Change::Meshes(|meshes| {
            meshes[0]
                .normals
                .iter_mut()
                .for_each(|normal| *normal *= 1.001);
        }),
    ),
    (
        "a mesh missing",
        Change::Meshes(|meshes| meshes[1].positions.clear()),
    ),
];
