//! The output of `render --json`.

use serde::Serialize;

use super::json::pretty;
use crate::view::Legend;
use crate::viewer::hex;

/// The name of the format; its number grows with breaking changes.
pub(crate) const SCHEMA: &str = "skincheck/render/1";

/// An image that was drawn.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Document<'a> {
    #[cfg_attr(feature = "testing", schemars(extend("const" = SCHEMA)))]
    pub(crate) schema: &'static str,
    /// The version of the program.
    pub(crate) skincheck: &'static str,
    /// The model's file name, without folders.
    pub(crate) model: String,
    /// The path of the image.
    pub(crate) output: String,
    /// In words.
    pub(crate) pose: String,
    /// Its name; `None` for a pose without one.
    pub(crate) clip: Option<&'a str>,
    /// The sample time in seconds; `None` without a clip.
    pub(crate) time: Option<f64>,
    /// As `--camera` reads it.
    pub(crate) camera: String,
    /// Width and height in pixels.
    pub(crate) size: [u32; 2],
    /// The mode of `--show`.
    pub(crate) show: &'a str,
    /// `None` for modes that need none.
    pub(crate) legend: Option<LegendJson<'a>>,
    /// The engine that skins the model, as `--engine` reads it; `None` without it.
    pub(crate) engine: Option<String>,
}

/// The meaning of the colours.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "Legend"))]
pub(crate) struct LegendJson<'a> {
    /// What is shown.
    title: &'a str,
    /// sRGB colours of a gradient, evenly spaced from its low end to its high end; empty without one.
    ramp: Vec<String>,
    ticks: Vec<TickJson<'a>>,
    swatches: Vec<SwatchJson<'a>>,
}

/// A labelled position in the gradient.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "Tick"))]
struct TickJson<'a> {
    /// From 0 to 1.
    at: f32,
    /// Its number and unit.
    label: &'a str,
}

/// A single colour.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "testing", schemars(rename = "Swatch"))]
struct SwatchJson<'a> {
    /// In sRGB, before it is shaded.
    color: String,
    meaning: &'a str,
}

impl Document<'_> {
    /// Renders it as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

impl<'a> LegendJson<'a> {
    pub(crate) fn of(legend: &'a Legend) -> Self {
        let ticks = legend.ticks.iter().map(|tick| TickJson {
            at: tick.at,
            label: &tick.label,
        });
        let swatches = legend.swatches.iter().map(|swatch| SwatchJson {
            color: hex(swatch.color),
            meaning: &swatch.meaning,
        });
        Self {
            title: &legend.title,
            ramp: legend.ramp.iter().copied().map(hex).collect(),
            ticks: ticks.collect(),
            swatches: swatches.collect(),
        }
    }
}
