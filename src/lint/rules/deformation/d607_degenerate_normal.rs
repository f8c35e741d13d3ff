//! `D607`: degenerate-normal.

use std::cell::OnceCell;

use glam::Vec3;

use crate::lint::analysis::deformation::bent::Bent;
use crate::lint::analysis::deformation::bodies::{Shape, across};
use crate::lint::analysis::deformation::surface::Surface;
use crate::lint::analysis::deformation::surface_of;
use crate::lint::analysis::part::Part;
use crate::lint::core::context::Analysis;
use crate::lint::core::findings::Counted;
use crate::lint::core::numbers::{as_f64, percents};
use crate::lint::{
    Context, Findings, Follows, Limit, LimitRange, Offence, Rule, Sample, Through, declare_rule,
    follows,
};
use crate::pose::ModelPose;
use crate::rig::{DeformedMesh, Mesh, MeshId, SkinningOptions};
use crate::skinning::{Attributes, PreparedMeshes};

/// Beyond this, a surface is plainly lit wrongly: cos 30° is 13 % less light.
const ANGLE: Limit = Limit::new("angle", 30.0, LimitRange::DEGREES)
    .about("maximum angle between a skinned normal and the posed surface's normal, in degrees");

/// Normals that disagree with the surface in the bind pose are intended (foliage, hair, a faceted look).
const BOUND: Limit = Limit::new("bound", 15.0, LimitRange::DEGREES).about(
    "maximum angle, in the bind pose, between a normal that counts and the surface's normal, in degrees",
);

/// Skinned normals ignore how weights change along the surface, and are off at every crease: on a quarter of a coarse
/// arm that bends. If most are off, something else is wrong.
const SHARE: Limit = Limit::new("share", 0.5, LimitRange::PART)
    .about("minimum share of the mesh's vertices with wrong normals at once");

declare_rule! {
    DegenerateNormal, "D607", "degenerate-normal", Warning, limits = &[ANGLE, BOUND, SHARE]
}

impl Rule for DegenerateNormal {
    fn follows_from(&self) -> &'static [Follows] {
        follows![
            Through::Mesh => ["G805", "G810"],
            Through::Model => ["W119"],
            Through::Clips => ["C531", "C532"],
            Through::Between => ["C538"],
        ]
    }

    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, sample: &Sample<'_>, out: &mut Findings) {
        if !sample.sparse {
            return;
        }
        let [angle, least] = [ANGLE, SHARE].map(|limit| cx.limit(&Self::META, &limit));
        let far = cosine(angle);
        let Some(normals) = &cx.get::<Fitting>().0 else {
            return;
        };
        let samples = normals.posed_samples(sample.pose);
        let whole = OnceCell::new();
        for bent in sample.bent() {
            let index = bent.posed.instance.index();
            let sampled = normals.samples_off(bent, &samples[index], far).share();
            // NaN without any normal to compare.
            if sampled.is_nan() || sampled < SAMPLED * least {
                continue;
            }
            let whole = whole.get_or_init(|| {
                let skin = cx.get::<PreparedMeshes>();
                let posed = skin.deform(cx.asset, sample.pose, Attributes::Normals);
                // The positions were skinned, so this cannot fail.
                posed.unwrap_or_default()
            });
            let off = normals.off(bent, &whole[index], far);
            let share = off.share();
            let Some(vertex) = off.found.which.filter(|_| share >= least) else {
                continue;
            };
            let group = cx.mesh(bent.instance);
            let offence = Offence::above(&group, "vertex", share, least);
            out.add_many(
                offence.vertices(&off.found.vertices),
                off.found.count,
                |subject| {
                    let subject = cx.at_vertex(sample.subject(subject), bent.instance, vertex);
                    let [share, least] = percents(share, least, 0);
                    let words = format!(
                        "{share} % of the normals are off by more than {angle}°, limit {least} %"
                    );
                    (subject, words)
                },
            );
        }
    }
}

/// The normals that agree with the surface in the bind pose.
struct Fitting(Option<Normals>);

impl Analysis for Fitting {
    fn of(cx: &Context<'_>) -> Self {
        let close = cosine(cx.limit(&DegenerateNormal::META, &BOUND));
        Self(Normals::of(cx, close))
    }
}

