//! What the colours of a page show, and their legends.

use glam::Vec4;
use serde_json::{Value, json};

use super::block::Block;
use super::takes::Numbers;
use crate::look::srgb;
use crate::rig::{Asset, InstanceId, NodeId, SkinningOptions};
use crate::shown::printable;
use crate::view::{Legend, Show};

/// The most colours of a legend; a page has room for no more.
const MOST_SWATCHES: usize = 16;

/// The modes of the page, in the order of its menu.
pub(super) fn write(
    asset: &Asset,
    options: SkinningOptions,
    numbers: &[Numbers],
    block: &mut Block,
) -> Vec<Value> {
    let mode = |show: &Show, kind: &str| {
        json!({
            "name": show.name(),
            "kind": kind,
            "legend": show.legend(asset).as_ref().map(legend),
            "missing": show.missing_data(asset),
        })
    };
    let weights = Show::weights([NodeId(0)]);
    let mut modes = vec![
        mode(&Show::LIT, "lit"),
        mode(&Show::TEXTURE, "texture"),
        mode(&weights, "weights"),
    ];
    for show in [Show::INFLUENCES, Show::JOINTS] {
        let mut painted = mode(&show, "painted");
        let colors = colors(asset, &show, options);
        painted["colors"] = json!(block.bytes(&colors));
        modes.push(painted);
    }
    modes.push(mode(&Show::NORMALS, "normals"));
    modes.push(mode(&Show::UV, "uv"));
    for (index, numbers) in numbers.iter().enumerate() {
        let mut measured = mode(&numbers.show, "measured");
        measured["numbers"] = json!(index);
        modes.push(measured);
    }
    // The argument of the example is not what the page shows.
    modes[2]["missing"] = Value::Null;
    modes
}

/// sRGB of every vertex of all instances.
fn colors(asset: &Asset, show: &Show, options: SkinningOptions) -> Vec<u8> {
    let tables = srgb::tables();
    let mut bytes = Vec::new();
    for (index, instance) in asset.instances.iter().enumerate() {
        let id = InstanceId::from_index(index);
        let vertices = show.vertices(asset, id, options.max_influences);
        for vertex in 0..asset.mesh_of(instance).positions.len() {
            let color = vertices.color(vertex, Vec4::ONE).truncate().to_array();
            bytes.extend(color.map(|light| tables.encode(light)));
        }
    }
    bytes
}

fn legend(legend: &Legend) -> Value {
    let ramp = legend.ramp.iter().map(|color| hex(*color));
    let ticks = legend.ticks.iter();
    let ticks = ticks.map(|tick| json!({ "at": tick.at, "label": tick.label }));
    let swatches = legend.swatches.iter().take(MOST_SWATCHES);
    let swatches = swatches
        .map(|swatch| json!({ "color": hex(swatch.color), "meaning": printable(&swatch.meaning) }));
    json!({
        "title": printable(&legend.title),
        "ramp": ramp.collect::<Vec<_>>(),
        "ticks": ticks.collect::<Vec<_>>(),
        "swatches": swatches.collect::<Vec<_>>(),
        "more": legend.swatches.len().saturating_sub(MOST_SWATCHES),
    })
}

/// As CSS writes colours.
pub(super) fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
