//! Damaged files give an error, or an asset that every later stage can process.

#![expect(
    clippy::print_stdout,
    reason = "the table is for those who run the test"
)]

mod bomb;
mod budget;
#[cfg(target_os = "linux")]
mod confined;
#[cfg(unix)]
mod killed;
pub(crate) mod limits;
mod reach;
mod work;

use std::fs;
use std::num::NonZeroU32;
use std::path::Path;
use std::time::Duration;

use skincheck::backend::{BACKENDS, Driver, Extent, Scene};
use skincheck::import::{self, Limits, Options};
use skincheck::pose;
use skincheck::rig::Asset;
use skincheck::rig::SkinningOptions;
use skincheck::units::Seconds;
use skincheck::view::{Framing, Projection, Show, Style, ViewDirection, Viewport};

use crate::folder::Folder;
use crate::program;

/// One fixture of each format, text and binary.
const VICTIMS: &[&str] = &[
    "two_triangles.gltf",
    "bent_cylinder.gltf",
    "walker.glb",
    "arm.fbx",
    "arm_binary.fbx",
    "arm.dae",
    "curves.dae",
    "arm.x",
    "arm.smd",
    "arm.bvh",
    "arm.obj",
    "figure.md5mesh",
    "figure.md5anim",
    "arm.iqm",
    "arm.b3d",
    "arm.ms3d",
    "arm.m3d",
    "arm.mesh.xml",
    "arm.mdl",
    "arm.zae",
];

/// Copies of each victim with each kind of damage.
const COPIES: u64 = 10;

/// A small random generator (Steele et al., SplitMix64), so that a seed reproduces a failure.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % limit as u64).expect("it is below a usize")
    }
}

#[test]
fn every_importer_reads_a_victim() {
    for importer in import::IMPORTERS {
        let reads = |name: &&str| {
            let mut importers = import::importers_for(Path::new(name));
            importers.any(|own| own.name() == importer.name())
        };
        assert!(VICTIMS.iter().any(reads), "{}", importer.name());
    }
}

#[test]
fn damaged_files_neither_crash_nor_hang_any_stage() {
    let folder = Folder::new();
    let mut refused = 0;
    let is_read = |name: &&&str| import::importers_for(Path::new(name)).next().is_some();
    for name in VICTIMS.iter().filter(is_read) {
        let bytes = fs::read(program::fixture(name)).expect("the fixture is there");
        let path = folder.path(name);
        let seeds = 0..COPIES;
        let copies = seeds.flat_map(|seed| [damaged(&bytes, seed), scratched(&bytes, seed)]);
        let read = copies
            .map(|copy| survives(&path, &copy))
            .filter(|&read| read);
        let read = read.count() as u64;
        println!("{name}: {read} of {} were read", 2 * COPIES);
        // The checksums of an archive detect all damage.
        let is_archive = path.extension().is_some_and(|extension| extension == "zae");
        assert!(
            read > 0 || is_archive,
            "{name}: no copy gets past the importer"
        );
        refused += 2 * COPIES - read;
    }
    assert!(refused > 0, "the damage is too small to tell anything");
}

/// Whether `copy`, as the file at `path`, can be read. If so, all later stages must survive it.
fn survives(path: &Path, copy: &[u8]) -> bool {
    fs::write(path, copy).expect("the folder is writable");
    let asset = match import::load(path, &options()) {
        Ok(asset) => asset,
        Err(error) => {
            let name = path.display().to_string();
            assert!(error.to_string().contains(&name), "{error}");
            return false;
        }
    };
    let validity = asset.validate();
    validity.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    use_up(&asset);
    true
}

/// Replaces some digits. Most formats still accept the file, so the later stages get nonsense.
fn scratched(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut scratched = bytes.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(scratched.len());
        let digit = b"0123456789"[random.below(10)];
        let mut behind = scratched[at..].iter_mut();
        if let Some(byte) = behind.find(|byte| byte.is_ascii_digit()) {
            *byte = digit;
        }
    }
    scratched
}

/// Flips bits, inserts extreme bytes, repeats and truncates.
fn damaged(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut damaged = bytes.to_vec();
    for _ in 0..=random.below(12) {
        let at = random.below(damaged.len());
        match random.below(5) {
            0 => damaged[at] ^= 1 << random.below(8),
            1 => damaged[at] = 0xff,
            2 => damaged[at] = b'9',
            3 => {
                let end = (at + random.below(64)).min(damaged.len());
                let repeated = damaged[at..end].to_vec();
                damaged.splice(at..at, repeated);
            }
            _ => damaged.truncate(at.max(bytes.len() / 2)),
        }
    }
    damaged
}

fn options() -> Options {
    Options {
        limits: Limits {
            memory_bytes: Some(1 << 30),
            time: Some(Duration::from_secs(20)),
        },
        ..program::reading()
    }
}

/// Poses, skins and draws every clip.
fn use_up(asset: &Asset) {
    let rest = pose::rest(asset);
    let sampled = asset
        .clips
        .iter()
        .map(|clip| pose::sample(asset, clip, Seconds(0.4)).expect("the time is finite"));
    for pose in std::iter::once(rest).chain(sampled) {
        draw(asset, &pose::model_pose(asset, &pose));
    }
    draw(asset, &pose::bind(asset));
}

fn draw(asset: &Asset, pose: &pose::ModelPose) {
    let viewport = Viewport {
        width: 48,
        height: 32,
    };
    let skinning = SkinningOptions {
        max_influences: NonZeroU32::new(4),
        ..SkinningOptions::default()
    };
    let mut framing = Framing::new(
        &asset.space,
        ViewDirection::ThreeQuarter,
        Projection::default(),
        viewport,
    );
    let extent = Extent {
        asset,
        skinning,
        joints: true,
    };
    extent
        .include_pose(&mut framing, pose)
        .expect("a valid asset is skinned");
    let mut device = BACKENDS[0]
        .open(Driver::default())
        .expect("the CPU is there");
    for show in [Show::LIT, Show::UV, Show::WIREFRAME] {
        let style = Style {
            show,
            ..Style::default()
        };
        let scene = Scene {
            pose,
            skinning,
            camera: framing.camera(),
            viewport,
            style,
        };
        let drawn = device
            .load(asset)
            .and_then(|mut model| model.render(&scene));
        let frame = drawn.expect("a valid asset is drawn");
        assert_eq!(frame.rgba.len(), 4 * 48 * 32);
    }
}

#[test]
fn the_damage_is_the_same_in_every_run() {
    let bytes: Vec<u8> = (0..=255).collect();
    assert_eq!(damaged(&bytes, 7), damaged(&bytes, 7));
    assert_ne!(damaged(&bytes, 7), damaged(&bytes, 8));
}
