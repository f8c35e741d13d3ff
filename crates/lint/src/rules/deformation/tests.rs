use std::ops::Range;

use glam::{Mat4, Quat, Vec3, Vec4};

use crate::Rule;
use crate::Settings;
use crate::finding::Code;
use crate::finding::{Finding, Level};
use crate::pose::rigs::{asset_of, clip, named_joint};
use crate::rig::{
    AlphaMode, Asset, Channel, Clip, Finish, Influence, Influences, LocalTransform, Material,
    MaterialId, Mesh, MeshId, MeshInstance, MorphTarget, NodeId, Skeleton, Skin, SkinId, SkinSlot,
    Track, Trs,
};
use crate::rules::deformation::RULES;
use crate::testing::{RINGS, SIDES, arm, findings, findings_with, rotating};

fn rule(code: &str) -> &'static dyn Rule {
    let mut rules = RULES.iter().filter(|rule| rule.meta().code.0 == code);
    *rules.next().expect("the rule is in the list")
}

fn reported(asset: &Asset, code: &str) -> Vec<Finding> {
    findings(asset, rule(code))
}

/// All rules on the arm with the elbow turned.
fn codes(asset: &Asset) -> Vec<&'static str> {
    let rules = RULES
        .iter()
        .filter(|rule| !findings(asset, **rule).is_empty());
    rules.map(|rule| rule.meta().code.0).collect()
}

#[test]
fn a_bent_elbow_is_sound() {
    let bent = rotating(arm(), Quat::from_rotation_z(-0.4));
    assert!(codes(&bent).is_empty(), "{:?}", codes(&bent));
    assert!(codes(&arm()).is_empty(), "{:?}", codes(&arm()));
}

#[test]
fn units_and_hidden_joints_look_like_nothing() {
    let mut asset = rotating(arm(), Quat::from_rotation_z(-0.4));
    for scale in [0.01, 100.0] {
        let mut joints = asset.skeleton.nodes().to_vec();
        let mut trs = joints[0].rest.to_trs();
        trs.scale = Vec3::splat(scale);
        joints[0].rest = LocalTransform::Trs(trs);
        asset.skeleton = Skeleton::new(joints).expect("parents come first");
        assert!(codes(&asset).is_empty(), "{scale}: {:?}", codes(&asset));
    }
}

#[test]
fn a_part_that_is_scaled_to_nothing_is_hidden() {
    let mut hidden = arm();
    let binds = hidden.skins[0].inverse_bind_matrices.clone();
    for scale in [0.0, 1e-12, 1e-6] {
        for (hidden, bind) in hidden.skins[0].inverse_bind_matrices.iter_mut().zip(&binds) {
            *hidden = Mat4::from_scale(Vec3::splat(scale)) * *bind;
        }
        let found = ["D603", "D605"].map(|code| reported(&hidden, code));
        assert!(found.iter().all(Vec::is_empty), "{found:?}");
    }
}

/// Binds the shoulder once more, by another matrix; returns the slot.
fn bind_again(asset: &mut Asset, bind: Mat4) -> SkinSlot {
    let skin = &mut asset.skins[0];
    skin.joints.push(skin.joints[0]);
    skin.inverse_bind_matrices.push(bind);
    SkinSlot::from_index(skin.joints.len() - 1)
}

/// Changes the influences of each vertex.
fn reweigh(asset: &mut Asset, change: impl Fn(usize, &mut Vec<Influence>)) {
    let mesh = &mut asset.meshes[0];
    let mut lists: Vec<_> = mesh.influences.iter().map(<[_]>::to_vec).collect();
    for (vertex, list) in lists.iter_mut().enumerate() {
        change(vertex, list);
    }
    mesh.influences = Influences::from_vertices(lists);
}

/// Four vertices apart from each other, of a third joint that is a tenth of the arm farther along.
fn displaced(by: f32) -> Asset {
    let mut asset = arm();
    let moved = Mat4::from_translation(Vec3::Y * (1.0 + by));
    let slot = bind_again(&mut asset, moved);
    reweigh(&mut asset, |vertex, list| {
        let (ring, side) = (vertex / SIDES, vertex % SIDES);
        if ring == 4 && side.is_multiple_of(3) {
            *list = vec![Influence::new(slot, 1.0)];
        }
    });
    asset
}

#[test]
fn vertices_drawn_past_their_neighbours_turn_triangles_over() {
    let found = reported(&displaced(0.25), "D604");
    assert_eq!(found.len(), 1);
    assert!(found[0].count >= 4, "{found:?}");
    assert!(reported(&displaced(0.05), "D604").is_empty());
}

