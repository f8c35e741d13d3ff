//! The hierarchy: every node of the file becomes a joint, whether or not it is in the scene (glTF 2.0, §3.5).
//!
//! Skins may bind nodes that are in no scene, and clips may move them; what hangs on a node outside of the scene is not
//! shown.

use glam::{Mat4, Quat, Vec3};
use gltf::json::{Index, Node, Root};

use super::document::Document;
use super::error::GltfError;
use crate::import::notes::Notes;
use crate::rig::{Joint, JointId, LocalTransform, Trs};

/// How far from 1 the squared length of a rotation may be for it to count as a unit quaternion: a few roundings of f32.
const UNIT: f32 = 1e-5;

/// The nodes of a document as joints.
pub(super) struct Nodes {
    /// Parents first: the trees of the scene in its order, depth first, then the others.
    pub(super) joints: Vec<Joint>,
    /// The node of each joint.
    pub(super) node_of: Vec<usize>,
    /// The joint of each node.
    pub(super) joint_of: Vec<JointId>,
    /// For each joint, whether it is in the scene.
    pub(super) is_shown: Vec<bool>,
}

impl Nodes {
    /// Reads the whole hierarchy, without recursion: a file may be as deep as it likes.
    ///
    /// # Errors
    ///
    /// [`GltfError::Missing`], [`GltfError::TwoParents`] and [`GltfError::Cycle`].
    pub(super) fn read(document: &Document, notes: &mut Notes) -> Result<Self, GltfError> {
        let root = &document.root;
        let parents = parents(root)?;
        let scene = scene(document, &parents, notes)?;
        let mut nodes = Self {
            joints: Vec::with_capacity(root.nodes.len()),
            node_of: Vec::with_capacity(root.nodes.len()),
            joint_of: vec![JointId(u32::MAX); root.nodes.len()],
            is_shown: vec![false; root.nodes.len()],
        };
        let tops: Result<Vec<usize>, GltfError> =
            scene.iter().map(|&node| top(&parents, node)).collect();
        let others = (0..root.nodes.len()).filter(|&node| parents[node].is_none());
        let mut is_added = vec![false; root.nodes.len()];
        for tree in tops?.into_iter().chain(others) {
            nodes.add_tree(root, tree, &mut is_added, notes);
        }
        if let Some(node) = is_added.iter().position(|added| !added) {
            return Err(GltfError::Cycle { node });
        }
        nodes.show(&scene);
        Ok(nodes)
    }

    fn add_tree(&mut self, root: &Root, tree: usize, is_added: &mut [bool], notes: &mut Notes) {
        let mut pending = vec![(tree, None)];
        while let Some((index, parent)) = pending.pop() {
            if std::mem::replace(&mut is_added[index], true) {
                continue;
            }
            let node = &root.nodes[index];
            let id = JointId::from_index(self.joints.len());
            self.joint_of[index] = id;
            self.node_of.push(index);
            self.joints.push(Joint {
                name: node.name.clone().unwrap_or_default(),
                parent,
                rest: rest(node, index, notes),
            });
            let children = node.children.iter().flatten().rev();
            pending.extend(children.map(|child| (child.value(), Some(id))));
        }
    }

    /// Marks what is in the scene: the nodes that it names and all below.
    fn show(&mut self, scene: &[usize]) {
        for &node in scene {
            self.is_shown[self.joint_of[node].index()] = true;
        }
        for joint in 0..self.joints.len() {
            if let Some(parent) = self.joints[joint].parent {
                self.is_shown[joint] |= self.is_shown[parent.index()];
            }
        }
    }
}

/// The parent of each node; children are all there.
fn parents(root: &Root) -> Result<Vec<Option<usize>>, GltfError> {
    let count = root.nodes.len();
    let mut parents = vec![None; count];
    for (parent, node) in root.nodes.iter().enumerate() {
        for child in node.children.iter().flatten() {
            let child = child.value();
            let known = parents.get_mut(child).ok_or_else(|| GltfError::Missing {
                place: format!("nodes[{parent}].children"),
                kind: "node",
                index: child,
                count,
            })?;
            if let Some(first) = known.replace(parent) {
                return Err(GltfError::TwoParents {
                    child,
                    first,
                    second: parent,
                });
            }
        }
    }
    Ok(parents)
}

/// The nodes that the scene names: the default one, else the first, else all nodes without a parent.
fn scene(
    document: &Document,
    parents: &[Option<usize>],
    notes: &mut Notes,
) -> Result<Vec<usize>, GltfError> {
    let root = &document.root;
    let (index, scene) = match root.scene {
        Some(index) => (index.value(), document.part(index, || "scene".to_owned())?),
        None => match root.scenes.first() {
            Some(first) => (0, first),
            None => {
                return Ok((0..parents.len())
                    .filter(|&node| parents[node].is_none())
                    .collect());
            }
        },
    };
    for node in &scene.nodes {
        document.part(*node, || format!("scenes[{index}]"))?;
        if let Some(parent) = parents[node.value()] {
            let child = node.value();
            let message =
                format!("names nodes[{child}], which stays below its parent, nodes[{parent}]");
            notes.add(format!("scenes[{index}]"), message);
        }
    }
    Ok(scene.nodes.iter().map(Index::value).collect())
}

/// The node without a parent above `node`.
fn top(parents: &[Option<usize>], node: usize) -> Result<usize, GltfError> {
    let mut top = node;
    // In a circle there is always a further one.
    for _ in 0..parents.len() {
        match parents[top] {
            Some(parent) => top = parent,
            None => return Ok(top),
        }
    }
    Err(GltfError::Cycle { node: top })
}

