//! The text format of `inspect`, and the hierarchy of `--joints`.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{
    Axes, BoneSummary, ClipSummary, ConstraintSummary, Extent, ImageSummary, MaterialSummary,
    MeshSummary, Node, SkinSummary, Summary,
};
use crate::report::format::View;
use crate::report::words::{HeadedLines, significant};
use crate::shown::{escaped, printable};
use crate::units::{amount, seconds, unit_for};

/// Renders `summary`, one line per item, headed by its kind.
pub(super) fn write(summary: &Summary, view: View) -> String {
    let mut page = HeadedLines::new(view);
    page.line("model", printable(&summary.model));
    if let Some(size) = &summary.size {
        page.line("size", extent(size, summary.axes.metres_per_unit));
    }
    page.line("contents", contents(summary));
    if !summary.notes.is_empty() {
        page.list("notes", &summary.notes, |note| {
            printable(&format!("{}: {}", note.location, note.message))
        });
    }
    page.line("importer", &summary.importer);
    for other in &summary.other_importers {
        let how = "also supports this format; diff --importers compares the two";
        page.line("", format_args!("{other} {how}"));
    }
    let used = axes(&summary.axes);
    page.line("axes", &used);
    let stated = summary.stated_axes.as_ref().map(axes);
    if let Some(stated) = stated.filter(|stated| *stated != used) {
        page.line(
            "",
            format_args!("the file states {stated}; the importer converted them"),
        );
    }
    if let Some(converted) = summary.converted {
        page.line("", converted);
    }
    page.line("front", front(summary));
    let [own, bound, added] = node_counts(&summary.nodes);
    page.line(
        "nodes",
        format_args!("{own}, {bound} of them bound by a skin"),
    );
    if added > 0 {
        page.line("", format_args!("the importer added {added} more"));
    }
    if let Some(humanoid) = &summary.humanoid {
        let count = amount(humanoid.bones.len(), "bone");
        page.line(
            "humanoid",
            format_args!("VRM {}, {count}", humanoid.version),
        );
        for BoneSummary { bone, node } in &humanoid.bones {
            let name = printable(&summary.nodes[*node].name);
            page.line("", format_args!("{bone}  node {node} {name:?}"));
        }
    }
    if !summary.expressions.is_empty() {
        page.line(
            "",
            format_args!("expressions {}", printable(&summary.expressions.join(", "))),
        );
    }
    for ConstraintSummary {
        node,
        source,
        kind,
        weight,
    } in &summary.constraints
    {
        let [node, source] = [node, source].map(|id| printable(&summary.nodes[*id].name));
        page.line(
            "",
            format_args!("{node:?} follows {source:?}: {kind}, weight {weight}"),
        );
    }
    page.list("meshes", &summary.meshes, |mesh| mesh_line(summary, mesh));
    page.list("skins", &summary.skins, |skin| skin_line(summary, skin));
    page.list("clips", &summary.clips, clip_line);
    page.list("materials", &summary.materials, |material| {
        material_line(summary, material)
    });
    if !summary.variants.is_empty() {
        page.list("variants", &summary.variants, |name| printable(name));
    }
    page.list("images", &summary.images, image_line);
    page.text
}

/// `1.8 m high; 0.602 × 1.8 × 0.413 m along x, y and z`.
fn extent(size: &Extent, metres_per_unit: Option<f64>) -> String {
    let edges = size.edges();
    let (factor, unit) = match metres_per_unit {
        Some(metres) => {
            let largest = edges.into_iter().fold(size.height, f64::max);
            let unit = unit_for(largest * metres);
            (metres / unit.metres(), unit.name())
        }
        None => (1.0, "units"),
    };
    let length = |length: f64| significant(factor * length);
    let (height, edges) = (length(size.height), edges.map(length).join(" × "));
    format!("{height} {unit} high; {edges} {unit} along x, y and z")
}

