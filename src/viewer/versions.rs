//! Two versions of a model in step: the same samples of both, in the space of the one before, with the distances between them.

use std::borrow::Cow;

use glam::{Mat4, Vec3};
use serde_json::json;

use super::surface::{Numbers, shares};
use super::takes::{Source, Take};
use super::{Contents, Packed, space};
use crate::diff::{self, DiffError, PosedPair, PosedPairs, Report};
use crate::pose::RangePose;
use crate::rig::{
    Asset, AssetBuilder, AssetError, ClipId, DeformedMesh, Mesh, MorphTarget, SkinningOptions, Trs,
};
use crate::units::Seconds;
use crate::view::{Framing, Projection, Show, ViewDirection, Viewport};

/// The most takes, and the most samples of each.
const MOST_TAKES: usize = 8;
const MOST_SAMPLES: usize = 240;

/// The most vertices that are posed: a few seconds of work.
const MOST_WORK: usize = 30_000_000;

/// What a vertex of a reference takes in a frame: a position and a normal.
const STORED: usize = 24;

/// Only the shape of the view matters; a page fits its camera to its own.
pub(crate) const SQUARE: Viewport = Viewport {
    width: 640,
    height: 640,
};

/// Packs both versions into about `budget` bytes; `None` if one has no surface. The second shows distances.
///
/// * `captions` – what the versions are called. The legend names the first.
///
/// # Errors
///
/// [`DiffError`] if a version cannot be posed.
pub(crate) fn versions(
    report: &Report,
    posed: &PosedPairs<'_>,
    captions: [&str; 2],
    budget: usize,
) -> Result<Option<[Packed; 2]>, DiffError> {
    let usual = |_: usize| ViewDirection::default();
    versions_from(report, posed, captions, &usual, budget)
}

/// As [`versions`], each take seen from a direction of its own at first.
///
/// * `direction` – of a take, by its index in the report.
pub(crate) fn versions_from(
    report: &Report,
    posed: &PosedPairs<'_>,
    captions: [&str; 2],
    direction: &dyn Fn(usize) -> ViewDirection,
    budget: usize,
) -> Result<Option<[Packed; 2]>, DiffError> {
    if report.matched.all_vertices.contains(&0) {
        return Ok(None);
    }
    let sampled = sampled(report, posed, budget);
    let Some((take, [sample, ..])) = sampled.first().map(|(take, own)| (*take, own.as_slice()))
    else {
        return Ok(None);
    };
    let first = posed.at(take, *sample)?;
    let mut sides = [0, 1].map(|side| Side::new(posed, side, &first));
    let [Some(before), Some(after)] = &mut sides else {
        return Ok(None);
    };
    #[expect(clippy::cast_possible_truncation, reason = "a colour")]
    let hottest = report.hottest() as f32;
    let title = format!("distance from {}", captions[0].to_lowercase());
    let mut show = Show::LIT;
    let (mut of_takes, mut cameras) = (Vec::new(), Vec::new());
    for (take, samples) in &sampled {
        let direction = direction(*take);
        let mut framing = Framing::new(&posed.space(), direction, Projection::default(), SQUARE);
        let mut rows = Vec::new();
        for sample in samples {
            let pair = posed.at(*take, *sample)?;
            for mesh in pair.meshes.iter().flatten() {
                framing.include(&mesh.positions);
            }
            let measured = diff::of_range(&title, report, hottest, pair.distances.clone());
            show = Show::distance(measured);
            rows.push(shares(&after.asset, &show));
            before.store(&pair.meshes[0]);
            after.store(&pair.meshes[1]);
        }
        of_takes.push(rows);
        cameras.push(framing.camera());
    }
    let every = 1;
    let numbers = Numbers {
        show,
        every,
        of_takes,
    };
    let pack = |side: usize, own: &mut Side<'_>, numbers: Vec<Numbers>| {
        own.finish();
        let mut frames = 0;
        let takes = sampled.iter().zip(&cameras);
        let takes = takes.map(|((take, samples), camera)| {
            let source = own.source(posed.clips(*take).map(|clips| clips[side]), frames);
            frames += samples.len();
            let times: Vec<Seconds> = samples
                .iter()
                .map(|sample| posed.times(*take, *sample)[side])
                .collect();
            let worst = samples.binary_search(&report.takes[*take].worst_sample());
            let placed = (*camera, own.placed);
            Take::sampled(&own.asset, source, times, worst.unwrap_or(0), placed)
        });
        let contents = Contents {
            asset: &own.asset,
            skinning: own.skinning,
            takes: takes.collect(),
            numbers,
        };
        let mut packed = contents.pack(budget / 2)?;
        packed.json["space"] = space(&posed.space());
        packed.json["caption"] = json!(captions[side]);
        for (index, (take, samples)) in sampled.iter().enumerate() {
            let take = &report.takes[*take];
            let name = take.clips.as_ref().map_or("rest pose", |clips| &clips[0]);
            let worst = samples.binary_search(&take.worst_sample()).unwrap_or(0);
            packed.json["takes"][index]["name"] = json!(crate::shown::printable(name));
            packed.json["takes"][index]["worst"] = json!(worst);
        }
        Ok::<Packed, DiffError>(packed)
    };
    let before = pack(0, before, Vec::new())?;
    let mut after = pack(1, after, vec![numbers])?;
    after.json["show"] = json!("distance");
    Ok(Some([before, after]))
}