#[test]
fn a_vertex_whose_scale_is_not_a_scale_hides_no_spike() {
    let mut asset = displaced(2.0);
    let before = reported(&asset, "D602");
    assert_eq!(before.len(), 1);
    let slot = bind_again(&mut asset, Mat4::from_scale(Vec3::splat(10.0)));
    reweigh(&mut asset, |vertex, list| {
        if vertex == 0 {
            *list = [(SkinSlot(0), 0.5), (slot, -0.5)]
                .map(|(slot, weight)| Influence::new(slot, weight))
                .to_vec();
        }
    });
    let after = reported(&asset, "D602");
    assert_eq!(after.len(), 1);
    assert_eq!(after[0].location, before[0].location);
}

#[test]
fn a_short_edge_that_becomes_as_long_as_the_long_ones_is_an_info() {
    // An edge along an arm of long edges is a fifth of their length.
    let level = |times: f32| {
        let mut asset = arm();
        let mesh = &mut asset.meshes[0];
        for position in &mut mesh.positions {
            position.y *= 10.0;
        }
        let long = 10.0 * 2.0 / 20.0;
        let [a, b] = [5 * SIDES, 6 * SIDES];
        let place = mesh.positions[a];
        mesh.positions[b] = place + Vec3::Y * long / 5.0;
        let moved = Mat4::from_translation(Vec3::Y * (1.0 + (times - 1.0) * long / 5.0));
        let slot = bind_again(&mut asset, moved);
        reweigh(&mut asset, |vertex, list| {
            if vertex == b {
                *list = vec![Influence::new(slot, 1.0)];
            }
        });
        let found = reported(&asset, "D602");
        found.first().map(|found| found.level)
    };
    assert_eq!(level(3.0), None);
    assert_eq!(level(5.5), Some(Level::Info));
    assert_eq!(level(8.0), Some(Level::Hint));
}

/// Cloth between two legs that spread, in columns from left to right, each of which follows the left leg by a part.
fn skirt(parts: [f32; 5]) -> Asset {
    let below = |x: f32| {
        LocalTransform::Trs(Trs {
            translation: Vec3::X * x,
            ..Trs::IDENTITY
        })
    };
    let mut asset = asset_of(vec![
        named_joint("hip", None, below(0.0)),
        named_joint("leg.L", Some(0), below(0.2)),
        named_joint("leg.R", Some(0), below(-0.2)),
    ]);
    let columns = [0.2, 0.1, 0.0, -0.1, -0.2];
    let places = [-0.2, -1.0].map(|y| columns.map(|x| Vec3::new(x, y, 0.0)));
    let weights = parts.map(|part| {
        [(1, part), (2, 1.0 - part)].map(|(slot, weight)| Influence::new(SkinSlot(slot), weight))
    });
    let quads =
        (0..4).flat_map(|left| [[left, left + 5, left + 1], [left + 1, left + 5, left + 6]]);
    asset.meshes.push(Mesh {
        positions: places.concat(),
        triangles: quads.collect(),
        influences: Influences::from_vertices([weights, weights].concat()),
        ..Mesh::default()
    });
    let joints = vec![NodeId(0), NodeId(1), NodeId(2)];
    let binds = [0.0, 0.2, -0.2].map(|x| Mat4::from_translation(Vec3::X * -x));
    asset.skins.push(Skin {
        name: "skirt".into(),
        joints,
        inverse_bind_matrices: binds.into(),
    });
    asset
        .instances
        .push(MeshInstance::skinned(NodeId(0), MeshId(0), SkinId(0)));
    rotating(asset, Quat::from_rotation_z(1.2))
}

#[test]
fn cloth_between_two_legs_is_an_info() {
    let levels = |parts| -> Vec<Level> {
        let found = reported(&skirt(parts), "D602");
        found.iter().map(|found| found.level).collect()
    };
    assert_eq!(levels([1.0, 0.6, 0.5, 0.4, 0.0]), [Level::Info]);
    // A column at the left leg follows the right one.
    assert!(levels([0.0, 1.0, 0.5, 0.4, 0.0]).contains(&Level::Hint));
}

/// The arm with `rings` moved down by `by`.
fn telescoped(rings: Range<usize>, by: f32) -> Asset {
    let mut asset = arm();
    let moved = Mat4::from_translation(Vec3::Y * (1.0 - by));
    let slot = bind_again(&mut asset, moved);
    reweigh(&mut asset, |vertex, list| {
        let is_moved = rings.contains(&(vertex / SIDES));
        *list = vec![Influence::new(
            if is_moved { slot } else { SkinSlot(0) },
            1.0,
        )];
    });
    asset
}

