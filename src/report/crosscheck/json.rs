//! The JSON of `crosscheck`, schema `skincheck/crosscheck/1`.
//!
//! Distances of positions are in the model's unit, those of directions between unit vectors. A number that is not
//! finite is `null`.

use crate::compare::pixels::{PixelClass, WorstPixel};
use crate::compare::{AttributeReport, PixelReport, Spread, VertexReport, WorstVertex};
use crate::crosscheck::{PoseReport, Take, TakeReport};
use crate::rig::Asset;
use serde::Serialize;

use super::{Checked, Setting, location};
use crate::report::json::{Failed, pretty};

const SCHEMA: &str = "skincheck/crosscheck/1";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    /// Whether all models agree; false if one could not be compared.
    agrees: bool,
    cpu: &'a str,
    gl: &'a str,
    /// Width and height of the images.
    size: [u32; 2],
    samples: u8,
    camera: &'a str,
    show: &'a str,
    times: &'a str,
    models: Vec<ModelJson<'a>>,
    /// Models that could not be compared.
    errors: Vec<Failed<'a>>,
}

#[derive(Serialize)]
struct ModelJson<'a> {
    model: &'a str,
    importer: String,
    agrees: bool,
    takes: Vec<TakeJson<'a>>,
    /// Paths to which `-expected.png`, `-actual.png` and `-difference.png` are appended.
    pictures: &'a [String],
}

#[derive(Serialize)]
struct TakeJson<'a> {
    /// `null` for a pose without a clip.
    clip: Option<&'a str>,
    /// `null` for a clip.
    pose: Option<&'a str>,
    agrees: bool,
    moments: Vec<PoseJson<'a>>,
}

#[derive(Serialize)]
struct PoseJson<'a> {
    /// In seconds of the clip's time line.
    time: Option<f64>,
    agrees: bool,
    vertices: Vertices<'a>,
    pixels: Option<Pixels<'a>>,
}

#[derive(Serialize)]
struct Vertices<'a> {
    agrees: bool,
    /// The diagonal of the bounding box of all positions.
    diagonal: f64,
    /// Distances of positions as fractions of the diagonal.
    relative: Spread,
    positions: Attribute<'a>,
    normals: Attribute<'a>,
    tangents: Attribute<'a>,
    bitangents: Attribute<'a>,
}

#[derive(Serialize)]
struct Attribute<'a> {
    /// The number of vertices with the attribute and a bound.
    count: usize,
    /// The number of vertices without a bound.
    unpromised: usize,
    /// Between the two paths.
    distance: Spread,
    /// The same in units in the last place.
    ulp: Spread,
    /// The largest error against the f64 reference, as a fraction of its bound.
    used: f64,
    /// The number of vertices that exceed their bounds.
    wrong: Wrong,
    worst: Option<WorstJson<'a>>,
}

#[derive(Serialize)]
struct Wrong {
    cpu: usize,
    gl: usize,
}

#[derive(Serialize)]
struct WorstJson<'a> {
    mesh: &'a str,
    node: &'a str,
    vertex: usize,
    joints: Vec<JointWeight<'a>>,
    cpu: [f32; 3],
    gl: [f32; 3],
    exact: [f64; 3],
    /// The bound on the error of each.
    bound: f64,
    distance: f64,
    /// `cpu`, `gl`, `both`, or `null`.
    wrong: Option<&'static str>,
}

#[derive(Serialize)]
struct JointWeight<'a> {
    name: &'a str,
    /// As stored in the file.
    weight: f32,
}

#[derive(Serialize)]
struct Pixels<'a> {
    agrees: bool,
    empty: usize,
    whole: usize,
    mixed: usize,
    open: usize,
    /// The number of wrong pixels among the empty, whole and mixed ones.
    wrong: usize,
    /// The number of open pixels that differ by more than one code.
    open_differing: usize,
    /// The largest difference of a certain pixel, in codes (0..255).
    largest: u8,
    mean: f64,
    worst: Option<Pixel<'a>>,
}

#[derive(Serialize)]
struct Pixel<'a> {
    x: u32,
    y: u32,
    class: PixelClass,
    mesh: Option<&'a str>,
    cpu: [u8; 4],
    gl: [u8; 4],
    allowed: u8,
}

