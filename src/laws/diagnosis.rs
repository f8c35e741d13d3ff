//! The cause of broken laws: the planted fault that breaks the same ones, in the same cases and by as much.

use std::cmp::Reverse;

use glam::{Quat, Vec3};
use schemars::JsonSchema;
use serde::Serialize;

use super::faults::{
    DUAL_QUATERNION_FAULTS, Fault, POSE_FAULTS, ROTATION_FAULTS, SKINNING_FAULTS, VECTOR_FAULTS,
    WEIGHT_FAULTS,
};
use super::model::{LawReport, failing};
use super::subjects::Parts;
use super::{
    Cpu, Interpolator, ModelLaws, Options, Own, Poser, Skinner, Subjects, WeightNormalizer,
};
use crate::rig::Asset;

/// The most cases that each fault is tried on.
const MOST_CASES: u32 = 100;

/// Errors of the same cause differ by rounding: in f32, by less than this fraction.
const SAME: f64 = 0.01;

/// A planted fault that explains broken laws.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Diagnosis {
    /// Its name.
    pub fault: &'static str,
    /// A description of it.
    pub mistake: &'static str,
    /// The broken laws that it explains, each as subject and law.
    pub laws: Vec<String>,
    /// The number of laws that it breaks.
    pub breaks: usize,
}

/// A fault, and the part of an engine that has it.
struct Cause {
    name: &'static str,
    mistake: &'static str,
    faulty: Faulty,
    /// The engine with this part, if it is one of those.
    parts: Parts,
}

