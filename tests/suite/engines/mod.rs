//! Engines with one classic mistake each: the planted faults of the conformance cases.
//!
//! Faults in posing and skinning are engines; those in reading are changes of the file.

mod files;
mod parts;
mod posing;

use glam::{DMat3, DVec3};
use serde_json::{Map, Value};
use skincheck::laws::faults::{POSE_FAULTS, ROTATION_FAULTS, SKINNING_FAULTS, VECTOR_FAULTS};
use skincheck::laws::{Cpu, Own, Poser};
use skincheck::rig::Asset;

pub(crate) use parts::Parts;

/// A fault.
pub(crate) struct Fault {
    pub(crate) name: &'static str,
    /// In words.
    pub(crate) mistake: &'static str,
    pub(crate) plant: Plant,
}

/// What is wrong.
pub(crate) enum Plant {
    /// The file as the engine reads it.
    File(fn(&mut Map<String, Value>)),
    Engine(Box<dyn Poser>),
    /// How a matrix transforms a normal.
    Normals(fn(&DMat3, DVec3) -> DVec3),
}

/// An engine without a fault.
pub(crate) const RIGHT: Parts = Parts {
    rotations: &Own,
    vectors: &Own,
    skinner: &Cpu,
};

/// All faults.
pub(crate) fn all() -> Vec<Fault> {
    let rotations = ROTATION_FAULTS.iter().map(|fault| {
        let rotations = fault.subject;
        engine(fault.name, fault.mistake, Parts { rotations, ..RIGHT })
    });
    let vectors = VECTOR_FAULTS.iter().map(|fault| {
        let vectors = fault.subject;
        engine(fault.name, fault.mistake, Parts { vectors, ..RIGHT })
    });
    let skinners = SKINNING_FAULTS.iter().map(|fault| {
        let skinner = fault.subject;
        engine(fault.name, fault.mistake, Parts { skinner, ..RIGHT })
    });
    let posers = POSE_FAULTS.iter().map(|fault| {
        let poser = |rig: &Asset, time: f64| {
            let poses = fault.subject.pose(rig, &[time]).unwrap_or_default();
            poses.into_iter().next().unwrap_or_default()
        };
        engine(fault.name, fault.mistake, poser)
    });
    let sampling = rotations.chain(vectors);
    sampling
        .chain(skinners)
        .chain(posers)
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

fn of_normals() -> impl Iterator<Item = Fault> {
    let faults: [(_, _, fn(&DMat3, DVec3) -> DVec3); 3] = [
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