/// What is drawn: a mesh counts as often as it is used.
fn contents(summary: &Summary) -> String {
    let sum = |of: fn(&MeshSummary) -> usize| -> usize {
        let drawn = summary.instances.iter();
        drawn
            .map(|instance| of(&summary.meshes[instance.mesh]))
            .sum()
    };
    let joints = summary.nodes.iter().filter(|node| node.joint).count();
    let counts = [
        (summary.instances.len(), "mesh"),
        (sum(|mesh| mesh.vertices), "vertex"),
        (sum(|mesh| mesh.triangles), "triangle"),
        (joints, "joint"),
        (summary.clips.len(), "clip"),
    ];
    counts.map(|(count, what)| amount(count, what)).join(", ")
}

fn axes(axes: &Axes) -> String {
    let unit = match axes.metres_per_unit {
        Some(metres) => format!("1 unit is {metres} m"),
        None => "unit not stated".to_owned(),
    };
    format!("{} up, {unit}", axes.up)
}

/// `-Z: the toes point that way, although the format's front is +Z`.
fn front(summary: &Summary) -> String {
    let (facing, stated) = (&summary.facing, &summary.axes.front);
    if facing.front == *stated {
        facing.line.clone()
    } else {
        format!("{}, although the format's front is {stated}", facing.line)
    }
}

fn mesh_line(summary: &Summary, mesh: &MeshSummary) -> String {
    let mut parts = vec![
        quoted(&mesh.name),
        amount(mesh.vertices, "vertex"),
        amount(mesh.triangles, "triangle"),
    ];
    let index = summary
        .meshes
        .iter()
        .position(|other| std::ptr::eq(other, mesh));
    let uses = summary
        .instances
        .iter()
        .filter(|instance| Some(instance.mesh) == index)
        .count();
    if uses != 1 {
        parts.push(format!("used {uses} times"));
    }
    if !mesh.normals {
        parts.push("no normals".to_owned());
    }
    if mesh.uv_sets > 0 {
        parts.push(amount(mesh.uv_sets, "uv set"));
    }
    if mesh.color_sets > 0 {
        parts.push(amount(mesh.color_sets, "colour set"));
    }
    if let Some((most, _)) = mesh.influences.last_key_value() {
        let most = amount(*most, "influence");
        parts.push(format!("at most {most} per vertex"));
        let unweighted = mesh.influences.get(&0).copied().unwrap_or_default();
        if unweighted > 0 {
            parts.push(format!("{} without any", amount(unweighted, "vertex")));
        }
    }
    if !mesh.morph_targets.is_empty() {
        parts.push(format!("morph targets {}", names(&mesh.morph_targets)));
    }
    parts.join(", ")
}

fn skin_line(summary: &Summary, skin: &SkinSummary) -> String {
    let mut seen = BTreeSet::new();
    let distinct = skin.joints.iter().filter(|joint| seen.insert(**joint));
    let joints: Vec<String> = distinct
        .map(|&joint| summary.nodes[joint].name.clone())
        .collect();
    let slots = if joints.len() == skin.joints.len() {
        String::new()
    } else {
        format!(" in {} slots", skin.joints.len())
    };
    let name = if skin.name.is_empty() {
        String::new()
    } else {
        format!("{}, ", quoted(&skin.name))
    };
    format!(
        "{name}{}{slots}: {}",
        amount(joints.len(), "joint"),
        names(&joints)
    )
}

fn clip_line(clip: &ClipSummary) -> String {
    let span = if clip.start == 0.0 {
        seconds(clip.end)
    } else {
        format!("{} to {}", seconds(clip.start), seconds(clip.end))
    };
    let kinds: Vec<&str> = clip.interpolation.keys().copied().collect();
    let mut parts = vec![quoted(&clip.name), span, amount(clip.channels, "channel")];
    let others = [
        (clip.morph_channels, "morph"),
        (clip.visibility_channels, "visibility"),
    ];
    for (number, kind) in others.into_iter().filter(|(number, _)| *number > 0) {
        parts.push(amount(number, &format!("{kind} channel")));
    }
    parts.push(amount(clip.keys, "key"));
    if !kinds.is_empty() {
        parts.push(kinds.join(" and "));
    }
    if let Some(rate) = clip.stated_rate.filter(|rate| *rate > 0.0) {
        parts.push(format!("rate {} per second", rounded(rate)));
    }
    parts.join(", ")
}

