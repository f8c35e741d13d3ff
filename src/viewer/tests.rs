use glam::{Mat4, Quat, Vec3, Vec4};
use serde_json::Value;

use super::block::reading::{floats, words};
use super::*;
use crate::pose::RangePose;
use crate::rig::{
    AlphaMode, AssetBuilder, Bitmap, Finish, Image, ImageData, ImageId, Material, Mesh,
    MorphTarget, TextureRef, TextureWrap, Trs,
};
use crate::skinning::deform_positions;
use crate::units::Seconds;
use crate::view::{Framing, Projection, ViewDirection, Viewport};

/// A leg that kicks within a second, with a morph target that a pose moves.
fn leg() -> Asset {
    let mut rig = AssetBuilder::new();
    let up = |y: f32| Trs {
        translation: Vec3::Y * y,
        ..Trs::IDENTITY
    };
    let hip = rig.node("hip", None, up(3.0));
    let knee = rig.node("knee", Some(hip), up(1.0));
    let mesh = rig.mesh(Mesh {
        positions: vec![
            Vec3::ZERO,
            Vec3::X,
            Vec3::Y * 2.0,
            Vec3::new(0.3, -0.7, 11.0),
        ],
        normals: vec![Vec3::Z; 4],
        uv_sets: vec![vec![glam::Vec2::ZERO; 4]],
        triangles: vec![[0, 1, 2], [1, 2, 3]],
        ..Mesh::default()
    });
    let weights: [&[_]; 4] = [
        &[(hip, 1.0)],
        &[(hip, 0.25), (knee, 0.75)],
        &[(knee, 1.0)],
        &[],
    ];
    rig.skin(mesh, weights.map(<[_]>::to_vec));
    let kick = rig.clip("kick");
    let bent = Quat::from_xyzw(0.0, 0.0, 0.6, 0.8);
    rig.rotate(kick, knee, [(0.0, Quat::IDENTITY), (1.0, bent)]);
    let mut asset = rig.build().expect("the rig is whole");
    asset.meshes[0].morph_targets = vec![MorphTarget {
        positions: vec![Vec3::ZERO, Vec3::Z, Vec3::ZERO, Vec3::X],
        ..MorphTarget::default()
    }];
    asset.instances[0].morph_weights = vec![0.5];
    asset
}

fn take(asset: &Asset, source: Source) -> Take {
    let viewport = Viewport {
        width: 64,
        height: 64,
    };
    let direction = ViewDirection::default();
    let framing = Framing::new(&asset.space, direction, Projection::default(), viewport);
    Take::new(asset, source, framing.camera(), None)
}

fn contents(asset: &Asset) -> Contents<'_> {
    let clips =
        (0..asset.clips.len()).map(|clip| Source::Clip(crate::rig::ClipId::from_index(clip)));
    let sources = clips.chain([Source::Range(RangePose::Rest), Source::Bind]);
    Contents {
        asset,
        skinning: SkinningOptions::default(),
        takes: sources.map(|source| take(asset, source)).collect(),
        numbers: Vec::new(),
    }
}

fn vectors(numbers: &[f32]) -> Vec<Vec3> {
    numbers
        .as_chunks::<3>()
        .0
        .iter()
        .map(|v| Vec3::from(*v))
        .collect()
}

/// Skins the first instance by what a page holds.
fn skinned(Packed { json, blocks, .. }: &Packed, take: &Value, frame: usize) -> Vec<Vec3> {
    let [mesh, binding] = [&json["meshes"][0], &json["bindings"][0]];
    let (ranges, influences) = (
        words(blocks, &binding["ranges"]),
        words(blocks, &binding["influences"]),
    );
    let palettes = floats(blocks, &take["palettes"]);
    let count = take["times"].as_array().expect("it is a list").len();
    let bones: Vec<Mat4> = palettes[frame * palettes.len() / count..]
        .as_chunks::<12>()
        .0
        .iter()
        .map(|rows| {
            let row = |k: usize| Vec4::from_slice(&rows[4 * k..]);
            Mat4::from_cols(row(0), row(1), row(2), Vec4::W).transpose()
        })
        .collect();
    let weights = floats(blocks, &take["morphs"]);
    let offsets = vectors(&floats(blocks, &mesh["offsets"]));
    let positions = vectors(&floats(blocks, &mesh["positions"]));
    let positions = positions.iter().enumerate();
    let skin = |(vertex, position): (usize, &Vec3)| {
        let moved = *position + offsets[vertex] * weights[frame];
        let (first, count) = (ranges[2 * vertex] as usize, ranges[2 * vertex + 1] as usize);
        if count == 0 {
            let bone = json["instances"][0]["bone"]
                .as_u64()
                .expect("it is a number");
            return bones[usize::try_from(bone).expect("it is small")].transform_point3(moved);
        }
        let pulled = (first..first + count).map(|k| {
            let weight = f32::from_bits(influences[2 * k + 1]);
            bones[influences[2 * k] as usize].transform_point3(moved) * weight
        });
        pulled.sum()
    };
    positions.map(skin).collect()
}