/// The takes that differ most, the worst first, and samples of each, ascending.
fn sampled(report: &Report, posed: &PosedPairs<'_>, budget: usize) -> Vec<(usize, Vec<usize>)> {
    let takes = report.worst_takes(MOST_TAKES);
    let vertices: usize = report.matched.all_vertices.iter().sum();
    let sides = [0, 1].into_iter();
    let stored: usize = sides
        .filter(|side| matches!(posed.source(*side).0, diff::Source::Reference(_)))
        .map(|side| STORED * report.matched.all_vertices[side])
        .sum();
    let affordable = MOST_WORK / vertices.max(1);
    let affordable = affordable.min((budget / 2).checked_div(stored).unwrap_or(usize::MAX));
    let most = (affordable / takes.len().max(1)).clamp(2, MOST_SAMPLES);
    let sampled = takes.into_iter().map(|take| {
        let mut samples = report.takes[take].spread(most);
        samples.sort_unstable();
        samples.dedup();
        (take, samples)
    });
    sampled.filter(|(_, samples)| !samples.is_empty()).collect()
}

/// One version.
struct Side<'a> {
    /// Of a reference, the surfaces, whose morph targets are the frames.
    asset: Cow<'a, Asset>,
    skinning: SkinningOptions,
    placed: Mat4,
    is_stored: bool,
}

impl<'a> Side<'a> {
    /// `None` for surfaces that form no valid model.
    fn new(posed: &'a PosedPairs<'_>, side: usize, first: &PosedPair) -> Option<Self> {
        let (source, placed, weights) = posed.source(side);
        let skinning = SkinningOptions {
            weights,
            ..SkinningOptions::default()
        };
        Some(match source {
            diff::Source::Model(asset) => Self {
                asset: Cow::Borrowed(asset),
                skinning,
                placed: placed.as_mat4(),
                is_stored: false,
            },
            diff::Source::Reference(_) => Self {
                asset: Cow::Owned(bare(&posed.triangles(side), &first.meshes[side]).ok()?),
                skinning: SkinningOptions::default(),
                placed: Mat4::IDENTITY,
                is_stored: true,
            },
        })
    }

    /// Adds a frame of a reference.
    fn store(&mut self, meshes: &[DeformedMesh]) {
        if !self.is_stored {
            return;
        }
        for (own, posed) in self.asset.to_mut().meshes.iter_mut().zip(meshes) {
            let apart = |to: &[Vec3], from: &[Vec3]| -> Vec<Vec3> {
                to.iter().zip(from).map(|(to, from)| *to - *from).collect()
            };
            own.morph_targets.push(MorphTarget {
                positions: apart(&posed.positions, &own.positions),
                normals: apart(&posed.normals, &own.normals),
                ..MorphTarget::default()
            });
        }
    }

    /// Called when all frames are stored.
    fn finish(&mut self) {
        if self.is_stored {
            let asset = self.asset.to_mut();
            let counts: Vec<usize> = asset
                .meshes
                .iter()
                .map(|own| own.morph_targets.len())
                .collect();
            for (instance, count) in asset.instances.iter_mut().zip(counts) {
                instance.morph_weights = vec![0.0; count];
            }
        }
    }

    /// * `frames` – how many are stored before those of the take.
    fn source(&self, clip: Option<usize>, frames: usize) -> Source {
        match clip {
            _ if self.is_stored => Source::Stored(frames),
            Some(clip) => Source::Clip(ClipId::from_index(clip)),
            None => Source::Range(RangePose::Rest),
        }
    }
}