fn material_line(summary: &Summary, material: &MaterialSummary) -> String {
    let mut parts = vec![quoted(&material.name)];
    let [r, g, b, a] = material
        .base_color
        .map(|channel| rounded(f64::from(channel)));
    parts.push(format!("base colour {r} {g} {b} {a}"));
    if let Some(image) = material.base_color_image {
        parts.push(format!("texture {}", quoted(&summary.images[image].name)));
    }
    if material.alpha != "opaque" {
        parts.push(format!("alpha {}", material.alpha));
    }
    if material.two_sided {
        parts.push("two-sided".to_owned());
    }
    parts.join(", ")
}

fn image_line(image: &ImageSummary) -> String {
    match (image.size, &image.missing) {
        (Some([width, height]), _) => format!("{}, {width}x{height}", quoted(&image.name)),
        (None, Some(reason)) => format!("{}, missing: {}", quoted(&image.name), printable(reason)),
        (None, None) => quoted(&image.name),
    }
}

/// The first few, and the number of others.
fn names(all: &[String]) -> String {
    const SHOWN: usize = 6;
    let mut text = all
        .iter()
        .take(SHOWN)
        .map(|name| quoted(name))
        .collect::<Vec<_>>()
        .join(" ");
    if all.len() > SHOWN {
        let _ = write!(text, " and {} more", all.len() - SHOWN);
    }
    text
}

/// Replaces control characters in a hostile name before they reach the terminal.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", escaped(name))
}

/// Four decimals, without trailing zeros.
fn rounded(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The most levels that are indented; a file may nest deeper.
const DEEPEST: usize = 40;

const TAKES_ALL: &str = "a String takes all that is written to it";

/// How many nodes are of the file, how many of them a skin binds, and how many others the importer added.
fn node_counts(nodes: &[Node]) -> [usize; 3] {
    let own = nodes.iter().filter(|node| node.added_for.is_none());
    let bound = own.clone().filter(|node| node.joint).count();
    let own = own.count();
    [own, bound, nodes.len() - own]
}

/// One line per node of the file, below its parent: its number, which `#12` refers to, a mark if a skin binds it, and its name.
pub(super) fn tree_of(summary: &Summary) -> String {
    let nodes = &summary.nodes;
    let [own, bound, added] = node_counts(nodes);
    let own = amount(own, "node");
    let mut text = format!("{own}, {bound} of them bound by a skin (*)");
    if added > 0 {
        write!(text, "; the importer added {added} more").expect(TAKES_ALL);
    }
    text.push('\n');
    let width = 1 + nodes.len().saturating_sub(1).to_string().len();
    for (depth, index) in depth_first(nodes) {
        let node = &nodes[index];
        let number = format!("#{index}");
        let mark = if node.joint { '*' } else { ' ' };
        let indent = 2 * depth.min(DEEPEST);
        let name = quoted(&node.name);
        writeln!(text, "{number:>width$} {mark} {:indent$}{name}", "").expect(TAKES_ALL);
    }
    text
}

/// The level and index of every node of the file. Each follows its parent or an earlier sibling's subtree.
fn depth_first(nodes: &[Node]) -> Vec<(usize, usize)> {
    let mut children = vec![Vec::new(); nodes.len()];
    let mut pending = Vec::new();
    for (index, node) in nodes.iter().enumerate().rev() {
        match node.parent_in_file {
            _ if node.added_for.is_some() => {}
            Some(parent) if nodes[parent].added_for.is_none() => children[parent].push(index),
            _ => pending.push((0, index)),
        }
    }
    let mut order = Vec::with_capacity(nodes.len());
    while let Some((depth, index)) = pending.pop() {
        order.push((depth, index));
        pending.extend(children[index].iter().map(|child| (depth + 1, *child)));
    }
    order
}
