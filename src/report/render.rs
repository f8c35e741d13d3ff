//! The output of `render --json`.

use std::path::Path;

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
}

#[derive(Serialize)]
struct Json<'a> {
    schema: &'static str,
    skincheck: &'static str,
    model: &'a str,
    output: String,
    pose: &'a str,
    clip: Option<&'a str>,
    time: Option<f64>,
    camera: &'a str,
    size: [u32; 2],
    show: &'a str,
    legend: Option<LegendJson<'a>>,
}

#[derive(Serialize)]
struct LegendJson<'a> {
    title: &'a str,
    ramp: Vec<String>,
    ticks: Vec<TickJson<'a>>,
    swatches: Vec<SwatchJson<'a>>,
}

#[derive(Serialize)]
struct TickJson<'a> {
    at: f32,
    label: &'a str,
}

#[derive(Serialize)]
struct SwatchJson<'a> {
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
