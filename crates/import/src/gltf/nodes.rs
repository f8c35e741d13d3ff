//! The hierarchy: every node of the file becomes a joint, whether or not it is in the scene (glTF 2.0, §3.5).
//!
//! Skins may bind nodes that are in no scene, and clips may move them. Meshes of nodes outside the scene are not shown.

use glam::{Mat4, Quat, Vec3};

use super::accessors::{Accessors, Elements};
use super::document;
use super::error::GltfError;
use super::json::{Copies, INSTANCING, Root};
use super::lenient::Whole;
use crate::log::Log;
use crate::rig::{DefectKind, LocalTransform, Location, NodeId, Trs};
use crate::source;

/// How many numbers a copy counts as: a joint with its name.
const NUMBERS_PER_COPY: u64 = 64;

/// The nodes of a document as joints.
pub(super) struct Nodes {
    /// Parents first: the trees of the scene in its order, depth first, then the others.
    pub(super) list: Vec<source::Node>,
    /// The node of each joint.
    pub(super) node_of: Vec<usize>,
    /// The joint of each node.
    pub(super) joint_of: Vec<NodeId>,
    /// For each joint, whether it is in the scene and not hidden, at least in a clip.
    pub(super) is_shown: Vec<bool>,
    is_in_scene: Vec<bool>,
    /// For each joint, whether only its copies show its mesh.
    pub(super) is_copied: Vec<bool>,
}

impl Nodes {
    /// Reads the hierarchy, without recursion because a file may be nested to any depth.
    ///
    /// # Errors
    ///
    /// [`GltfError::Missing`].
    pub(super) fn read(root: &Root<'_>, log: &mut Log) -> Result<Self, GltfError> {
        let mut parents = parents(root, log)?;
        let scene = scene(root)?;
        let named: Vec<usize> = scene
            .map_or(&[][..], |(_, nodes)| nodes)
            .iter()
            .map(|node| node.index())
            .collect();
        cut_cycles(root, &mut parents, &named, log);
        if let Some((index, _)) = scene {
            note_children(index, &named, &parents, log);
        }
        let mut nodes = Self {
            list: Vec::with_capacity(root.nodes.len()),
            node_of: Vec::with_capacity(root.nodes.len()),
            joint_of: vec![NodeId(u32::MAX); root.nodes.len()],
            is_shown: Vec::new(),
            is_in_scene: vec![false; root.nodes.len()],
            is_copied: vec![false; root.nodes.len()],
        };
        let others: Vec<usize> = (0..root.nodes.len())
            .filter(|&node| parents[node].is_none())
            .collect();
        let mut is_added = vec![false; root.nodes.len()];
        for tree in roots(&parents, &named).iter().chain(&others) {
            nodes.add_tree(root, *tree, &parents, &mut is_added, log);
        }
        nodes.show(root, if scene.is_some() { &named } else { &others });
        Ok(nodes)
    }

    /// Adds a joint below each node with copies of its mesh, for each copy.
    ///
    /// # Errors
    ///
    /// [`GltfError`] for places that cannot be read or do not fit together.
    pub(super) fn add_copies(
        &mut self,
        root: &Root<'_>,
        accessors: &Accessors<'_>,
        log: &mut Log,
    ) -> Result<(), GltfError> {
        for joint in 0..self.list.len() {
            let index = self.node_of[joint];
            let node = &root.nodes[index];
            let extensions = node.extensions.as_ref();
            let Some(instancing) = extensions.and_then(|own| own.instancing.as_ref()) else {
                continue;
            };
            let location = || format!("nodes[{index}].extensions.{INSTANCING}");
            if node.mesh.is_none() || node.skin.is_some() {
                let why = "its copies are ignored, since it shows no mesh, or a skinned one";
                log.notes.add(location(), why);
                continue;
            }
            let places = places(&instancing.attributes, accessors, location)?;
            self.is_copied[joint] = true;
            for (number, place) in places.into_iter().enumerate() {
                self.node_of.push(index);
                self.is_copied.push(false);
                self.is_shown.push(self.is_shown[joint]);
                self.is_in_scene.push(self.is_in_scene[joint]);
                self.list.push(source::Node {
                    name: format!("{} (copy {})", self.list[joint].name, number + 1),
                    parent: Some(joint),
                    rest: LocalTransform::Trs(place),
                    number: None,
                });
            }
        }
        Ok(())
    }