/// The parts as they are, or the matrix as it is (§3.5.2, §3.5.3).
fn rest(node: &Node, index: usize, notes: &mut Notes) -> LocalTransform {
    let has_parts = node.translation.is_some() || node.rotation.is_some() || node.scale.is_some();
    if let Some(matrix) = &node.matrix {
        if has_parts {
            let message = "has both a matrix and parts of one; the matrix counts";
            notes.add(format!("nodes[{index}]"), message);
        }
        return LocalTransform::Matrix(Mat4::from_cols_array(matrix));
    }
    LocalTransform::Trs(Trs {
        translation: node.translation.map_or(Vec3::ZERO, Vec3::from),
        rotation: node
            .rotation
            .map_or(Quat::IDENTITY, |rotation| unit(rotation.0, index, notes)),
        scale: node.scale.map_or(Vec3::ONE, Vec3::from),
    })
}

/// A rotation that is none has no meaning in the standard; one of another length than 1 is meant as its direction.
fn unit(rotation: [f32; 4], index: usize, notes: &mut Notes) -> Quat {
    let rotation = Quat::from_array(rotation);
    let length_squared = rotation.length_squared();
    if (length_squared - 1.0).abs() <= UNIT || !rotation.is_finite() {
        return rotation;
    }
    let (unit, message) = if length_squared.is_normal() {
        let message = "its rotation is no unit quaternion; it is taken as one";
        (rotation / length_squared.sqrt(), message)
    } else {
        (
            Quat::IDENTITY,
            "its rotation has no direction; it is taken as none",
        )
    };
    notes.add(format!("nodes[{index}]"), message);
    unit
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(mut document: Value) -> Result<(Nodes, usize), GltfError> {
        document["asset"] = json!({"version": "2.0"});
        let document = Document::read(document.to_string().as_bytes()).unwrap();
        let mut notes = Notes::default();
        let nodes = Nodes::read(&document, &mut notes)?;
        Ok((nodes, notes.into_inner().len()))
    }

    /// The nodes in the order of their joints, and of these the ones that are shown.
    fn order(document: Value) -> (Vec<usize>, Vec<usize>) {
        let (nodes, _) = read(document).unwrap();
        let shown = nodes.node_of.iter().zip(&nodes.is_shown);
        let shown = shown
            .filter(|(_, shown)| **shown)
            .map(|(node, _)| *node)
            .collect();
        (nodes.node_of, shown)
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
        assert_eq!(nodes.joints[1].parent, Some(JointId(0)));
        assert_eq!(notes, 1);
    }

    #[test]
    fn a_tangled_hierarchy_is_refused_with_the_nodes() {
        let refusal = |nodes: Value| {
            read(json!({"nodes": nodes}))
                .map(drop)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            refusal(json!([{}, {"children": [2]}, {"children": [1]}])),
            "nodes[1] is a descendant of itself"
        );
        assert_eq!(
            refusal(json!([{"children": [0]}])),
            "nodes[0] is a descendant of itself"
        );
        let circle = json!({"scenes": [{"nodes": [2]}], "nodes": [{"children": [1]}, {"children": [0, 2]}, {}]});
        let error = read(circle).map(drop).unwrap_err().to_string();
        assert!(error.ends_with("is a descendant of itself"), "{error}");
        let error = refusal(json!([{"children": [2]}, {"children": [2]}, {}]));
        assert_eq!(
            error,
            "nodes[2] is a child of nodes[0] and of nodes[1], and a node has one parent at the most"
        );
        assert_eq!(
            refusal(json!([{"children": [3]}])),
            "nodes[0].children: node 3 is missing, there are 1"
        );
    }

    #[test]
    fn a_scene_that_names_what_is_not_there_is_refused() {
        let refusal = |document| read(document).map(drop).unwrap_err().to_string();
        let document = json!({"scenes": [{"nodes": [5]}], "nodes": [{}]});
        assert_eq!(
            refusal(document),
            "scenes[0]: node 5 is missing, there are 1"
        );
        assert_eq!(
            refusal(json!({"scene": 2, "scenes": [{}]})),
            "scene: scene 2 is missing, there are 1"
        );
    }

    #[test]
    fn a_hierarchy_of_any_depth_is_read() {
        let count = 200_000;
        let chain = (1..count).map(|child| json!({"children": [child]}));
        let nodes: Vec<Value> = chain.chain([json!({})]).collect();
        let (nodes, _) = read(json!({"nodes": nodes})).unwrap();
        assert_eq!(nodes.joints.len(), count);
    }

    #[test]
    fn a_matrix_is_kept_and_a_rotation_of_another_length_made_a_unit() {
        let sheared = [
            1.0, 0.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 2.0, 3.0, 1.0,
        ];
        let nodes =
            json!([{"matrix": sheared}, {"rotation": [0, 0, 3, 4]}, {"rotation": [0, 0, 0, 0]}]);
        let (nodes, notes) = read(json!({"nodes": nodes})).unwrap();
        let rest = |joint: usize| nodes.joints[joint].rest;
        assert_eq!(
            rest(0),
            LocalTransform::Matrix(Mat4::from_cols_array(&sheared))
        );
        assert_eq!(
            rest(1).to_trs().rotation,
            Quat::from_xyzw(0.0, 0.0, 0.6, 0.8)
        );
        assert_eq!(rest(2), LocalTransform::Trs(Trs::IDENTITY));
        assert_eq!(notes, 2);
    }
}
