//! The engines as programs for `laws --exec`: this test binary, started again with the name of a fault.

use std::io::{BufRead, stdin, stdout};

use serde_json::{Value, json};
use skincheck::import::{self, Isolation, Options};
use skincheck::laws::{Posed, Poser};
use skincheck::rig::Clip;
use skincheck::units::Seconds;

use super::{Fault, Plant};
use crate::folder::Folder;

/// The name of the fault, or `none`.
const FAULT: &str = "SKINCHECK_TEST_FAULT";

/// The shell command of an engine with a fault.
///
/// * `fault` – its name; `none` for an engine that is right.
pub(crate) fn command(fault: &str) -> String {
    let program = std::env::current_exe().expect("the test binary has a path");
    let test = "engines::program::an_engine_answers_requests";
    format!(
        "{FAULT}={fault} '{}' --exact {test} --nocapture",
        program.display()
    )
}

/// Does nothing unless it is started by [`command`].
#[test]
#[expect(clippy::print_stdout, reason = "it answers on standard output")]
fn an_engine_answers_requests() {
    let Some(name) = std::env::var_os(FAULT) else {
        return;
    };
    let fault = super::all().into_iter().find(|fault| name == fault.name);
    // Ends the line that the test runner began.
    println!();
    for line in stdin().lock().lines() {
        let line = line.expect("requests are text");
        let request: Value = serde_json::from_str(&line).expect("a request is JSON");
        println!("{}", answer(&request, fault.as_ref()));
        std::io::Write::flush(&mut stdout()).expect("somebody reads");
    }
}

fn answer(request: &Value, fault: Option<&Fault>) -> Value {
    let folder = Folder::new();
    folder.write("rig.gltf", request["gltf"].to_string());
    let options = Options {
        isolation: Isolation::InProcess,
        ..Options::default()
    };
    let mut rig = import::load(&folder.path("rig.gltf"), &options).expect("it is valid");
    if request["clip"].is_null() {
        rig.clips = vec![Clip::new("rest", Seconds::ZERO)];
    }
    let times = request["times"].as_array().expect("times").iter();
    let times: Vec<f64> = times.filter_map(Value::as_f64).collect();
    let poses = match fault.map(|fault| &fault.plant) {
        Some(Plant::Engine(engine)) => engine.pose(&rig, &times),
        _ => super::RIGHT.pose(&rig, &times),
    };
    // Importers order nodes by parents, and answers are in the order of the document.
    let origins = rig.origins.nodes.iter();
    let in_document: Vec<usize> = origins
        .map(|origin| origin.trim_start_matches("/nodes/").parse())
        .collect::<Result<_, _>>()
        .expect("an origin ends with an index");
    let mut nodes: Vec<usize> = (0..in_document.len()).collect();
    nodes.sort_by_key(|node| in_document[*node]);
    let mut meshes: Vec<usize> = (0..rig.instances.len()).collect();
    meshes.sort_by_key(|mesh| in_document[rig.instances[*mesh].node.index()]);
    let poses = poses.expect("it has a clip");
    let poses: Vec<Value> = poses
        .iter()
        .map(|posed| pose(posed, &nodes, &meshes))
        .collect();
    json!({ "id": request["id"], "poses": poses })
}

/// * `nodes`, `meshes` – their indices in the pose, in the order of the document.
fn pose(posed: &Posed, nodes: &[usize], meshes: &[usize]) -> Value {
    let nodes = nodes.iter().filter_map(|node| posed.nodes.get(*node));
    let nodes = nodes.map(|node| node.to_cols_array().to_vec());
    let meshes = meshes.iter().filter_map(|mesh| posed.meshes.get(*mesh));
    let meshes = meshes.map(|mesh| {
        let positions = mesh.iter().map(|position| position.to_array().to_vec());
        positions.collect::<Vec<_>>()
    });
    json!({ "nodes": nodes.collect::<Vec<_>>(), "meshes": meshes.collect::<Vec<_>>() })
}