/// How many triangles of the arm turn over once its end has sunk into the rest, with limbs or without.
fn turned_over(mouth: f64) -> usize {
    let mut settings = Settings::default();
    settings.limits.insert((Code("D604"), "mouth"), mouth);
    let sunk = telescoped(16..RINGS + 1, 0.15);
    findings_with(&sunk, rule("D604"), &settings)[0].count
}

#[test]
fn a_band_turns_over_and_the_limb_beyond_it_does_not() {
    let drawn = reported(&telescoped(9..10, -0.15), "D604");
    assert_eq!(drawn[0].count, 2 * SIDES);
    assert_eq!(turned_over(0.2), 2 * SIDES);
    let limb = 4 * 2 * SIDES + SIDES;
    assert_eq!(turned_over(0.0), 2 * SIDES + limb);
}

/// A thin arm whose end, from ring 16 on, is drawn into it by `by` times its length.
fn drawn_in(by: f32) -> Asset {
    let mut asset = arm();
    let (from, length) = (0.6, 0.4);
    let moved = Mat4::from_translation(Vec3::Y * (1.0 - by * length));
    let slot = bind_again(&mut asset, moved);
    for position in &mut asset.meshes[0].positions {
        *position *= Vec3::new(0.5, 1.0, 0.5);
    }
    let positions = asset.meshes[0].positions.clone();
    reweigh(&mut asset, |vertex, list| {
        let end = ((positions[vertex].y - from) / length).max(0.0);
        *list = [(SkinSlot(0), 1.0 - end), (slot, end)]
            .map(|(slot, weight)| Influence::new(slot, weight))
            .to_vec();
    });
    asset
}

#[test]
fn a_limb_that_is_inside_out_turns_over_as_a_whole() {
    let limb = 4 * 2 * SIDES + SIDES;
    assert_eq!(reported(&drawn_in(2.0), "D604")[0].count, limb);
    assert!(reported(&drawn_in(0.9), "D604").is_empty());
    // Mirrored as a whole, it is as inside out as before; and what is right stays right.
    let mirrored = |mut asset: Asset| {
        for bind in &mut asset.skins[0].inverse_bind_matrices {
            *bind = Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0)) * *bind;
        }
        asset
    };
    assert_eq!(reported(&mirrored(drawn_in(2.0)), "D604")[0].count, limb);
    let sunk = || telescoped(16..RINGS + 1, 0.15);
    assert_eq!(
        reported(&mirrored(sunk()), "D604")[0].count,
        reported(&sunk(), "D604")[0].count
    );
}

#[test]
fn nan_in_the_file_is_ignored_but_a_nan_position_is_reported() {
    let mut asset = rotating(arm(), Quat::from_rotation_z(-0.4));
    asset.meshes[0].positions[3] = Vec3::NAN;
    asset.meshes[0].positions[40] = Vec3::INFINITY;
    assert_eq!(codes(&asset), ["D601"]);
    asset.skins[0].inverse_bind_matrices[1].x_axis.x = f32::NAN;
    assert_eq!(codes(&asset), ["D601"]);
}

#[test]
fn a_model_whose_inverse_binds_are_zeros_is_a_point() {
    let mut asset = arm();
    asset.skins[0].inverse_bind_matrices = vec![Mat4::from_scale(Vec3::splat(1e-12)); 2];
    // At rest it is as small, and nothing says how large it should be.
    assert!(reported(&asset, "D609").is_empty());
}

/// The arm in a clip in which `channel` drives the elbow from the second key on.
fn driven(mut asset: Asset, channel: Channel) -> Asset {
    asset.clips = vec![Clip {
        channels: vec![channel],
        ..clip("drive", 0.0, 1.0)
    }];
    asset
}

const ELBOW: Channel = Channel::of(NodeId(1));

#[test]
fn a_clip_in_another_unit_tears_the_model() {
    let centimetres = Channel {
        translation: Some(Track::linear([(0.0, Vec3::Y), (1.0, Vec3::Y * 100.0)])),
        ..ELBOW
    };
    let reported = reported(&driven(arm(), centimetres.clone()), "D609");
    assert_eq!(reported.len(), 1);
    assert!(
        reported[0]
            .message
            .ends_with("times its diagonal, limit 20"),
        "{reported:?}"
    );
    // Pieces that fly apart are whole.
    let mut pieces = arm();
    reweigh(&mut pieces, |vertex, list| {
        *list = vec![Influence::new(SkinSlot(u32::from(vertex > 100)), 1.0)];
    });
    pieces.meshes[0].triangles.retain(|corners| {
        corners.iter().all(|corner| *corner > 100) || corners.iter().all(|corner| *corner <= 100)
    });
    assert!(self::reported(&driven(pieces, centimetres), "D609").is_empty());
}