    /// The joint of a node.
    ///
    /// # Errors
    ///
    /// Such as `node 7, but there are 5`.
    pub(super) fn joint(&self, node: Whole) -> Result<NodeId, String> {
        let joint = self.joint_of.get(node.index()).copied();
        joint.ok_or_else(|| format!("node {}, but there are {}", node.0, self.joint_of.len()))
    }

    fn add_tree(
        &mut self,
        root: &Root<'_>,
        tree: usize,
        parents: &[Option<usize>],
        is_added: &mut [bool],
        log: &mut Log,
    ) {
        let mut pending = vec![(tree, None)];
        while let Some((index, parent)) = pending.pop() {
            if std::mem::replace(&mut is_added[index], true) {
                continue;
            }
            let node = &root.nodes[index];
            let position = self.list.len();
            self.joint_of[index] = NodeId::from_index(position);
            self.node_of.push(index);
            self.list.push(source::Node {
                name: (*node.name).to_owned(),
                parent,
                rest: rest(root, index, log),
                number: Some(index),
            });
            let children = node.children.iter().map(|child| child.index());
            let own = children.filter(|&child| parents[child] == Some(index));
            pending.extend(own.rev().map(|child| (child, Some(position))));
        }
    }

    /// Marks the nodes of the scene and their descendants as shown, down to hidden ones.
    fn show(&mut self, root: &Root<'_>, scene: &[usize]) {
        for &node in scene {
            self.is_in_scene[self.joint_of[node].index()] = true;
        }
        for joint in 0..self.list.len() {
            if let Some(parent) = self.list[joint].parent {
                self.is_in_scene[joint] |= self.is_in_scene[parent];
            }
        }
        self.show_driven(root, &vec![false; self.list.len()]);
    }

    /// Shows hidden nodes that a clip can show.
    ///
    /// * `driven` – for each joint, whether a clip drives its visibility.
    pub(super) fn show_driven(&mut self, root: &Root<'_>, driven: &[bool]) {
        let mut is_hidden = vec![false; self.list.len()];
        for joint in 0..self.list.len() {
            let node = self.node_of[joint];
            let own = self.joint_of[node].index();
            let parent = self.list[joint].parent;
            is_hidden[joint] = root.nodes[node].is_hidden() && !driven[own]
                || parent.is_some_and(|parent| is_hidden[parent]);
        }
        let both = self.is_in_scene.iter().zip(is_hidden);
        self.is_shown = both.map(|(scene, hidden)| *scene && !hidden).collect();
    }

    /// The `driven` joints that are hidden at rest.
    pub(super) fn hidden_at_rest(&self, root: &Root<'_>, driven: &[bool]) -> Vec<usize> {
        let is_hidden = |joint: &usize| root.nodes[self.node_of[*joint]].is_hidden();
        let joints = (0..self.list.len()).filter(|joint| driven[*joint]);
        joints.filter(is_hidden).collect()
    }
}

/// The index of a scene, and its nodes.
type Named<'a> = (usize, &'a [Whole]);

/// The default scene, else the first; `None` if there is no scene, and all nodes are shown.
///
/// # Errors
///
/// [`GltfError::Missing`].
fn scene<'a>(root: &'a Root<'_>) -> Result<Option<Named<'a>>, GltfError> {
    let (index, scene) = match (root.scene, root.scenes.first()) {
        (Some(index), _) => {
            let scene = document::part(&root.scenes, index, || "scene".to_owned())?;
            (index.index(), scene)
        }
        (None, Some(first)) => (0, first),
        (None, None) => return Ok(None),
    };
    for &node in scene.nodes.iter() {
        document::part(&root.nodes, node, || format!("scenes[{index}]"))?;
    }
    Ok(Some((index, &scene.nodes)))
}

fn note_children(scene: usize, named: &[usize], parents: &[Option<usize>], log: &mut Log) {
    for &child in named {
        if let Some(parent) = parents[child] {
            let message =
                format!("names nodes[{child}], which stays below its parent, nodes[{parent}]");
            log.notes.add(format!("scenes[{scene}]"), message);
        }
    }
}