/// The part of an engine that has a fault.
#[derive(Clone, Copy)]
enum Faulty {
    Rotations(&'static dyn Interpolator<Quat>),
    Vectors(&'static dyn Interpolator<Vec3>),
    Weights(&'static dyn WeightNormalizer),
    Skinner(&'static dyn Skinner),
    Poser(&'static dyn Poser),
}

impl Cause {
    fn of<S: ?Sized>(fault: &'static Fault<S>, faulty: fn(&'static S) -> Faulty) -> Self {
        let faulty = faulty(fault.subject);
        let mut parts = Parts {
            rotations: &Own,
            vectors: &Own,
            skinner: &Cpu,
        };
        match faulty {
            Faulty::Rotations(own) => parts.rotations = own,
            Faulty::Vectors(own) => parts.vectors = own,
            Faulty::Skinner(own) => parts.skinner = own,
            Faulty::Weights(_) | Faulty::Poser(_) => {}
        }
        Self {
            name: fault.name,
            mistake: fault.mistake,
            faulty,
            parts,
        }
    }

    fn all() -> Vec<Self> {
        let rotations = ROTATION_FAULTS.iter();
        let vectors = VECTOR_FAULTS.iter();
        let weights = WEIGHT_FAULTS.iter();
        let skinners = SKINNING_FAULTS.iter().chain(DUAL_QUATERNION_FAULTS);
        let posers = POSE_FAULTS.iter();
        rotations
            .map(|fault| Self::of(fault, |own| Faulty::Rotations(own)))
            .chain(vectors.map(|fault| Self::of(fault, |own| Faulty::Vectors(own))))
            .chain(weights.map(|fault| Self::of(fault, |own| Faulty::Weights(own))))
            .chain(skinners.map(|fault| Self::of(fault, |own| Faulty::Skinner(own))))
            .chain(posers.map(|fault| Self::of(fault, |own| Faulty::Poser(own))))
            .collect()
    }

    /// The parts that have the fault, where `tested` has such a part.
    fn subjects<'a>(&'a self, tested: &Subjects<'a>) -> Subjects<'a> {
        let mut faulty = Subjects {
            poser: tested.poser.and(Some(&self.parts)),
            ..Subjects::default()
        };
        match self.faulty {
            Faulty::Rotations(own) => faulty.rotations = tested.rotations.and(Some(own)),
            Faulty::Vectors(own) => faulty.vectors = tested.vectors.and(Some(own)),
            Faulty::Weights(own) => {
                faulty.weights = tested.weights.and(Some(own));
                faulty.poser = None;
            }
            Faulty::Skinner(own) => {
                let skinners = tested.skinners.iter();
                faulty.skinners = skinners.map(|(name, _)| (*name, own)).collect();
            }
            Faulty::Poser(own) => faulty.poser = tested.poser.and(Some(own)),
        }
        faulty
    }
}

/// The planted faults that explain the broken laws of `found`, the best explanation first; each law is explained once.
///
/// A fault breaks a law in the same way if it does so first in the same case and by the same error.
#[must_use]
pub fn diagnose(
    asset: &Asset,
    found: &ModelLaws,
    subjects: &Subjects<'_>,
    options: &Options,
) -> Vec<Diagnosis> {
    let broken: Vec<&LawReport> = found
        .laws
        .iter()
        .filter(|law| law.failure.is_some())
        .collect();
    if broken.is_empty() {
        return Vec::new();
    }
    let last = broken
        .iter()
        .filter_map(|law| law.failure.as_ref())
        .map(|failure| failure.case + 1)
        .max()
        .unwrap_or(0);
    let options = Options {
        cases: last.min(MOST_CASES),
        ..options.clone()
    };
    let causes = Cause::all();
    let breaks: Vec<(&Cause, Vec<LawReport>)> = causes
        .iter()
        .map(|cause| {
            let laws = failing(asset, &cause.subjects(subjects), &options);
            (cause, laws)
        })
        .collect();
    let (causes, laws): (Vec<&Cause>, Vec<Vec<LawReport>>) = breaks.into_iter().unzip();
    let explained = explain(&broken, &laws, is_same_law, is_alike).into_iter();
    explained
        .map(|(index, hits)| Diagnosis {
            fault: causes[index].name,
            mistake: causes[index].mistake,
            laws: hits
                .iter()
                .map(|law| format!("{} {}", law.subject, law.law))
                .collect(),
            breaks: laws[index].len(),
        })
        .collect()
}

/// The causes that explain what is broken, the best explanation first, each with the parts that it breaks.
///
/// A cause explains a part if nearly all that it breaks is broken, at least half of it in the same way; each part is
/// explained once.
///
/// * `causes` – what each of them breaks.
fn explain<'a, B>(
    broken: &[&'a B],
    causes: &[Vec<B>],
    is_same: fn(&B, &B) -> bool,
    is_alike: fn(&B, &B) -> bool,
) -> Vec<(usize, Vec<&'a B>)> {
    let breaks = |cause: &[B], part: &B| cause.iter().any(|own| is_same(part, own));
    let mut left = broken.to_vec();
    let mut all = Vec::new();
    while !left.is_empty() {
        let candidates = causes.iter().enumerate().filter_map(|(index, cause)| {
            let count = |is: fn(&B, &B) -> bool| {
                let own = cause.iter();
                own.filter(|own| broken.iter().any(|other| is(own, other)))
                    .count()
            };
            let (hits, alike) = (count(is_same), count(is_alike));
            let explained = left.iter().filter(|part| breaks(cause, part)).count();
            let is_likely = explained > 0 && 5 * hits >= 4 * cause.len() && 2 * alike >= hits;
            // Of equal ones, the one that explains no more than there is.
            is_likely.then_some(((alike, explained, Reverse(cause.len())), index))
        });
        let best = candidates.reduce(|best, next| if next.0 > best.0 { next } else { best });
        let Some((_, index)) = best else {
            break;
        };
        let hits = broken.iter().filter(|part| breaks(&causes[index], part));
        all.push((index, hits.copied().collect()));
        left.retain(|part| !breaks(&causes[index], part));
    }
    all
}

fn is_same_law(a: &LawReport, b: &LawReport) -> bool {
    a.law == b.law && a.subject == b.subject
}

/// Whether the first broken case is the same, and broken by the same error.
fn is_alike(a: &LawReport, b: &LawReport) -> bool {
    let (Some(one), Some(other)) = (&a.failure, &b.failure) else {
        return false;
    };
    is_same_law(a, b) && one.case == other.case && is_near(one.broken.off, other.broken.off)
}

/// Whether two errors may have one cause.
fn is_near(x: f64, y: f64) -> bool {
    (x - y).abs() <= SAME * x.abs().max(y.abs()) || (x.is_nan() && y.is_nan())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{OPTIONS, leg};
    use super::super::{Tolerance, check_model};
    use super::*;
    use crate::rig::{AssetBuilder, Mesh, SkinningMethod, Trs};

    /// An engine that is right but for one fault, as another program would be.
    fn engine(cause: &Cause) -> Subjects<'_> {
        let mut engine = Subjects {
            rotations: Some(&Own),
            vectors: Some(&Own),
            poser: Some(&cause.parts),
            skinners: vec![("skinning", &Cpu)],
            ..Subjects::default()
        };
        match cause.faulty {
            Faulty::Rotations(own) => engine.rotations = Some(own),
            Faulty::Vectors(own) => engine.vectors = Some(own),
            Faulty::Weights(own) => engine.weights = Some(own),
            Faulty::Skinner(own) => engine.skinners = vec![("skinning", own)],
            Faulty::Poser(own) => engine.poser = Some(own),
        }
        engine
    }

    /// With a vertex of six influences, one of tiny weights, and one without weights.
    fn crowd() -> Asset {
        let mut rig = AssetBuilder::new();
        let joints = [0_u8, 1, 2, 3, 4, 5].map(|number| {
            let at = Trs {
                translation: Vec3::new(f32::from(number), 1.0, 0.5),
                ..Trs::IDENTITY
            };
            rig.node(&format!("joint {number}"), None, at)
        });
        let mesh = rig.mesh(Mesh {
            positions: vec![Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE],
            triangles: vec![[0, 1, 2], [1, 2, 3]],
            ..Mesh::default()
        });
        let six = joints.into_iter().zip([0.1, 0.3, 0.05, 0.15, 0.25, 0.15]);
        let dust = vec![(joints[0], 5e-4), (joints[1], 1e-4)];
        let unnormalized = vec![(joints[0], 0.3), (joints[2], 0.5)];
        rig.skin(mesh, [six.collect(), dust, unnormalized, Vec::new()]);
        let clip = rig.clip("clip");
        rig.translate(clip, joints[0], [(0.0, Vec3::ZERO), (1.0, Vec3::ONE)]);
        rig.build().expect("the rig is whole")
    }

    #[test]
    fn each_planted_fault_is_recognized() {
        let dual = |cause: &Cause| {
            DUAL_QUATERNION_FAULTS
                .iter()
                .any(|fault| fault.name == cause.name)
        };
        let mut wrong = Vec::new();
        for cause in Cause::all() {
            let options = Options {
                generated: true,
                method: if dual(&cause) {
                    SkinningMethod::DualQuaternion
                } else {
                    SkinningMethod::Linear
                },
                tolerance: Tolerance::F32_TIME,
                ..OPTIONS
            };
            let model = crowd();
            let subjects = engine(&cause);
            let laws = check_model(&model, &subjects, &options);
            let found = diagnose(&model, &laws, &subjects, &options);
            let names: Vec<&str> = found.iter().map(|diagnosis| diagnosis.fault).collect();
            if names != [cause.name] {
                wrong.push(format!("{}: {found:?}", cause.name));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn two_faults_are_two_causes() {
        let causes = Cause::all();
        let named = |name: &str| {
            let cause = causes.iter().find(|cause| cause.name == name);
            cause.expect("it is planted")
        };
        let subjects = Subjects {
            skinners: engine(named("no-inverse-bind")).skinners,
            vectors: engine(named("smoothstep")).vectors,
            ..Subjects::default()
        };
        let laws = check_model(&leg(), &subjects, &OPTIONS);
        let mut found = diagnose(&leg(), &laws, &subjects, &OPTIONS);
        found.sort_by_key(|diagnosis| diagnosis.fault);
        let [bind, step] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!([bind.fault, step.fault], ["no-inverse-bind", "smoothstep"]);
        assert_eq!(bind.laws.len(), bind.breaks);
    }
}