#[test]
fn a_mesh_that_grows_with_its_joint_is_not_torn() {
    let grows = Channel {
        scale: Some(Track::linear([(0.0, Vec3::ONE), (1.0, Vec3::splat(60.0))])),
        ..ELBOW
    };
    assert!(reported(&driven(arm(), grows), "D609").is_empty());
}

#[test]
fn an_explosion_at_rest_is_reported() {
    let with = |factor: f32| {
        let mut asset = rotating(arm(), Quat::from_rotation_z(-0.4));
        for inverse in &mut asset.skins[0].inverse_bind_matrices {
            inverse.w_axis *= Vec3::splat(factor).extend(1.0);
        }
        reported(&asset, "D609")
    };
    assert!(with(1.0).is_empty());
    assert_eq!(with(100.0).len(), 1);
}

#[test]
fn scenery_is_neither_reported_nor_measured_by() {
    let centimetres = Channel {
        translation: Some(Track::linear([(0.0, Vec3::Y), (1.0, Vec3::Y * 100.0)])),
        ..ELBOW
    };
    let mut asset = driven(arm(), centimetres);
    let dome = Mesh {
        name: "dome".into(),
        positions: [Vec3::X, Vec3::Y, Vec3::Z]
            .map(|axis| axis * 1000.0)
            .to_vec(),
        triangles: vec![[0, 1, 2]],
        ..Mesh::default()
    };
    asset.meshes.push(dome);
    asset
        .instances
        .push(MeshInstance::rigid(NodeId(0), MeshId(1)));
    let reported = reported(&asset, "D609");
    assert_eq!(reported.len(), 1);
    assert_eq!(reported[0].location.mesh.as_deref(), Some("tube"));
}

/// The arm, and a mesh without a skin that is attached to its first joint.
fn with_prop(positions: Vec<Vec3>, morphed: &[f32]) -> Asset {
    let mut asset = arm();
    let targets = morphed.iter().map(|by| MorphTarget {
        positions: vec![Vec3::Z * *by; positions.len()],
        ..MorphTarget::default()
    });
    asset.meshes.push(Mesh {
        name: "Prop".into(),
        morph_targets: targets.collect(),
        positions,
        ..Mesh::default()
    });
    asset.instances.push(MeshInstance {
        mesh: MeshId::from_index(asset.meshes.len() - 1),
        skin: None,
        morph_weights: vec![1.0; morphed.len()],
        ..asset.instances[0].clone()
    });
    asset
}

#[test]
fn rigid_meshes_beside_a_skin_may_overflow_too() {
    let mut joints = arm().skeleton.nodes().to_vec();
    let mut trs = joints[0].rest.to_trs();
    trs.scale = Vec3::splat(1e19);
    joints[0].rest = LocalTransform::Trs(trs);
    for (far, morphed, told_of) in [
        (1e18, 0.0, false),
        (1e20, 0.0, true),
        (1.0, 1e20, true),
        (f32::NAN, 0.0, false),
    ] {
        let mut asset = with_prop(vec![Vec3::ZERO, Vec3::X * far], &[morphed]);
        asset.skeleton = Skeleton::new(joints.clone()).expect("parents come first");
        let found = reported(&asset, "D601");
        let of_prop = |finding: &Finding| finding.location.mesh.as_deref() == Some("Prop");
        assert_eq!(found.iter().any(of_prop), told_of, "{far} {morphed}");
    }
    // Nothing times infinity.
    let mut asset = with_prop(vec![Vec3::ZERO], &[0.0]);
    asset.instances[1].morph_weights = vec![f32::INFINITY];
    assert!(!reported(&asset, "D601").is_empty());
}

/// A copy of the arm's tube, `wide` times as wide and `long` times as long, as another mesh of the skin.
fn add_tube(asset: &mut Asset, [wide, long]: [f32; 2]) -> &mut Mesh {
    let mut mesh = arm().meshes.remove(0);
    for position in &mut mesh.positions {
        *position *= Vec3::new(wide, long, wide);
    }
    mesh.name = "other".into();
    let id = MeshId::from_index(asset.meshes.len());
    asset.meshes.push(mesh);
    let instance = MeshInstance::skinned(NodeId(0), id, SkinId(0));
    asset.instances.push(instance);
    asset.meshes.last_mut().expect("it was added")
}

