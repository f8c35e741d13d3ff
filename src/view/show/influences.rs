//! `--show influences`: how many influences a vertex has.

use super::legend::Legend;
use super::mode::{Mode, Show};
use super::vertices::{ColorSource, without_skin};
use crate::look::colors::influence_color;
use crate::rig::Asset;
use crate::units::amount;

pub(super) static MODE: Mode = Mode {
    missing: |asset, _| without_skin(asset, "every vertex is drawn as one without influence"),
    legend: |asset, _| Some(legend(asset)),
    ..Mode::new(
        "influences",
        ColorSource::VertexColors(|vertices, vertex| {
            let influences = vertices.influences(vertex);
            influence_color(influences.iter().filter(|i| i.weight != 0.0).count())
        }),
    )
};

impl Show {
    /// How many influences a vertex has.
    pub const INFLUENCES: Self = Self::plain(&MODE);
}

/// The occurring numbers of influences, with their numbers of vertices. Numbers above the last colour's count as the last.
fn legend(asset: &Asset) -> Legend {
    const MOST: usize = 8;
    let mut counts = [0_usize; MOST + 1];
    for instance in &asset.instances {
        let mesh = asset.mesh_of(instance);
        for vertex in 0..mesh.positions.len() {
            let influences = mesh.influences.of(vertex).iter();
            let used = influences.filter(|influence| influence.weight != 0.0);
            counts[used.count().min(MOST)] += 1;
        }
    }
    let occurring = (0..).zip(counts).filter(|(_, count)| *count > 0);
    occurring.fold(
        Legend::new("influences of a vertex"),
        |legend, (number, count)| {
            let more = if number == MOST { " or more" } else { "" };
            let vertices = amount(count, "vertex");
            legend.swatch(
                influence_color(number),
                format!("{number}{more}: {vertices}"),
            )
        },
    )
}