/// Renders the report as JSON.
///
/// * `errors` – paths of models that could not be compared, each with the reason.
#[must_use]
pub fn write(setting: &Setting, checked: &[Checked], errors: &[(String, String)]) -> String {
    pretty(&Document {
        schema: SCHEMA,
        agrees: errors.is_empty() && checked.iter().all(|checked| checked.report.agrees()),
        cpu: &setting.first[1],
        gl: &setting.second[1],
        size: setting.size,
        samples: setting.samples,
        camera: &setting.camera,
        show: &setting.show,
        times: &setting.times,
        models: checked.iter().map(model).collect(),
        errors: Failed::all(errors),
    })
}

fn model(checked: &Checked) -> ModelJson<'_> {
    let takes = checked.takes.iter().zip(&checked.report.takes);
    ModelJson {
        model: &checked.model,
        importer: checked.asset.reader.to_string(),
        agrees: checked.report.agrees(),
        takes: takes
            .map(|(of, report)| take(of, report, &checked.asset))
            .collect(),
        pictures: &checked.images,
    }
}

fn take<'a>(take: &'a Take, report: &'a TakeReport, asset: &'a Asset) -> TakeJson<'a> {
    let (clip, pose) = match take {
        Take::Pose(name, _) => (None, Some(name.as_str())),
        Take::Clip(clip, _) => (Some(asset.clips[clip.index()].name.as_str()), None),
    };
    TakeJson {
        clip,
        pose,
        agrees: report.agrees(),
        moments: report
            .poses
            .iter()
            .map(|report| pose_json(report, asset))
            .collect(),
    }
}

fn pose_json<'a>(report: &PoseReport, asset: &'a Asset) -> PoseJson<'a> {
    PoseJson {
        time: report.time.map(crate::units::Seconds::get),
        agrees: report.agrees(),
        vertices: vertices(&report.vertices, asset),
        pixels: report.pixels.as_ref().map(|report| pixels(report, asset)),
    }
}

fn vertices<'a>(report: &VertexReport, asset: &'a Asset) -> Vertices<'a> {
    Vertices {
        agrees: report.agrees(),
        diagonal: report.diagonal,
        relative: report.relative(),
        positions: attribute(&report.positions, asset),
        normals: attribute(&report.normals, asset),
        tangents: attribute(&report.tangents, asset),
        bitangents: attribute(&report.bitangents, asset),
    }
}

fn attribute<'a>(report: &AttributeReport, asset: &'a Asset) -> Attribute<'a> {
    Attribute {
        count: report.vertices,
        unpromised: report.unpromised,
        distance: report.distance,
        ulp: report.ulp,
        used: report.used,
        wrong: Wrong {
            cpu: report.wrong.first,
            gl: report.wrong.second,
        },
        worst: report.worst.as_ref().map(|worst| vertex(worst, asset)),
    }
}

fn vertex<'a>(worst: &WorstVertex, asset: &'a Asset) -> WorstJson<'a> {
    let [mesh, node] = location::names(asset, worst.instance);
    let weights = location::joint_weights(asset, worst).into_iter();
    WorstJson {
        mesh,
        node,
        vertex: worst.vertex,
        joints: weights
            .map(|(name, weight)| JointWeight { name, weight })
            .collect(),
        cpu: worst.first.to_array(),
        gl: worst.second.to_array(),
        exact: worst.exact.to_array(),
        bound: worst.bound,
        distance: worst.distance,
        wrong: worst.culprit.map(location::culprit),
    }
}

fn pixels<'a>(report: &PixelReport, asset: &'a Asset) -> Pixels<'a> {
    Pixels {
        agrees: report.agrees(),
        empty: report.counts.empty,
        whole: report.counts.whole,
        mixed: report.counts.mixed,
        open: report.counts.open,
        wrong: report.wrong,
        open_differing: report.open_differing,
        largest: report.largest,
        mean: report.mean,
        worst: report.worst.as_ref().map(|worst| pixel(worst, asset)),
    }
}

fn pixel<'a>(worst: &WorstPixel, asset: &'a Asset) -> Pixel<'a> {
    Pixel {
        x: worst.x,
        y: worst.y,
        class: worst.class,
        mesh: worst
            .instance
            .map(|instance| location::names(asset, instance)[0]),
        cpu: worst.first,
        gl: worst.second,
        allowed: worst.allowed,
    }
}
