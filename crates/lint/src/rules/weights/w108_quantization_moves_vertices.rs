//! `W108`: quantization-moves-vertices.

use crate::analysis::part::Part;
use crate::core::context::Analysis;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::engines::{self, Choice, Storage, TargetEngine};
use crate::rig::{Influence, SkinningOptions};
use crate::rules::weights::stored;
use crate::{Context, Findings, Limit, LimitRange, Rule, Sample, Settings, declare_rule};

/// About a pixel on a model that fills the screen.
const DISTANCE: Limit = Limit::new("distance", 0.001, LimitRange::FROM_ZERO)
    .about("maximum displacement of a vertex, over the model's diagonal at rest");

/// The storage of most engines.
const BITS: Limit = Limit::new("bits", 8.0, LimitRange::whole(1.0, 16.0)).about("bits per weight");

const QUANTIZED: Gauge = Gauge::new("movement by quantized weights", ReadingUnit::Diagonals);

declare_rule! {
    QuantizationMovesVertices, "W108", "quantization-moves-vertices", Warning, Proved, on_request = true,
    limits = &[DISTANCE, BITS], attribute = Some("WEIGHTS_0")
}

impl Rule for QuantizationMovesVertices {
    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, sample: &Sample<'_>, out: &mut Findings) {
        let [limit, bits] = [DISTANCE, BITS].map(|limit| cx.limit(&Self::META, &limit));
        let Some(part) = &cx.get::<Quantized>().0 else {
            return;
        };
        stored::watch(part, cx, sample, (QUANTIZED, limit), out, |moved| {
            let ([distance, limit], length) = (&moved.words, &moved.length);
            let Some((target, bits)) = of_engine(cx.settings) else {
                return format!("moves by {distance} with {bits}-bit weights, limit {limit} %");
            };
            let remedy = target
                .remedy(|choice| bits == 8 && choice == Choice::Weights)
                .map_or_else(String::new, |option| format!(" (use {option})"));
            let title = target.engine().title;
            format!(
                "moves by {distance} ({length}), limit {limit} %, with the {bits}-bit weights of {title}{remedy}"
            )
        });
    }
}

/// The engine and its bits per weight, unless the bits are configured. `None` if it stores weights otherwise.
fn of_engine(settings: &Settings) -> Option<(&TargetEngine, u32)> {
    let key = (QuantizationMovesVertices::META.code, BITS.key);
    let target = settings.engine.as_ref()?;
    match target.engine().storage?.value {
        Storage::Parts { bits, .. } if !settings.limits.contains_key(&key) => Some((target, bits)),
        _ => None,
    }
}

/// The vertices whose weights are not multiples of the storage's step.
struct Quantized(Option<Part>);

impl Analysis for Quantized {
    fn of(cx: &Context<'_>) -> Self {
        let engine = of_engine(cx.settings);
        if let Some((target, _)) = engine.filter(|(target, _)| target.rounds_weights()) {
            let stored = |influences: &[Influence], storage| {
                let exact = target.divided(influences.to_vec());
                let stored = target.stored(exact.clone(), storage);
                (stored != exact).then_some(stored)
            };
            let options = target.skinning(SkinningOptions::default());
            return Self(Part::reweighted(cx.asset, options, stored));
        }
        let configured = cx.limit(&QuantizationMovesVertices::META, &BITS);
        let bits = engine.map_or(configured, |(_, bits)| f64::from(bits));
        let parts = libm::exp2(bits) - 1.0;
        let quantized = |influences: &[Influence], _| quantized(influences, parts);
        let options = SkinningOptions::default();
        Self(Part::reweighted(cx.asset, options, quantized))
    }
}

/// The weights as multiples of the step; `None` if their sum is unusable, or if they are multiples already.
fn quantized(influences: &[Influence], parts: f64) -> Option<Vec<Influence>> {
    let sum: f64 = influences
        .iter()
        .map(|influence| f64::from(influence.weight))
        .sum();
    if !(sum.is_finite() && sum > 0.0) {
        return None;
    }
    let exact: Vec<f64> = influences
        .iter()
        .map(|influence| f64::from(influence.weight) / sum * parts)
        .collect();
    let whole = engines::parts(&exact, parts);
    let moved = exact
        .iter()
        .zip(&whole)
        .any(|(exact, whole)| (exact - whole).abs() > 1e-3);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a whole number of parts below 2^16"
    )]
    let stored =
        |(influence, whole): (&Influence, &f64)| Influence::new(influence.slot, *whole as f32);
    moved.then(|| influences.iter().zip(&whole).map(stored).collect())
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::rig::SkinSlot;
    use crate::testing::{arm, findings, findings_with, rotating};

    fn weights(of: &[f32]) -> Option<Vec<f32>> {
        let influences = of.iter().map(|&weight| Influence::new(SkinSlot(0), weight));
        let stored = quantized(&influences.collect::<Vec<_>>(), 255.0)?;
        Some(stored.iter().map(|influence| influence.weight).collect())
    }

    #[test]
    fn weights_become_whole_parts_that_sum_to_all() {
        assert_eq!(weights(&[0.5, 0.5]), Some(vec![127.0, 128.0]));
        assert_eq!(weights(&[2.0, 1.0]), None);
        assert_eq!(weights(&[0.9, 0.2, f32::NAN]), None);
        assert_eq!(weights(&[]), None);
        assert_eq!(weights(&[0.999, 0.001]), Some(vec![255.0, 0.0]));
    }

    #[test]
    fn a_far_joint_moves_what_hardly_follows_it() {
        let mut asset = rotating(arm(), Quat::from_rotation_z(-1.5));
        assert!(findings(&asset, &QuantizationMovesVertices).is_empty());
        let far = Vec3::new(-50.0, 0.0, 0.0);
        let moved = |joint: &crate::rig::Node, by: Vec3| {
            let mut trs = joint.rest.to_trs();
            trs.translation += by;
            crate::rig::Node {
                rest: crate::rig::LocalTransform::Trs(trs),
                ..joint.clone()
            }
        };
        let joints = asset.skeleton.nodes();
        let joints = vec![joints[0].clone(), moved(&joints[1], far)];
        asset.skeleton = crate::rig::Skeleton::new(joints).expect("parents come first");
        asset.skins[0].inverse_bind_matrices[1] = glam::Mat4::from_translation(-far);
        let found = findings(&asset, &QuantizationMovesVertices);
        assert_eq!(found.len(), 1);
        let mut settings = Settings::default();
        let code = QuantizationMovesVertices::META.code;
        settings.limits.insert((code, BITS.key), 16.0);
        assert!(findings_with(&asset, &QuantizationMovesVertices, &settings).is_empty());
    }

    #[test]
    fn an_engine_stores_weights_in_the_bits_that_its_sources_say() {
        let bits = |engine: &str| {
            let settings = Settings {
                engine: Some(engine.parse().unwrap()),
                ..Settings::default()
            };
            of_engine(&settings).map(|(_, bits)| bits)
        };
        let all = ["unreal", "unreal:weights=16", "godot", "unity"].map(bits);
        assert_eq!(all, [Some(8), Some(16), Some(16), None]);
    }
}
