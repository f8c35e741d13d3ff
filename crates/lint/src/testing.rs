//! Models for tests.

use std::f32::consts::TAU;
use std::path::Path;

use glam::{Mat4, Quat, Vec3};

use crate::core::context::Context;
use crate::core::evidence::Known;
use crate::core::findings::Findings;
use crate::core::meta::RuleMeta;
use crate::core::settings::Settings;
use crate::finding::{Finding, Level};
use crate::pose::rigs::{asset_of, clip, named_joint};
use crate::rig::{
    Asset, Channel, Format, Influence, Influences, LocalTransform, Mesh, MeshId, MeshInstance,
    NodeId, ReaderCode, Skin, SkinId, SkinSlot, Track, Trs,
};
use crate::rules::rule::Rule;
use crate::run::check_by;

/// What is said of a rule that is called `code`, a warning without limits.
pub(super) const fn meta(code: &'static str) -> RuleMeta {
    let page = "## What it does\nTests.\n";
    RuleMeta::new(code, "test", Level::Warning, Known::Proved, page)
}

/// Vertices in a ring around the arm.
pub(super) const SIDES: usize = 12;

/// Rings along the arm; the elbow is at the middle one.
pub(super) const RINGS: usize = 21;

/// A closed tube of radius 0.2 along y from -1 to 1, of [`RINGS`] rings and a vertex at either end. It is skinned to
/// `shoulder` (at y = -1) and `elbow` (at y = 0) with a smooth blend, and has no clip.
pub(super) fn arm() -> Asset {
    let mut asset = asset_of(vec![
        named_joint("shoulder", None, at(-1.0)),
        named_joint("elbow", Some(0), at(1.0)),
    ]);
    asset.meshes.push(tube());
    asset.skins.push(Skin {
        name: "arm".into(),
        joints: vec![NodeId(0), NodeId(1)],
        inverse_bind_matrices: vec![Mat4::from_translation(Vec3::Y), Mat4::IDENTITY],
    });
    asset
        .instances
        .push(MeshInstance::skinned(NodeId(0), MeshId(0), SkinId(0)));
    asset
}

fn at(y: f32) -> LocalTransform {
    LocalTransform::Trs(Trs {
        translation: Vec3::new(0.0, y, 0.0),
        ..Trs::IDENTITY
    })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "numbers of tests are small"
)]
fn tube() -> Mesh {
    let height = |ring: usize| 2.0 * ring as f32 / (RINGS - 1) as f32 - 1.0;
    let around = |index: usize| {
        let (sin, cos) = (index as f32 * TAU / SIDES as f32).sin_cos();
        Vec3::new(cos, 0.0, -sin)
    };
    let points = (0..RINGS).flat_map(|ring| {
        (0..SIDES).map(move |side| (around(side) * 0.2 + Vec3::Y * height(ring), around(side)))
    });
    let ends = [-1.0, 1.0].map(|end| (Vec3::Y * end, Vec3::Y * end));
    let (positions, normals): (Vec<Vec3>, Vec<Vec3>) = points.chain(ends).unzip();
    let weights = positions.iter().map(|position| {
        let elbow = (0.5 + position.y / 0.6).clamp(0.0, 1.0);
        [(0, 1.0 - elbow), (1, elbow)].map(|(slot, weight)| Influence::new(SkinSlot(slot), weight))
    });
    let vertex = |ring: usize, side: usize| (ring * SIDES + side % SIDES) as u32;
    let quads = (0..RINGS - 1).flat_map(|ring| {
        (0..SIDES).flat_map(move |side| {
            let [a, b] = [vertex(ring, side), vertex(ring, side + 1)];
            let [c, d] = [vertex(ring + 1, side), vertex(ring + 1, side + 1)];
            [[a, b, d], [a, d, c]]
        })
    });
    let (bottom, top) = ((RINGS * SIDES) as u32, (RINGS * SIDES) as u32 + 1);
    let caps = (0..SIDES).flat_map(|side| {
        let last = RINGS - 1;
        [
            [vertex(0, side + 1), vertex(0, side), bottom],
            [vertex(last, side), vertex(last, side + 1), top],
        ]
    });
    Mesh {
        name: "tube".into(),
        influences: Influences::from_vertices(weights),
        triangles: quads.chain(caps).collect(),
        normals,
        positions,
        ..Mesh::default()
    }
}

/// The model as if `code` had read it.
pub(super) fn read_by(code: ReaderCode, mut asset: Asset) -> Asset {
    asset.reader.code = code;
    asset.format = match code {
        ReaderCode::Gltf => Format::Gltf,
        ReaderCode::Iqm => Format::Iqm,
        _ => Format::Fbx { version: None },
    };
    asset
}

/// Adds the clip `turn`, which rotates the elbow by `rotation` within a second.
pub(super) fn rotating(mut asset: Asset, rotation: Quat) -> Asset {
    let track = Track::linear([(0.0, Quat::IDENTITY), (1.0, rotation)]);
    let mut rotating = clip("turn", 0.0, 1.0);
    rotating.channels.push(Channel {
        rotation: Some(track),
        ..Channel::of(NodeId(1))
    });
    asset.clips.push(rotating);
    asset
}

/// One rule's findings on a model, with default settings.
pub(super) fn findings(asset: &Asset, rule: &'static dyn Rule) -> Vec<Finding> {
    findings_with(asset, rule, &Settings::default())
}

/// One rule's findings on a model.
pub(super) fn findings_with(
    asset: &Asset,
    rule: &'static dyn Rule,
    settings: &Settings,
) -> Vec<Finding> {
    let mut settings = settings.clone();
    settings.asked.insert(rule.meta().code);
    let cx = Context::new(asset, "model.gltf".as_ref(), &settings);
    check_by(&cx, std::iter::once(rule)).findings
}

/// The findings of `rule`, as `place: message`, under the default settings.
pub(super) fn reported(rule: &dyn Rule, asset: &Asset) -> Vec<String> {
    let settings = Settings::default();
    let cx = Context::new(asset, Path::new("model"), &settings);
    let mut findings = Findings::new(&cx, rule.meta(), rule.meta().level);
    rule.check(&cx, &mut findings);
    let list = findings.into_parts().0.into_iter();
    let line = |finding: Finding| format!("{}: {}", finding.location, finding.message);
    list.map(|found| line(found.named(&cx))).collect()
}