#[test]
fn a_page_skins_every_frame_as_skincheck_does() {
    let asset = leg();
    let contents = contents(&asset);
    let packed = contents.pack(1 << 24).expect("the rig is whole");
    for (take, own) in packed.json["takes"]
        .as_array()
        .expect("there are takes")
        .iter()
        .zip(&contents.takes)
    {
        own.pose(&asset, 0..own.times.len(), |frame, pose| {
            let expected = deform_positions(&asset, pose, &contents.skinning)?;
            for (found, expected) in skinned(&packed, take, frame)
                .iter()
                .zip(&expected[0].positions)
            {
                assert!(
                    found.abs_diff_eq(*expected, 1e-5),
                    "{frame}: {found} != {expected}"
                );
            }
            Ok::<_, SkinningError>(())
        })
        .expect("the rig is whole");
    }
    assert_eq!(
        contents.takes[0].times.len(),
        31,
        "30 frames a second, and both ends"
    );
}

#[test]
fn a_proof_is_of_the_frame_farthest_from_rest() {
    let asset = leg();
    let packed = contents(&asset).pack(1 << 24).expect("the rig is whole");
    let proof = &packed.json["takes"][0]["proof"];
    assert_eq!(proof["frame"], 30);
    let found = vectors(&floats(&packed.blocks, &proof["positions"]));
    let bounds = floats(&packed.blocks, &proof["bounds"]);
    let shown = skinned(&packed, &packed.json["takes"][0], 30);
    assert_eq!(shown.len(), found.len());
    for ((found, shown), bound) in found.iter().zip(&shown).zip(&bounds) {
        assert!(found.distance(*shown) <= *bound && *bound < 1e-4, "{bound}");
    }
}

/// Noise, which does not compress.
fn noise(side: u32) -> Bitmap {
    let mut state = 1_u32;
    let bytes = (0..4 * side * side).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    });
    Bitmap {
        width: side,
        height: side,
        rgba: bytes.collect(),
    }
}

/// The leg with a texture of noise.
fn textured() -> Asset {
    let mut asset = leg();
    asset.images.push(Image {
        name: "noise".into(),
        data: ImageData::Bitmap(noise(256)),
    });
    asset.materials.push(Material {
        name: "skin".into(),
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
    });
    asset.meshes[0].material = Some(crate::rig::MaterialId(0));
    asset
}

#[test]
fn a_texture_whose_image_was_not_read_is_not_shown() {
    let mut asset = textured();
    asset.images.clear();
    let packed = contents(&asset).pack(1 << 24).expect("the rig is whole");
    assert_eq!(packed.json["images"], json!([]));
    assert_eq!(packed.json["instances"][0]["texture"], Value::Null);
}

#[test]
fn a_small_page_has_smaller_textures_and_fewer_frames_and_says_so() {
    let asset = textured();
    let size = |packed: &Packed| packed.blocks.iter().map(Vec::len).sum::<usize>();
    let whole = contents(&asset).pack(1 << 24).expect("the rig is whole");
    assert_eq!(whole.notes, Vec::<String>::new());
    let budget = size(&whole);
    let half = contents(&asset).pack(budget).expect("the rig is whole");
    assert_eq!(half.notes, ["textures are reduced to 128 pixels"]);
    assert!(size(&half) <= budget / 4 * 3);
    let least = contents(&asset).pack(1).expect("the rig is whole");
    assert_eq!(least.notes[0], "the page has every 31st frame");
    let times = least.json["takes"][0]["times"]
        .as_array()
        .expect("it is a list");
    assert_eq!(times.len(), 2, "a clip keeps its ends");
}

#[test]
fn a_wanted_time_is_never_thinned() {
    let asset = leg();
    let kick = Source::Clip(crate::rig::ClipId(0));
    let whole = take(&asset, kick).times.len();
    let take = take(&asset, kick).with(vec![Seconds(0.4321), Seconds(0.50001)]);
    assert_eq!(
        take.times.len(),
        whole + 1,
        "0.50001 takes the place of a frame"
    );
    let contents = Contents {
        takes: vec![take],
        ..contents(&asset)
    };
    let packed = contents.pack(1).expect("the rig is whole");
    let own = &packed.json["takes"][0];
    assert_eq!(own["times"], json!([0.0, 0.4321, 0.50001, 1.0]));
    assert_eq!(own["kept"][0], 0);
}

#[test]
fn a_node_that_several_skins_bind_alike_is_one_bone() {
    let mut asset = leg();
    asset.skins.push(asset.skins[0].clone());
    let mut second = asset.instances[0].clone();
    second.skin = Some(crate::rig::SkinId(1));
    asset.instances.push(second);
    let packed = contents(&asset).pack(1 << 24).expect("the rig is whole");
    let bones = packed.json["bones"].as_array().expect("it is a list");
    assert_eq!(bones.len(), 3, "hip, knee, and the node of the mesh");
}

#[test]
fn numbers_are_ordered_in_words() {
    let all = [1, 2, 3, 4, 11, 12, 22, 113].map(ordinal);
    assert_eq!(
        all,
        ["1st", "2nd", "3rd", "4th", "11th", "12th", "22nd", "113th"]
    );
}
