//! The scene that assimp imports: the document's default one, with the joints of its skins.
//!
//! glTF 2.0 (§3.7.3.2) wants joints to be in the scene of the skinned mesh, and files break that.

use serde_json::{Value, json};

use super::document::Document;

/// Adds to the scene the trees of joints that are not in it; makes one of all roots where there is none.
pub(super) fn complete(json: &mut Value, document: &Document) {
    let hierarchy = Hierarchy::of(document);
    let Some(scene) = document.scenes.get(document.scene) else {
        json["scenes"] = json!([{"nodes": hierarchy.roots()}]);
        json["scene"] = 0.into();
        return;
    };
    let mut roots = scene.nodes.clone();
    for &joint in document.skins.iter().flat_map(|skin| &skin.joints) {
        let Some(root) = hierarchy.root_of.get(joint).copied() else {
            continue;
        };
        // A scene may name a node that is no root; then what is above is left out.
        let is_there = hierarchy.is_below(joint, &roots);
        if !is_there {
            roots.push(root);
        }
    }
    json["scenes"][document.scene]["nodes"] = roots.into();
}

struct Hierarchy {
    parent: Vec<Option<usize>>,
    /// For each node the node without a parent above it; for one in a circle some node of it.
    root_of: Vec<usize>,
}

impl Hierarchy {
    fn of(document: &Document) -> Self {
        let count = document.nodes.len();
        let mut parent = vec![None; count];
        for (index, node) in document.nodes.iter().enumerate() {
            for &child in &node.children {
                if let Some(slot) = parent.get_mut(child) {
                    *slot = Some(index);
                }
            }
        }
        let mut hierarchy = Self {
            parent,
            root_of: Vec::new(),
        };
        hierarchy.root_of = (0..count)
            .map(|node| hierarchy.upwards(node).last().unwrap_or(node))
            .collect();
        hierarchy
    }

    /// `node` and what is above it, as far as there are nodes: a circle ends after as many steps.
    fn upwards(&self, node: usize) -> impl Iterator<Item = usize> {
        let up = |&node: &usize| self.parent.get(node).copied().flatten();
        std::iter::successors(Some(node), up).take(self.parent.len())
    }

    fn roots(&self) -> Vec<usize> {
        let nodes = self.parent.iter().enumerate();
        nodes
            .filter(|(_, parent)| parent.is_none())
            .map(|(node, _)| node)
            .collect()
    }

    fn is_below(&self, node: usize, roots: &[usize]) -> bool {
        self.upwards(node).any(|above| roots.contains(&above))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots(document: Value) -> Value {
        let mut json = document.clone();
        let document: Document = serde_json::from_value(document).expect("a good document");
        complete(&mut json, &document);
        json["scenes"][0]["nodes"].clone()
    }

    #[test]
    fn joints_outside_of_the_scene_come_with_their_root() {
        let document = json!({
            "scenes": [{"nodes": [0]}],
            "nodes": [{}, {"children": [2]}, {}],
            "skins": [{"joints": [2]}],
        });
        assert_eq!(roots(document), json!([0, 1]));
    }

    #[test]
    fn joints_below_a_node_of_the_scene_are_not_added() {
        let document = json!({
            "scenes": [{"nodes": [1]}],
            "nodes": [{"children": [1]}, {"children": [2]}, {}],
            "skins": [{"joints": [1, 2]}],
        });
        assert_eq!(roots(document), json!([1]));
    }

    #[test]
    fn a_document_without_a_scene_shows_all_its_roots() {
        let document = json!({"nodes": [{"children": [1]}, {}, {}]});
        assert_eq!(roots(document), json!([0, 2]));
    }

    #[test]
    fn a_circle_of_nodes_comes_to_an_end() {
        let document = json!({
            "scenes": [{}],
            "nodes": [{"children": [1]}, {"children": [0]}],
            "skins": [{"joints": [0, 7]}],
        });
        assert_eq!(roots(document), json!([1]));
    }
}
