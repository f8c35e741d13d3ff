//! Engines with one classic mistake each: the one list of planted faults, for the laws and for the conformance cases.

mod files;
mod parts;
mod posing;
mod program;
mod sampling;
mod skinning;

use glam::{DMat3, DMat4, DVec3};
use serde_json::{Map, Value};
use skincheck::laws::{Cpu, Own, Poser, Skinner, WeightNormalizer};

pub(crate) use parts::Parts;
pub(crate) use program::command;

/// A fault.
pub(crate) struct Fault {
    pub(crate) name: &'static str,
    /// In words.
    pub(crate) mistake: &'static str,
    pub(crate) plant: Plant,
}

/// What is wrong.
pub(crate) enum Plant {
    Engine(Box<dyn Poser>),
    /// Only in an engine that tells how it normalizes weights.
    Weights(&'static dyn WeightNormalizer),
    /// Only in an engine that declares dual quaternions.
    DualQuaternions(&'static dyn Skinner),
    /// The file as the engine reads it.
    File(fn(&mut Map<String, Value>)),
    /// How a matrix transforms a normal.
    Normals(fn(&DMat3, DVec3) -> DVec3),
}

/// An engine without a fault.
pub(crate) const RIGHT: Parts = Parts {
    rotations: &Own,
    vectors: &Own,
    skinner: &Cpu,
    local: DMat4::from_scale_rotation_translation,
};

/// All faults.
pub(crate) fn all() -> Vec<Fault> {
    sampling::all()
        .chain(skinning::all())
        .chain(posing::all())
        .chain(files::all())
        .chain(of_normals())
        .collect()
}

fn engine(name: &'static str, mistake: &'static str, engine: impl Poser + 'static) -> Fault {
    Fault {
        name,
        mistake,
        plant: Plant::Engine(Box::new(engine)),
    }
}

/// A normal, by the matrix of its joint.
type Transform = fn(&DMat3, DVec3) -> DVec3;

fn of_normals() -> impl Iterator<Item = Fault> {
    let faults: [(_, _, Transform); 3] = [
        (
            "normals-by-the-plain-matrix",
            "normals are transformed by the matrix of positions instead of its inverse transpose",
            |matrix, normal| (*matrix * normal).normalize(),
        ),
        (
            "normals-not-normalized",
            "transformed normals are not normalized",
            |matrix, normal| matrix.inverse().transpose() * normal,
        ),
        (
            "normals-by-cofactors",
            "normals are transformed by the cofactors of the matrix, so that a mirrored mesh is inside out",
            |matrix, normal| {
                let cofactors = matrix.inverse().transpose() * matrix.determinant();
                (cofactors * normal).normalize()
            },
        ),
    ];
    faults.into_iter().map(|(name, mistake, normal)| Fault {
        name,
        mistake,
        plant: Plant::Normals(normal),
    })
}
