//! The fast kernels of skinning and drawing give the bits of the plain ones: on every fixture, and on the models of
//! `$SKINCHECK_CORPUS`. Property tests beside the kernels show the same for random rigs and triangles.

use std::path::Path;

use skincheck::glam::Vec3;
use skincheck::import;
use skincheck::pose::{self, ModelPose};
use skincheck::raster::{self, DrawInput};
use skincheck::rig::{Asset, Clip, DeformedMesh, SkinningOptions, Visibility};
use skincheck::skinning;
use skincheck::units::Seconds;
use skincheck::view::{Framing, Projection, Style, ViewDirection, Viewport};

use crate::program;

const VIEWPORT: Viewport = Viewport {
    width: 150,
    height: 150,
};

/// How many clips of a model are looked at.
const CLIPS: usize = 3;

#[test]
fn fast_kernels_give_the_bits_of_the_plain_ones_on_real_models() {
    let mut models = program::models_below(&program::fixture(""));
    if let Some(corpus) = std::env::var_os("SKINCHECK_CORPUS") {
        models.extend(program::models_below(Path::new(&corpus)));
    }
    let compared = models.iter().filter(|path| {
        // Some fixtures are refused on purpose.
        let asset = import::load(path, &program::reading());
        asset.is_ok_and(|asset| agree(&path.display().to_string(), &asset))
    });
    let compared = compared.count();
    assert!(compared > 100, "{compared} models compared");
}

/// Whether anything was compared; panics at the first difference.
fn agree(name: &str, asset: &Asset) -> bool {
    let at = |clip| pose::sample(asset, clip, middle(clip)).expect("the time is finite");
    let clips = asset.clips.iter().take(CLIPS).map(at);
    let poses = std::iter::once(pose::rest(asset)).chain(clips);
    let poses = poses.filter(|local| pose_agrees(name, asset, &pose::model_pose(asset, local)));
    poses.count() > 0
}

/// Off the middle, where many clips have a key.
fn middle(clip: &Clip) -> Seconds {
    Seconds(0.4 * clip.start.0 + 0.6 * clip.end.0)
}

fn pose_agrees(name: &str, asset: &Asset, pose: &ModelPose) -> bool {
    let options = SkinningOptions::default();
    let Ok(fast) = skinning::deform(asset, pose, &options) else {
        return false;
    };
    let plain = skinning::deform_plain(asset, pose, &options).expect("the fast kernel took it");
    assert_eq!(fast.len(), plain.len(), "{name}");
    for (fast, plain) in fast.iter().zip(&plain) {
        let all = |mesh: &DeformedMesh| {
            [
                &mesh.positions,
                &mesh.normals,
                &mesh.tangents,
                &mesh.bitangents,
            ]
            .map(|list| list.iter().copied().map(bits).collect::<Vec<_>>())
        };
        assert!(all(fast) == all(plain), "{name}: skinned by two kernels");
    }
    let direction = ViewDirection::default();
    let mut framing = Framing::new(&asset.space, direction, Projection::default(), VIEWPORT);
    for mesh in &fast {
        framing.include(&mesh.positions);
    }
    let input = DrawInput {
        asset,
        meshes: &fast,
        visibility: &Visibility::default(),
        camera: &framing.camera(),
        viewport: VIEWPORT,
        style: &Style::default(),
        max_influences: None,
    };
    assert!(
        raster::draw(&input) == raster::draw_plain(&input),
        "{name}: drawn by two kernels"
    );
    true
}

/// -0 is not 0, and NaN is NaN.
fn bits(vector: Vec3) -> [u32; 3] {
    let bits = |number: f32| {
        if number.is_nan() {
            u32::MAX
        } else {
            number.to_bits()
        }
    };
    vector.to_array().map(bits)
}