fn places(
    copies: &Copies,
    accessors: &Accessors<'_>,
    location: impl Fn() -> String,
) -> Result<Vec<Trs>, GltfError> {
    let list = [copies.translation, copies.rotation, copies.scale];
    let count = |index| Ok(accessors.get(index, &location)?.count);
    let stated = list.into_iter().flatten().map(count);
    let counts: Vec<Whole> = stated.collect::<Result<_, GltfError>>()?;
    let count = counts.first().copied().unwrap_or_default();
    if let Some(other) = counts.iter().find(|other| **other != count) {
        return Err(GltfError::Malformed {
            location: location(),
            reason: format!("its attributes have {} and {} elements", count.0, other.0),
        });
    }
    accessors.charge_at(count.0.saturating_mul(NUMBERS_PER_COPY), &location)?;
    let mut places = vec![Trs::IDENTITY; count.index()];
    if let Some(index) = copies.translation {
        let values = accessors.floats(index, Elements::All, &location)?;
        let pairs = places.iter_mut().zip(values);
        pairs.for_each(|(place, value)| place.translation = Vec3::from_array(value));
    }
    if let Some(index) = copies.rotation {
        let values = accessors.floats(index, Elements::All, &location)?;
        let pairs = places.iter_mut().zip(values);
        pairs.for_each(|(place, value)| place.rotation = Quat::from_array(value));
    }
    if let Some(index) = copies.scale {
        let values = accessors.floats(index, Elements::All, &location)?;
        let pairs = places.iter_mut().zip(values);
        pairs.for_each(|(place, value)| place.scale = Vec3::from_array(value));
    }
    Ok(places)
}

/// Translation, rotation and scale, or the matrix, unchanged (§3.5.2, §3.5.3).
fn rest(root: &Root<'_>, index: usize, log: &mut Log) -> LocalTransform {
    let node = &root.nodes[index];
    let has_parts = node.translation.is_some() || node.rotation.is_some() || node.scale.is_some();
    if let Some(matrix) = &node.matrix {
        if has_parts {
            let message = "has both a matrix and parts of one; the matrix is used";
            log.notes.add(format!("nodes[{index}]"), message);
        }
        return LocalTransform::Matrix(Mat4::from_cols_array(matrix));
    }
    LocalTransform::Trs(Trs {
        translation: node.translation.map_or(Vec3::ZERO, Vec3::from),
        rotation: node.rotation.map_or(Quat::IDENTITY, Quat::from_array),
        scale: node.scale.map_or(Vec3::ONE, Vec3::from),
    })
}

/// The location of a node.
fn node_location(root: &Root<'_>, node: usize) -> Location {
    let name = root.nodes.get(node).map_or("", |node| &*node.name);
    Location::joint(name).path(format!("nodes[{node}]"))
}

/// The first parent of each node; further ones are reported and ignored.
///
/// # Errors
///
/// [`GltfError::Missing`] for a child that is not there.
pub(super) fn parents(root: &Root<'_>, log: &mut Log) -> Result<Vec<Option<usize>>, GltfError> {
    let mut parents = vec![None; root.nodes.len()];
    for (parent, node) in root.nodes.iter().enumerate() {
        for &child in node.children.iter() {
            let location = || format!("nodes[{parent}].children");
            document::part(&root.nodes, child, location)?;
            let child = child.index();
            match parents[child] {
                None => parents[child] = Some(parent),
                Some(first) => report_second(root, child, [first, parent], log),
            }
        }
    }
    Ok(parents)
}

fn report_second(root: &Root<'_>, child: usize, [first, second]: [usize; 2], log: &mut Log) {
    let message = if first == second {
        format!("listed twice as a child of nodes[{first}]")
    } else {
        format!("a child of nodes[{first}] and of nodes[{second}]; the first is used")
    };
    report(root, child, message, log);
}