/// A model of surfaces, without joints and materials.
///
/// # Errors
///
/// [`AssetError`] if the surfaces form no valid model.
pub(crate) fn bare(
    triangles: &[&[[u32; 3]]],
    meshes: &[DeformedMesh],
) -> Result<Asset, AssetError> {
    let mut rig = AssetBuilder::new();
    let root = rig.node("root", None, Trs::IDENTITY);
    for (triangles, mesh) in triangles.iter().zip(meshes) {
        let mesh = rig.mesh(Mesh {
            positions: mesh.positions.clone(),
            normals: mesh.normals.clone(),
            triangles: triangles.to_vec(),
            ..Mesh::default()
        });
        rig.attach(mesh, root);
    }
    rig.build()
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::super::block::reading::floats;
    use super::*;
    use crate::diff::{Options, Source as Version, compare_and_inspect};

    /// A leg that kicks, whose tip is `higher` than usual, in units of `1 / scale`.
    fn leg(higher: f32, scale: f32) -> Version {
        let mut rig = AssetBuilder::new();
        let hip = rig.node("hip", None, Trs::IDENTITY);
        let up = Vec3::Y * scale;
        let rest = Trs {
            translation: up,
            ..Trs::IDENTITY
        };
        let knee = rig.node("knee", Some(hip), rest);
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y * (2.0 + higher)];
        let mesh = rig.mesh(Mesh {
            name: "leg".into(),
            positions: corners.map(|corner| corner * scale).to_vec(),
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        });
        rig.skin(mesh, [[(hip, 1.0)], [(hip, 1.0)], [(knee, 1.0)]]);
        let kick = rig.clip("kick");
        let bent = Quat::from_xyzw(0.0, 0.0, 0.6, 0.8);
        rig.rotate(kick, knee, [(0.0, Quat::IDENTITY), (1.0, bent)]);
        let mut asset = rig.build().expect("it is whole");
        asset.space.metres_per_unit = Some(1.0 / f64::from(scale));
        Version::from(asset)
    }

    fn packed(after: &Version, budget: usize) -> [Packed; 2] {
        packed_from(ViewDirection::default(), after, budget)
    }

    fn packed_from(direction: ViewDirection, after: &Version, budget: usize) -> [Packed; 2] {
        let before = leg(0.0, 1.0);
        let seen = compare_and_inspect(&before, after, &Options::default(), |report, posed| {
            versions_from(report, posed, ["Before", "After"], &|_| direction, budget)
        });
        let (_, packed) = seen.expect("they correspond");
        let packed = packed.expect("they correspond").expect("they can be posed");
        packed.expect("they have surfaces")
    }

    #[test]
    fn both_are_packed_at_the_same_samples_in_one_space() {
        let [before, after] = packed(&leg(0.05, 100.0), 1 << 20);
        let [first, second] = [&before, &after].map(|own| &own.json["takes"][0]);
        assert_eq!(first["kept"], second["kept"]);
        assert_eq!(first["view"], second["view"]);
        assert_eq!(before.json["space"], after.json["space"]);
        let proved =
            |own: &Packed| floats(&own.blocks, &own.json["takes"][0]["proof"]["positions"]);
        let [first, second] = [proved(&before), proved(&after)];
        let apart = first.iter().zip(&second).map(|(a, b)| (a - b).abs());
        let farthest = apart.fold(0.0, f32::max);
        assert!(
            (0.02..0.06).contains(&farthest),
            "{farthest} of metres, not centimetres"
        );
    }

    #[test]
    fn both_are_seen_from_the_direction_of_the_take() {
        let view = |direction| {
            let [before, after] = packed_from(direction, &leg(0.05, 1.0), 1 << 20);
            let [first, second] = [before, after].map(|own| own.json["takes"][0]["view"].clone());
            assert_eq!(first, second);
            first
        };
        assert_ne!(view(ViewDirection::Back), view(ViewDirection::default()));
    }

    #[test]
    fn distances_are_stored_and_the_worst_sample_is_kept() {
        let [_, after] = packed(&leg(0.05, 1.0), 1);
        assert_eq!(after.json["show"], "distance");
        let take = &after.json["takes"][0];
        let kept = take["kept"].as_array().expect("it is a list");
        assert!(kept.contains(&take["worst"]), "{take}");
    }
}
