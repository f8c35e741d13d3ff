//! `skincheck diff scene.pc2 hero.glb`: a point cache as the reference for one mesh of a model.

mod fit;

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, bail};
use glam::{DMat3, DVec3};

use self::fit::Fit;
use super::Args;
use crate::cli::report::Console;
use crate::diff::Similarity;
use crate::diff::reference::{Clip, Frame, Mesh, Reference};
use crate::import::{PointCache, PointFrame, read_point_cache};
use crate::lists::distinct;
use crate::rig::{Asset, NodeId};
use crate::shown::{self, escaped};
use crate::units::{amount, significant};

/// Blender's frame rate, and that of films.
const FRAMES_PER_SECOND: f64 = 24.0;

/// The reference that the point cache at `path` is for a mesh of `model`, which loses its other meshes and clips.
pub(super) fn reference(
    args: &Args,
    path: &Path,
    model: &mut Asset,
    console: Console,
) -> anyhow::Result<Reference> {
    let frames_per_second = args.fps.unwrap_or(FRAMES_PER_SECOND);
    if !(frames_per_second > 0.0 && frames_per_second.is_finite()) {
        bail!("--fps {frames_per_second}: expected a rate above 0");
    }
    let counts_frames = path
        .extension()
        .is_some_and(|own| own.eq_ignore_ascii_case("pc2"));
    if args.fps.is_some() && !counts_frames {
        bail!("--fps is for a PC2; other point caches state seconds");
    }
    let place = || shown::path(path);
    let caches = read_point_cache(path, frames_per_second).with_context(place)?;
    let cache = select(caches, args.mesh.as_deref()).with_context(place)?;
    let parts = Part::all(model);
    let part = find(&parts, &cache, args.mesh.as_deref()).with_context(place)?;
    model
        .instances
        .retain(|instance| instance.node == part.node);
    let later = args
        .start
        .map_or(0.0, |start| start - cache.frames[0].time.0);
    let fit = Fit::find(&cache.frames, later, model).with_context(place)?;
    let fit = fit.context("the model has no clips to compare a point cache with")?;
    let clip = model.clips.swap_remove(fit.clip.index());
    if !fit.is_identity() {
        console.note(format_args!("{}: {}", place(), told(&fit.similarity)));
    }
    let frame = |own: &PointFrame| Frame {
        time: own.time.0 + later,
        nodes: Vec::new(),
        positions: vec![
            own.positions
                .iter()
                .map(|point| fit.similarity.apply(point.as_dvec3()).as_vec3())
                .collect(),
        ],
        normals: vec![Vec::new()],
    };
    let frames: Vec<Frame> = cache.frames.iter().map(frame).collect();
    let reference = Reference {
        generator: place(),
        space: model.space,
        nodes: Vec::new(),
        meshes: vec![Mesh {
            name: part.name.clone(),
            positions: frames[0].positions[0].clone(),
            ..Mesh::default()
        }],
        clips: vec![Clip {
            name: clip.name.clone(),
            frames,
        }],
    };
    model.clips = vec![clip];
    Ok(reference)
}

/// What was done to a cache, such as `its axes X, Y, Z are +X, -Z, +Y of the model, scaled by 0.01`.
fn told(fit: &Similarity) -> String {
    let mut done = Vec::new();
    if fit.rotation != DMat3::IDENTITY {
        let axes = DVec3::AXES.map(|axis| {
            let there = fit.rotation * axis;
            let sign = if there.element_sum() < 0.0 { '-' } else { '+' };
            let name = ['X', 'Y', 'Z'][there.abs().max_position()];
            format!("{sign}{name}")
        });
        done.push(format!(
            "its axes X, Y, Z are {} of the model",
            axes.join(", ")
        ));
    }
    if fit.is_scaled() {
        done.push(format!("scaled by {}", significant(fit.factor, 4)));
    }
    if fit.shift != DVec3::ZERO {
        let shift = fit
            .shift
            .to_array()
            .map(|part| significant(part, 4))
            .join(", ");
        done.push(format!("moved by ({shift})"));
    }
    done.join(", ")
}

/// The cache of the wanted mesh, or the only one.
fn select(mut caches: Vec<PointCache>, wanted: Option<&str>) -> anyhow::Result<PointCache> {
    if let [_] = &caches[..] {
        return Ok(caches.remove(0));
    }
    let is_wanted = |cache: &PointCache| Some(&*cache.name) == wanted;
    match caches.iter().position(is_wanted) {
        Some(index) => Ok(caches.swap_remove(index)),
        None => bail!(
            "it holds the points of {}; choose one of these meshes with --mesh",
            listed(caches.iter().map(|cache| &*cache.name))
        ),
    }
}

/// The meshes on one node of a model.
struct Part {
    node: NodeId,
    name: String,
    vertices: usize,
    /// How many vertices have positions of their own. Formats split a vertex for each normal and texture coordinate that it has.
    places: usize,
}

impl Part {
    fn all(model: &Asset) -> Vec<Self> {
        let nodes = distinct(model.instances.iter().map(|own| own.node));
        let part = |node: NodeId| {
            let meshes = model.instances.iter().filter(|own| own.node == node);
            let meshes: Vec<_> = meshes.map(|instance| model.mesh_of(instance)).collect();
            let positions = || meshes.iter().flat_map(|mesh| &mesh.positions);
            let places: BTreeSet<[u32; 3]> = positions()
                .map(|position| position.to_array().map(f32::to_bits))
                .collect();
            let named = meshes.iter().find(|mesh| !mesh.name.is_empty());
            let name = named.map_or(&model.skeleton[node].name, |mesh| &mesh.name);
            Self {
                node,
                name: name.clone(),
                vertices: positions().count(),
                places: places.len(),
            }
        };
        nodes.into_iter().map(part).collect()
    }

    /// Whether a mesh of this many points, of which some may coincide, can have been written as this one.
    fn fits(&self, points: usize) -> bool {
        (self.places..=self.vertices).contains(&points)
    }
}

/// The mesh of the model that a cache belongs to.
fn find<'a>(
    parts: &'a [Part],
    cache: &PointCache,
    wanted: Option<&str>,
) -> anyhow::Result<&'a Part> {
    let points = cache.frames[0].positions.len();
    let fitting: Vec<&Part> = parts.iter().filter(|part| part.fits(points)).collect();
    let named = |name: &str| fitting.iter().copied().find(|part| part.name == name);
    let by_name = wanted.and_then(named).or_else(|| named(&cache.name));
    match (by_name, &fitting[..]) {
        (Some(part), _) | (None, &[part]) => Ok(part),
        (None, []) => {
            let sizes = parts.iter().map(|part| {
                let vertices = amount(part.vertices, "vertex");
                let name = escaped(&part.name);
                format!("\"{name}\" has {vertices} at {} places", part.places)
            });
            let sizes: Vec<String> = sizes.collect();
            bail!(
                "it has {}, and no mesh of the model as many: {}",
                amount(points, "point"),
                sizes.join(", ")
            )
        }
        (None, _) => bail!(
            "its {} may be those of {}; choose one of these meshes with --mesh",
            amount(points, "point"),
            listed(fitting.iter().map(|part| &*part.name))
        ),
    }
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names = names.map(|name| format!("\"{}\"", escaped(name)));
    names.collect::<Vec<_>>().join(", ")
}