/// Cuts cycles: the first node of a cycle that is visited loses its parent.
///
/// * `scene` – the nodes of the scene, which are visited first.
fn cut_cycles(root: &Root<'_>, parents: &mut [Option<usize>], scene: &[usize], log: &mut Log) {
    /// Not visited yet.
    const NEW: usize = usize::MAX;
    let mut met_from = vec![NEW; parents.len()];
    let starts = scene.iter().copied().chain(0..parents.len());
    for (walk, start) in starts.enumerate() {
        let mut next = Some(start);
        while let Some(node) = next.filter(|&node| met_from[node] == NEW) {
            met_from[node] = walk;
            next = parents[node];
        }
        // Visited twice on one walk up, so it closes a cycle. A node of an earlier walk leads to a root or a cut already.
        if let Some(node) = next.filter(|&node| met_from[node] == walk) {
            parents[node] = None;
            let message = "a descendant of itself; its parent is ignored";
            report(root, node, message.to_owned(), log);
        }
    }
}

fn report(root: &Root<'_>, node: usize, message: String, log: &mut Log) {
    log.notes.add(format!("nodes[{node}]"), &*message);
    let kind = DefectKind::HierarchyCycle;
    log.defects.add(kind, node_location(root, node), message);
}

/// The roots above the nodes of `scene`, in its order.
pub(super) fn roots(parents: &[Option<usize>], scene: &[usize]) -> Vec<usize> {
    let mut is_met = vec![false; parents.len()];
    let mut roots = Vec::new();
    for &start in scene {
        let mut next = Some(start);
        while let Some(node) = next.filter(|&node| !std::mem::replace(&mut is_met[node], true)) {
            next = parents[node];
            if next.is_none() {
                roots.push(node);
            }
        }
    }
    roots
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(document: Value) -> Result<(Nodes, usize), GltfError> {
        let (nodes, log) = logged(document)?;
        Ok((nodes, log.notes.into_inner().len()))
    }

    fn logged(mut value: Value) -> Result<(Nodes, Log), GltfError> {
        value["asset"] = json!({"version": "2.0"});
        let text = value.to_string();
        let root = document::read(text.as_bytes()).unwrap();
        let mut log = Log::default();
        let nodes = Nodes::read(&root, &mut log)?;
        Ok((nodes, log))
    }

    /// The parent of each node of the document, and the defects.
    fn links(document: Value) -> (Vec<Option<usize>>, Vec<String>) {
        let (nodes, log) = logged(document).unwrap();
        let parent = |joint: &NodeId| nodes.list[joint.index()].parent;
        let parents = nodes
            .joint_of
            .iter()
            .map(parent)
            .map(|parent| Some(nodes.node_of[parent?]));
        let evidence = log.defects.into_evidence([]);
        let defects = evidence.defects.iter().map(ToString::to_string);
        (parents.collect(), defects.collect())
    }

    /// The nodes in the order of their joints, and the shown ones.
    fn order(document: Value) -> (Vec<usize>, Vec<usize>) {
        let (nodes, _) = read(document).unwrap();
        let shown = nodes
            .node_of
            .iter()
            .zip(&nodes.is_shown)
            .filter_map(|(node, is_shown)| is_shown.then_some(*node));
        (nodes.node_of.clone(), shown.collect())
    }

    #[test]
    fn joints_outside_of_the_scene_are_joints_that_are_not_shown() {
        let nodes = json!([{}, {"children": [2]}, {}]);
        let document = json!({"scenes": [{"nodes": [0]}], "nodes": nodes});
        assert_eq!(order(document), (vec![0, 1, 2], vec![0]));
    }

    #[test]
    fn the_default_scene_is_the_one_that_is_shown_and_comes_first() {
        let scenes = json!([{"nodes": [0]}, {"nodes": [2, 0]}]);
        let document = json!({"scene": 1, "scenes": scenes, "nodes": [{"children": [1]}, {}, {}]});
        assert_eq!(order(document), (vec![2, 0, 1], vec![2, 0, 1]));
        let document = json!({"scenes": scenes, "nodes": [{"children": [1]}, {}, {}]});
        assert_eq!(order(document), (vec![0, 1, 2], vec![0, 1]));
    }

    #[test]
    fn a_document_without_a_scene_shows_all_its_nodes() {
        let document = json!({"nodes": [{"children": [1]}, {}, {}]});
        assert_eq!(order(document), (vec![0, 1, 2], vec![0, 1, 2]));
    }

    #[test]
    fn a_scene_that_names_a_child_leaves_it_under_its_parent_with_a_note() {
        let nodes = json!([{"children": [1], "translation": [1, 0, 0]}, {"children": [2]}, {}]);
        let (nodes, notes) = read(json!({"scenes": [{"nodes": [1]}], "nodes": nodes})).unwrap();
        assert_eq!(nodes.is_shown, [false, true, true]);
        assert_eq!(nodes.list[1].parent, Some(0));
        assert_eq!(notes, 1);
    }

    #[test]
    fn a_node_in_a_circle_loses_its_parent() {
        let circle = json!([{}, {"children": [2]}, {"children": [1]}]);
        let (parents, defects) = links(json!({"nodes": circle}));
        assert_eq!(parents, [None, None, Some(1)]);
        let expected = "joint (unnamed), nodes[1]: a descendant of itself; its parent is ignored";
        assert_eq!(defects, [expected]);
        let (parents, defects) = links(json!({"nodes": [{"name": "a", "children": [0]}]}));
        assert_eq!(parents, [None]);
        let expected = "joint \"a\", nodes[0]: a descendant of itself; its parent is ignored";
        assert_eq!(defects, [expected]);
    }

    #[test]
    fn a_cycle_is_cut_above_the_node_that_the_scene_names_or_depends_on() {
        let nodes = json!([{"children": [1]}, {"children": [0, 2]}, {}]);
        let scene = |node: usize| json!({"scenes": [{"nodes": [node, node]}], "nodes": nodes});
        for (named, expected) in [
            (0, [None, Some(0), Some(1)]),
            (1, [Some(1), None, Some(1)]),
            (2, [Some(1), None, Some(1)]),
        ] {
            let (parents, defects) = links(scene(named));
            assert_eq!(parents, expected);
            assert_eq!(defects.len(), 1, "{defects:?}");
        }
    }

    #[test]
    fn of_two_parents_the_first_counts() {
        let nodes = json!([{"children": [2]}, {"children": [2]}, {"name": "arm"}]);
        let (parents, defects) = links(json!({"nodes": nodes}));
        assert_eq!(parents, [None, None, Some(0)]);
        let expected =
            "joint \"arm\", nodes[2]: a child of nodes[0] and of nodes[1]; the first is used";
        assert_eq!(defects, [expected]);
        let (parents, defects) = links(json!({"nodes": [{"children": [1, 1]}, {}]}));
        assert_eq!((parents, defects.len()), (vec![None, Some(0)], 1));
    }

    #[test]
    fn any_links_make_a_hierarchy_with_every_node_in_it_once() {
        // Every way in which each of three nodes lists any of them.
        for links in 0..512_u32 {
            let children =
                |node: u32| (0..3).filter(move |child| links >> (3 * node + child) & 1 == 1);
            let node = |node| json!({"children": children(node).collect::<Vec<u32>>()});
            let nodes: Vec<Value> = (0..3).map(node).collect();
            let (nodes, _) = read(json!({"nodes": nodes, "scenes": [{"nodes": [2]}]})).unwrap();
            let mut all = nodes.node_of.clone();
            all.sort_unstable();
            assert_eq!(all, [0, 1, 2], "{links:o}");
            let mut joints = nodes.list.iter().enumerate();
            let is_ordered = joints.all(|(joint, node)| node.parent.is_none_or(|p| p < joint));
            assert!(is_ordered, "{links:o}");
        }
    }

    #[test]
    fn children_and_scenes_that_are_not_there_are_refused() {
        let refusal = |document| read(document).map(drop).unwrap_err().to_string();
        for (document, expected) in [
            (
                json!({"scenes": [{"nodes": [5]}], "nodes": [{}]}),
                "scenes[0]: node 5 is missing; there are 1",
            ),
            (
                json!({"scene": 2, "scenes": [{}]}),
                "scene: scene 2 is missing; there are 1",
            ),
            (
                json!({"nodes": [{"children": [3]}]}),
                "nodes[0].children: node 3 is missing; there are 1",
            ),
        ] {
            assert_eq!(refusal(document), expected);
        }
    }

    #[test]
    fn a_hierarchy_of_any_depth_is_read() {
        let count = 200_000;
        let chain = (1..count).map(|child| json!({"children": [child]}));
        let nodes: Vec<Value> = chain.chain([json!({})]).collect();
        let (nodes, _) = read(json!({"nodes": nodes})).unwrap();
        assert_eq!(nodes.list.len(), count);
    }
}
