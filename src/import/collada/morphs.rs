//! Animated weights of morph controllers.

use roxmltree::Node;

use super::bake::{Budget, Motion, bake};
use super::curve::Curve;
use super::document::{Document, children, is};
use super::error::Unclear;
use crate::rig::Track;

/// The weights of a controller over time.
pub(super) struct Weights {
    rest: Vec<f64>,
    curves: Vec<(usize, Curve)>,
    times: Vec<f64>,
}

impl Weights {
    /// Those of `source` (see [`weights`]), one for each of `targets`, with `curves` that drive some of them, by their
    /// numbers.
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
        (!self.times.is_empty()).then(|| bake(self, budget))
    }
}

impl Motion for Weights {
    type Value = Vec<f64>;

    fn times(&self) -> &[f64] {
        &self.times
    }

    fn at(&self, span: usize, time: f64) -> Vec<f64> {
        let mut weights = self.rest.clone();
        if let Some(start) = self.times.get(span) {
            for (index, curve) in &self.curves {
                weights[*index] = curve.segment(*start).at(time);
            }
        }
        weights
    }

    fn holds(&self, span: usize) -> bool {
        let Some(start) = self.times.get(span) else {
            return false;
        };
        let mut curves = self.curves.iter().map(|(_, curve)| curve.segment(*start));
        let held = curves.clone().any(|segment| segment.steps());
        held && !curves.any(|segment| segment.moves())
    }

    fn turn(&self, _span: usize, _start: f64, _end: f64) -> f64 {
        0.0
    }
}

/// The source of weights with that id, or whose array has it, if a morph controller has its weights from there.
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
