//! Reads a corpus: its table, and the truth files of its models.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;

/// A line of `CORPUS.tsv` that has a truth.
pub(super) struct Model {
    pub(super) name: String,
    pub(super) path: String,
    /// `A`: the programs behind the truth share no importer; `B`: they do.
    pub(super) tier: String,
    /// The tolerance, where the truth states a larger one.
    pub(super) tolerance: Option<f64>,
}

#[derive(Deserialize)]
pub(super) struct Truth {
    pub(super) clip: Option<String>,
    pub(super) samples: Vec<Sample>,
    tolerance: Option<f64>,
}

#[derive(Deserialize)]
pub(super) struct Sample {
    pub(super) time: f64,
    /// Of the pose's bounding box; 0 or absent without a mesh.
    pub(super) diagonal: Option<f64>,
    /// World matrices, column-major.
    #[serde(default)]
    pub(super) nodes: BTreeMap<String, Vec<f64>>,
    #[serde(default)]
    pub(super) node_positions: BTreeMap<String, [f64; 3]>,
    /// The extent of the points along each of [`directions`].
    #[serde(default)]
    pub(super) support26: Vec<f64>,
    points: Option<String>,
    /// From the file named by `points`.
    #[serde(skip)]
    pub(super) positions: Vec<[f64; 3]>,
}

pub(super) fn models(corpus: &Path) -> Vec<Model> {
    let table = corpus.join("CORPUS.tsv");
    let text =
        fs::read_to_string(&table).unwrap_or_else(|error| panic!("{}: {error}", table.display()));
    let mut lines = text
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let head = lines.next().expect("the table has a head");
    let column = |name| {
        head.iter()
            .position(|title| *title == name)
            .expect("the head names all columns")
    };
    let (name, path, tier) = (column("name"), column("path"), column("truth_tier"));
    let with_truth = lines.filter(|cells| cells.get(tier).is_some_and(|tier| !tier.is_empty()));
    let model = |cells: Vec<&str>| {
        let mut model = Model {
            name: cells[name].to_owned(),
            path: cells[path].to_owned(),
            tier: cells[tier].to_owned(),
            tolerance: None,
        };
        model.tolerance = document(corpus, &model).tolerance;
        model
    };
    with_truth.map(model).collect()
}

pub(super) fn read(corpus: &Path, model: &Model) -> Truth {
    let mut truth = document(corpus, model);
    for sample in &mut truth.samples {
        if let Some(points) = &sample.points {
            sample.positions = positions(&corpus.join(&model.name).join(points));
        }
    }
    truth
}

fn document(corpus: &Path, model: &Model) -> Truth {
    let path = corpus.join(&model.name).join("truth.json");
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Little-endian f32 triples.
fn positions(path: &Path) -> Vec<[f64; 3]> {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let number =
        |bytes: &[u8]| f64::from(f32::from_le_bytes(bytes.try_into().expect("four bytes")));
    let triple = |bytes: &[u8]| {
        [
            number(&bytes[..4]),
            number(&bytes[4..8]),
            number(&bytes[8..]),
        ]
    };
    bytes.chunks_exact(12).map(triple).collect()
}

/// The 26 of -1, 0 and 1 without 0, normalized, in the order of nested loops over x, y and z.
pub(super) fn directions() -> impl Iterator<Item = [f64; 3]> {
    let steps = || [-1.0, 0.0, 1.0_f64].into_iter();
    let all = steps().flat_map(move |x| steps().flat_map(move |y| steps().map(move |z| [x, y, z])));
    all.filter_map(|direction| {
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        (length > 0.0).then(|| direction.map(|x| x / length))
    })
}
