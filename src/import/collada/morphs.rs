//! Animated weights of morph controllers.

use roxmltree::Node;

use super::curve::Curve;
use super::document::{Document, children, is};
use super::error::Unclear;
use super::tracks::track;
use crate::import::bake::{self, Budget, Segment, TOLERANCE};
use crate::rig::Track;

/// The weights of a controller over time.
pub(super) struct Weights {
    rest: Vec<f64>,
    curves: Vec<(usize, Curve)>,
    times: Vec<f64>,
}

impl Weights {
    /// The weights of `source` (see [`weights`]), one for each of `targets`.
    ///
    /// * `curves` – the driven weights, by their indices.
    pub(super) fn read<'a>(
        document: &Document<'a>,
        (source, targets): (Node<'a, 'a>, usize),
        curves: &[(usize, Curve)],
    ) -> Result<Self, Unclear> {
        let mut rest = document.table(source)?.values.clone();
        rest.resize(targets, 0.0);
        let mut curves = curves.to_vec();
        curves.retain(|(index, _)| *index < rest.len());
        let mut times: Vec<f64> = curves.iter().flat_map(|(_, curve)| curve.times()).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        document.spend((rest.len() + curves.len()).saturating_mul(times.len()))?;
        Ok(Self {
            rest,
            curves,
            times,
        })
    }

    /// All weights together; `None` if none is driven.
    pub(super) fn track(&self, budget: &mut Budget) -> Option<Track<Vec<f32>>> {
        if self.times.is_empty() {
            return None;
        }
        let curve = bake::Curve {
            at: &|time| self.at(time),
            times: &self.times,
            may_jump: true,
            segment: &|start, _| self.segment(start),
            tolerance: TOLERANCE,
        };
        Some(track(&curve, budget))
    }

    fn at(&self, time: f64) -> Vec<f64> {
        let mut weights = self.rest.clone();
        for (index, curve) in &self.curves {
            weights[*index] = curve.segment(time).at(time);
        }
        weights
    }

    fn segment(&self, start: f64) -> Segment {
        let mut curves = self.curves.iter();
        if curves.any(|(_, curve)| curve.segment(start).moves()) {
            Segment::Curved
        } else {
            Segment::Constant
        }
    }
}

/// The source of weights with that id, or whose array has that id, if a morph controller uses it.
pub(super) fn weights<'a>(document: &Document<'a>, id: &str) -> Option<Node<'a, 'a>> {
    let mut element = document.by_id(id)?;
    if is(element, "float_array") {
        element = element.parent_element()?;
    }
    let url = format!("#{}", element.attribute("id")?);
    let morph = element
        .parent_element()
        .filter(|morph| is(*morph, "morph"))?;
    let mut inputs = children(morph, "targets").flat_map(|targets| children(targets, "input"));
    let is_weights = |input: Node<'_, '_>| {
        let is = |name, value: &str| input.attribute(name) == Some(value);
        is("semantic", "MORPH_WEIGHT") && is("source", &url)
    };
    let is_used = inputs.any(is_weights);
    is_used.then_some(element)
}
