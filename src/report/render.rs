//! The output of `render --json`.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::json::pretty;
use crate::shown::unicode;
use crate::units::Seconds;
use crate::view::Legend;

/// The name of the format; its number grows with breaking changes.
const SCHEMA: &str = "skincheck/render/1";

/// An image that was drawn.
#[derive(Debug)]
pub struct Document<'a> {
    /// The model's file name.
    pub model: &'a str,
    /// The image.
    pub output: &'a Path,
    /// A description of the pose.
    pub pose: &'a str,
    /// The sampled clip, if any.
    pub clip: Option<&'a str>,
    /// Its sample time.
    pub time: Option<Seconds>,
    /// The camera, as the argument of `--camera`.
    pub camera: &'a str,
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// The mode of `--show`.
    pub show: &'a str,
    /// The meaning of the mode's colours.
    pub legend: Option<&'a Legend>,
    /// The engine whose view is shown, with its options, if any.
    pub engine: Option<String>,
}

/// An image that was drawn.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Document")]
pub(super) struct Json<'a> {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The version of the program.
    skincheck: &'static str,
    /// The model's file name, without folders.
    model: &'a str,
    /// The path of the image.
    output: String,
    /// In words.
    pose: &'a str,
    /// Its name; `None` for a pose without one.
    clip: Option<&'a str>,
    /// The sample time in seconds; `None` without a clip.
    time: Option<f64>,
    /// As `--camera` reads it.
    camera: &'a str,
    /// Width and height in pixels.
    size: [u32; 2],
    /// The mode of `--show`.
    show: &'a str,
    /// `None` for modes that need none.
    legend: Option<LegendJson<'a>>,
    /// The engine whose view is shown, as `--as` reads it; `None` without it.
    engine: Option<&'a str>,
}

/// The meaning of the colours.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Legend")]
struct LegendJson<'a> {
    /// What is shown.
    title: &'a str,
    /// sRGB colours of a gradient, evenly spaced from its low end to its high end; empty without one.
    ramp: Vec<String>,
    ticks: Vec<TickJson<'a>>,
    swatches: Vec<SwatchJson<'a>>,
}

/// A labelled position in the gradient.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Tick")]
struct TickJson<'a> {
    /// From 0 to 1.
    at: f32,
    /// Its number and unit.
    label: &'a str,
}

/// A single colour.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Swatch")]
struct SwatchJson<'a> {
    /// In sRGB, before it is shaded.
    color: String,
    meaning: &'a str,
}

impl Document<'_> {
    /// Renders it as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        pretty(&Json {
            schema: SCHEMA,
            skincheck: env!("CARGO_PKG_VERSION"),
            model: self.model,
            output: unicode(self.output),
            pose: self.pose,
            clip: self.clip,
            time: self.time.map(Seconds::get),
            camera: self.camera,
            size: self.size,
            show: self.show,
            legend: self.legend.map(legend),
            engine: self.engine.as_deref(),
        })
    }
}

fn legend(legend: &Legend) -> LegendJson<'_> {
    let ticks = legend.ticks.iter();
    let swatches = legend.swatches.iter();
    LegendJson {
        title: &legend.title,
        ramp: legend.ramp.iter().copied().map(hex).collect(),
        ticks: ticks
            .map(|tick| TickJson {
                at: tick.at,
                label: &tick.label,
            })
            .collect(),
        swatches: swatches
            .map(|swatch| SwatchJson {
                color: hex(swatch.color),
                meaning: &swatch.meaning,
            })
            .collect(),
    }
}

fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