/// If fewer of the samples are off than this fraction of the limit, then most likely fewer than the limit of all
/// normals are.
const SAMPLED: f64 = 0.5;

#[expect(
    clippy::cast_possible_truncation,
    reason = "an angle needs no more digits"
)]
fn cosine(degrees: f64) -> f32 {
    libm::cos(degrees.to_radians()) as f32
}

/// Normals of a mesh that are sampled first. If half of a mesh's normals are off, less than a quarter of this many
/// random samples is off once in 1000 times, and less often with stratified samples.
const SAMPLES: usize = 32;

/// The normals of a model that match its surface in the bind pose.
#[derive(Debug)]
struct Normals {
    /// A sample of them.
    samples: Part,
    /// One per mesh.
    meshes: Vec<OfMesh>,
}

/// The matching normals of one mesh, by vertex.
#[derive(Debug, Default)]
struct OfMesh {
    fitting: Vec<usize>,
    /// A sample, with the triangles around each vertex.
    samples: Vec<(usize, Vec<[u32; 3]>)>,
}

/// The number of normals that do not match the surface.
#[derive(Debug, Clone, PartialEq, Default)]
struct Off {
    /// The number of normals that do not match, and the worst vertex.
    found: Counted<usize>,
    /// The number of normals whose surface has not collapsed.
    of: usize,
}

impl Normals {
    /// Computes it for the skinned meshes of the model; `None` if no normal matches.
    ///
    /// * `close` – the least cosine between a matching normal and the surface.
    fn of(cx: &Context<'_>, close: f32) -> Option<Self> {
        let of_mesh = |(index, mesh): (usize, &Mesh)| {
            let surface = surface_of(cx, MeshId::from_index(index));
            surface.map_or_else(OfMesh::default, |surface| OfMesh::new(mesh, surface, close))
        };
        let meshes: Vec<OfMesh> = cx.asset.meshes.iter().enumerate().map(of_mesh).collect();
        let samples = Part::of(cx.asset, SkinningOptions::default(), |id, mesh| {
            let vertices = meshes[id.index()].samples.iter();
            let weights = |vertex: usize| mesh.influences.of(vertex).to_vec();
            vertices
                .map(|(vertex, _)| (*vertex, weights(*vertex)))
                .collect()
        });
        Some(Self {
            samples: samples?,
            meshes,
        })
    }

    /// The samples in a pose, one mesh per instance.
    fn posed_samples(&self, pose: &ModelPose) -> Vec<DeformedMesh> {
        self.samples.posed(pose, Attributes::Normals)
    }

    /// The number of samples that do not match.
    ///
    /// * `posed` – the samples of the instance.
    /// * `least` – the least cosine between a matching normal and the surface.
    fn samples_off(&self, bent: &Bent<'_>, posed: &DeformedMesh, least: f32) -> Off {
        let mut off = Off::default();
        let samples = &self.meshes[bent.instance.mesh.index()].samples;
        for ((vertex, triangles), normal) in samples.iter().zip(&posed.normals) {
            let triangles = triangles.iter();
            let across = triangles.map(|corners| across(*corners, bent.posed));
            off.take(bent, *vertex, cosine_between(*normal, across.sum()), least);
        }
        off
    }

    /// The number of all normals that do not match.
    ///
    /// * `posed`, `least` – as in [`Normals::samples_off`].
    fn off(&self, bent: &Bent<'_>, posed: &DeformedMesh, least: f32) -> Off {
        let mut off = Off::default();
        let surface = Shape::of(bent.mesh, &posed.positions).of_vertices(bent.mesh);
        for vertex in &self.meshes[bent.instance.mesh.index()].fitting {
            let cosine = cosine_between(posed.normals[*vertex], surface[*vertex]);
            off.take(bent, *vertex, cosine, least);
        }
        off
    }
}

impl Off {
    /// The fraction that does not match; NaN without normals.
    fn share(&self) -> f64 {
        as_f64(self.found.count) / as_f64(self.of)
    }

