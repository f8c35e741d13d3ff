//! What the laws find in engines with planted faults, and the table by which the program names a fault.

mod whole;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use glam::Vec3;
use skincheck::laws::{
    Capabilities, Options, POSE_LAWS, ROTATION_LAWS, SKINNING_LAWS, Skinner, Subjects, VECTOR_LAWS,
    WEIGHT_LAWS, check_model, diagnose, signature,
};
use skincheck::rig::{Asset, AssetBuilder, Mesh, Skeleton, SkinningMethod, Trs};

use crate::engines::{self, Fault, Plant, RIGHT};
use whole::Whole;

/// Set to write the table instead of comparing it.
const UPDATE: &str = "SKINCHECK_UPDATE_FIXTURES";

/// Faults that no generated case shows: all vertices have weights, and none repeats a joint.
const NEVER_SHOWN: [&str; 2] = ["weightless-dropped", "repeated-joint-overwrites"];

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/laws/src/faults.tsv")
}

/// An engine with a fault, as the laws see it.
struct Planted {
    name: &'static str,
    mistake: &'static str,
    engine: Engine,
}

enum Engine {
    Whole(Whole),
    /// It declares dual quaternions.
    Dual(&'static dyn Skinner),
}

impl Planted {
    /// All faults that the laws may show in an engine.
    fn all() -> impl Iterator<Item = Self> {
        engines::all().into_iter().filter_map(|fault| {
            let Fault {
                name,
                mistake,
                plant,
            } = fault;
            let engine = match plant {
                Plant::Engine(engine) => Engine::Whole(Whole(engine)),
                Plant::DualQuaternions(skinner) => Engine::Dual(skinner),
                Plant::Weights(_) | Plant::File(_) | Plant::Normals(_) => return None,
            };
            Some(Self {
                name,
                mistake,
                engine,
            })
        })
    }

    fn subjects(&self) -> Subjects<'_> {
        match &self.engine {
            Engine::Whole(whole) => whole.subjects(),
            Engine::Dual(skinner) => Subjects {
                skinners: vec![("skinning", *skinner)],
                ..Subjects::default()
            },
        }
    }

    fn options(&self) -> Options {
        let mut options = Options::for_engine(&Capabilities::default());
        if matches!(self.engine, Engine::Dual(_)) {
            options.method = SkinningMethod::DualQuaternion;
        }
        options
    }
}

#[test]
fn the_committed_fixtures_of_faults_are_what_the_laws_find() {
    let mut table =
        "# Written by tests/suite/laws: how each planted fault breaks the laws in generated cases.\n"
            .to_owned();
    let (mut hidden, mut caught) = (Vec::new(), Vec::new());
    for planted in Planted::all() {
        let found = signature(&planted.subjects(), &planted.options());
        let parts = found
            .iter()
            .map(|own| format!("{} {} {:.3e}", own.law, own.case, own.off));
        let parts: Vec<String> = parts.collect();
        if parts.is_empty() {
            hidden.push(planted.name);
        } else {
            let (name, mistake) = (planted.name, planted.mistake);
            writeln!(table, "{name}\t{mistake}\t{}", parts.join(", "))
                .expect("a string takes all text");
        }
        caught.extend(found.into_iter().map(|own| own.law));
    }
    if std::env::var_os(UPDATE).is_some() {
        fs::write(path(), &table).expect("the source is writable");
    }
    let committed = fs::read_to_string(path()).unwrap_or_default();
    assert!(
        committed == table,
        "it is not what the laws find; {UPDATE}=1 writes it:\n{table}"
    );
    assert_eq!(hidden, NEVER_SHOWN);
    let idle: Vec<String> = laws()
        .into_iter()
        .filter(|law| !caught.contains(law))
        .collect();
    // Without a vertex that is dropped, this one holds.
    assert_eq!(idle, ["skinning vertex-count"]);
}

/// All laws of engines, each as subject and law.
fn laws() -> Vec<String> {
    fn named<'a>(
        subject: &'a str,
        names: impl Iterator<Item = &'static str> + 'a,
    ) -> impl Iterator<Item = String> + 'a {
        names.map(move |name| format!("{subject} {name}"))
    }
    named("rotation", ROTATION_LAWS.iter().map(|law| law.name))
        .chain(named("vector", VECTOR_LAWS.iter().map(|law| law.name)))
        .chain(named("rig", POSE_LAWS.iter().map(|law| law.name)))
        .chain(named("skinning", SKINNING_LAWS.iter().map(|law| law.name)))
        .collect()
}

/// Each fault is named for an engine that has it, alone or with at most two that break the same laws.
#[test]
fn each_planted_fault_is_recognized() {
    let mut unknown = Vec::new();
    for planted in Planted::all().filter(|planted| !NEVER_SHOWN.contains(&planted.name)) {
        let (subjects, mut options) = (planted.subjects(), planted.options());
        options.cases = 40;
        let nothing = Asset::of(Skeleton::default());
        let laws = check_model(&nothing, &subjects, &options);
        let causes = diagnose(&laws, &subjects, &options);
        if causes.iter().all(|cause| cause.fault != planted.name) {
            unknown.push(format!("{}: {causes:?}", planted.name));
        }
    }
    assert_eq!(unknown, [""; 0]);
}

#[test]
fn every_fault_of_weights_is_caught_and_every_law_catches_one() {
    let mut caught = Vec::new();
    for fault in engines::all() {
        let Plant::Weights(weights) = fault.plant else {
            continue;
        };
        let subjects = Subjects {
            weights: Some(weights),
            ..Subjects::default()
        };
        let options = Options::for_engine(&Capabilities::default());
        let laws = check_model(&crowd(), &subjects, &options).laws;
        let broken = laws.iter().filter(|law| law.failure.is_some());
        let broken: Vec<&str> = broken.map(|law| law.law).collect();
        assert!(!broken.is_empty(), "{}", fault.name);
        caught.extend(broken);
    }
    let idle = WEIGHT_LAWS.iter().map(|law| law.name);
    let idle: Vec<&str> = idle.filter(|law| !caught.contains(law)).collect();
    assert_eq!(idle, [""; 0]);
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
    rig.build().expect("the rig is whole")
}

#[test]
fn an_engine_without_a_fault_keeps_every_law() {
    let options = Options::for_engine(&Capabilities::default());
    let whole = Whole(Box::new(RIGHT));
    assert_eq!(signature(&whole.subjects(), &options), []);
}