/// All of a mesh follows the shoulder.
fn stiffen(mesh: &mut Mesh) {
    let whole = mesh
        .positions
        .iter()
        .map(|_| [Influence::new(SkinSlot(0), 1.0)]);
    mesh.influences = Influences::from_vertices(whole);
}

/// The levels of a rule for the arm and for the other mesh.
fn levels(asset: &Asset, code: &str) -> [Option<Level>; 2] {
    let found = reported(asset, code);
    ["tube", "other"].map(|name| {
        let own = found
            .iter()
            .find(|found| found.location.mesh.as_deref() == Some(name));
        own.map(|found| found.level)
    })
}

fn material(name: &str, opacity: f32, alpha: AlphaMode) -> Material {
    Material {
        name: name.into(),
        base_color: Vec4::new(1.0, 1.0, 1.0, opacity),
        base_color_texture: None,
        alpha,
        two_sided: false,
        finish: Finish::default(),
    }
}

/// The arm with its elbow twisted.
fn twisted() -> Asset {
    rotating(arm(), Quat::from_rotation_y(160_f32.to_radians()))
}

#[test]
fn a_limb_that_is_not_drawn_has_no_pinch() {
    let level = |alpha: AlphaMode, opacity: f32| {
        let mut asset = twisted();
        asset.materials.push(material("skin", opacity, alpha));
        asset.meshes[0].material = Some(MaterialId(0));
        levels(&asset, "D610")[0]
    };
    assert_eq!(level(AlphaMode::Blend, 0.0), None);
    assert_eq!(level(AlphaMode::Mask(0.5), 0.4), None);
    assert_eq!(level(AlphaMode::Blend, 0.4), Some(Level::Hint));
    assert_eq!(level(AlphaMode::Mask(0.5), 0.6), Some(Level::Hint));
    assert_eq!(level(AlphaMode::Opaque, 0.0), Some(Level::Hint));
}

#[test]
fn a_loose_sleeve_folds_as_it_likes() {
    let level = |wide: f32, is_open: bool| {
        let mut asset = twisted();
        let sleeve = add_tube(&mut asset, [wide, 0.9]);
        if is_open {
            let ends = RINGS * SIDES;
            sleeve
                .triangles
                .retain(|corners| corners.iter().all(|corner| (*corner as usize) < ends));
        }
        levels(&asset, "D610")[1]
    };
    assert_eq!(level(1.6, true), Some(Level::Info));
    assert_eq!(level(1.6, false), Some(Level::Hint), "a closed arm");
    assert_eq!(level(1.1, true), Some(Level::Hint), "a tight sleeve");
}

#[test]
fn names_tell_of_loose_cloth() {
    let level = |name: &str, material: &str, joint: &str| {
        let mut asset = twisted();
        asset.meshes[0].name = name.into();
        asset
            .materials
            .push(self::material(material, 1.0, AlphaMode::Opaque));
        asset.meshes[0].material = Some(MaterialId(0));
        let mut joints = asset.skeleton.nodes().to_vec();
        joints[1].name = joint.into();
        asset.skeleton = Skeleton::new(joints).expect("parents come first");
        reported(&asset, "D610")[0].level
    };
    assert_eq!(level("arm", "skin", "elbow"), Level::Hint);
    assert_eq!(level("Robe_01", "skin", "elbow"), Level::Info);
    assert_eq!(level("arm", "sleeves", "elbow"), Level::Info);
    assert_eq!(level("arm", "skin", "cape.001"), Level::Info);
}

#[test]
fn a_fold_of_the_range_of_motion_is_an_info() {
    let mut asset = telescoped(9..10, -0.15);
    assert_eq!(reported(&asset, "D604")[0].level, Level::Info);
    asset.clips.push(clip("still", 0.0, 1.0));
    assert_eq!(reported(&asset, "D604")[0].level, Level::Hint);
}

#[test]
fn a_small_part_that_loses_its_volume_is_an_info() {
    let level = |times: f32| {
        // The two sides of the tube move towards each other.
        let mut asset = arm();
        let [left, right] = [0.15, -0.15]
            .map(|x| bind_again(&mut asset, Mat4::from_translation(Vec3::new(x, 1.0, 0.0))));
        let sides: Vec<f32> = asset.meshes[0].positions.iter().map(|own| own.x).collect();
        reweigh(&mut asset, |vertex, list| {
            let slot = if sides[vertex] < 0.0 { left } else { right };
            *list = vec![Influence::new(slot, 1.0)];
        });
        let body = add_tube(&mut asset, [times, times]);
        stiffen(body);
        levels(&asset, "D605")[0]
    };
    assert_eq!(level(1.0), Some(Level::Hint));
    assert_eq!(level(12.0), Some(Level::Info));
}