    fn take(&mut self, bent: &Bent<'_>, vertex: usize, cosine: Option<f32>, least: f32) {
        let Some(cosine) = cosine else {
            return;
        };
        // Mirrored joints turn triangles inside out, but not normals.
        let mirrored = bent.factors_of(vertex).volume < 0.0;
        let cosine = if mirrored { -cosine } else { cosine };
        self.of += 1;
        if cosine < least {
            self.found.add(-f64::from(cosine), vertex);
        }
    }
}

impl OfMesh {
    /// Without morph targets, since normals that do not follow them are wrong, too.
    fn new(mesh: &Mesh, surface: &Surface, close: f32) -> Self {
        let across = surface.shape.of_vertices(mesh);
        let normals = mesh.normals.iter().zip(&across).enumerate();
        let fits = |normal: Vec3, across: Vec3| {
            cosine_between(normal, across).is_some_and(|cosine| cosine >= close)
        };
        let fitting: Vec<usize> = normals
            .filter(|(_, (normal, across))| fits(**normal, **across))
            .map(|(vertex, _)| vertex)
            .collect();
        Self {
            samples: with_triangles(mesh, &drawn(&fitting)),
            fitting,
        }
    }
}

/// [`SAMPLES`] of `vertices`, or all if there are fewer: one from each of as many equal intervals, chosen
/// pseudo-randomly. Corners of faces repeat in fours and the like, and equal steps would always hit the same corner.
fn drawn(vertices: &[usize]) -> Vec<usize> {
    let count = SAMPLES.min(vertices.len());
    let start = |stretch: usize| stretch * vertices.len() / count;
    let stretches = (0..count).map(|stretch| &vertices[start(stretch)..start(stretch + 1)]);
    let lots = stretches.zip(lots());
    lots.map(|(stretch, lot)| stretch[lot as usize % stretch.len()])
        .collect()
}

/// Deterministic: W. H. Press et al., "Numerical Recipes", §7.1, "An Even Quicker Generator". Uses the upper half of
/// its bits, because the lower ones have a short period.
fn lots() -> impl Iterator<Item = u32> {
    let next = |lot: &u32| Some(lot.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    std::iter::successors(Some(1), next).map(|lot| lot >> 16)
}

/// `vertices` (in order) with the triangles around each.
fn with_triangles(mesh: &Mesh, vertices: &[usize]) -> Vec<(usize, Vec<[u32; 3]>)> {
    let mut samples: Vec<_> = vertices
        .iter()
        .map(|vertex| (*vertex, Vec::new()))
        .collect();
    let mut sample_of = vec![None; mesh.positions.len()];
    for (sample, vertex) in vertices.iter().enumerate() {
        sample_of[*vertex] = Some(sample);
    }
    for corners in &mesh.triangles {
        for corner in corners {
            if let Some(sample) = sample_of[*corner as usize] {
                samples[sample].1.push(*corners);
            }
        }
    }
    samples
}

/// The cosine of the angle between a unit normal and the surface; 0 for a normal without a direction, `None` for a
/// surface without one.
fn cosine_between(normal: Vec3, across: Vec3) -> Option<f32> {
    let length = across.length();
    let usable = length.is_normal() && length.is_finite();
    usable.then(|| normal.dot(across) / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part of the samples of `count` vertices that is of `period` the first.
    fn share_of_firsts(count: usize, period: usize) -> f64 {
        let samples = drawn(&(0..count).collect::<Vec<_>>());
        assert_eq!(samples.len(), SAMPLES.min(count));
        assert!(samples.is_sorted_by(|a, b| a < b));
        let firsts = samples.iter().filter(|vertex| **vertex % period == 0);
        as_f64(firsts.count()) / as_f64(samples.len())
    }

    #[test]
    fn samples_do_not_fall_in_step_with_the_vertices() {
        for count in [65, 128, 256, 512, 4096, 25_000, 65_536] {
            let share = share_of_firsts(count, 2);
            assert!((0.25..0.75).contains(&share), "{count}: {share}");
        }
        assert!(share_of_firsts(4096, 4) < 0.5);
        assert_eq!(drawn(&[3, 8]), [3, 8]);
        assert!(drawn(&[]).is_empty());
    }
}
