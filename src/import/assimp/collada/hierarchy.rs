//! Which joint is which node of the file.
//!
//! assimp names joints by the nodes' names, which need not be unique, and addresses in the file are by id. So assimp's
//! walk is taken once more (`ColladaLoader.cpp`, `BuildHierarchy`): the scene, then each node's own children, then the
//! nodes that it instances, depth first.

use std::collections::HashMap;

use roxmltree::{Node, NodeId};

use super::document::{Document, children, is};
use super::error::Unclear;
use crate::rig::{JointId, Skeleton};

/// What assimp calls a scene without a name, and what its names for nodes without one begin with.
const SCENE: &str = "Scene";
pub(super) const AUTO_NAME: &str = "$ColladaAutoName$_";

/// The joints of each node of the file: several where it is instanced several times.
pub(super) type Joints = HashMap<NodeId, Vec<JointId>>;

/// Finds the joints of all nodes.
///
/// # Errors
///
/// [`Unclear::OtherNodes`] if number or names of the nodes are not those of `skeleton`.
pub(super) fn joints(document: &Document<'_>, skeleton: &Skeleton) -> Result<Joints, Unclear> {
    let scene = scene(document)?;
    let mut expected = skeleton.iter();
    let mut joints = Joints::new();
    let mut pending = vec![scene];
    // The skeleton's length bounds the walk, also of nodes that instance each other in a circle.
    while let Some(node) = pending.pop() {
        let (id, joint) = expected.next().ok_or(Unclear::OtherNodes)?;
        if !is_name_of(node, &joint.name) {
            return Err(Unclear::OtherNodes);
        }
        joints.entry(node.id()).or_default().push(id);
        let mut below: Vec<Node<'_, '_>> = children(node, "node").collect();
        below.extend(instanced(document, scene, node));
        pending.extend(below.into_iter().rev());
    }
    match expected.next() {
        None => Ok(joints),
        Some(_) => Err(Unclear::OtherNodes),
    }
}

fn is_name_of(node: Node<'_, '_>, joint: &str) -> bool {
    match node.attribute("name") {
        Some(name) if !name.is_empty() => name == joint,
        None if is(node, "visual_scene") => joint == SCENE,
        // By its id it is called where it was mended.
        _ => joint.starts_with(AUTO_NAME) || node.attribute("id") == Some(joint),
    }
}

/// The scene that is shown.
pub(super) fn scene<'a>(document: &Document<'a>) -> Result<Node<'a, 'a>, Unclear> {
    let instance = children(document.root(), "scene")
        .flat_map(|scene| children(scene, "instance_visual_scene"))
        .next();
    let url = instance.and_then(|instance| instance.attribute("url"));
    document.at(url.unwrap_or_default(), "visual_scene")
}

fn instanced<'a>(
    document: &Document<'a>,
    scene: Node<'a, 'a>,
    node: Node<'a, 'a>,
) -> impl Iterator<Item = Node<'a, 'a>> {
    let urls = children(node, "instance_node").filter_map(|instance| instance.attribute("url"));
    urls.filter_map(move |url| {
        let name = url.strip_prefix('#')?;
        let by_id = document.by_id(name).filter(|node| is_node(*node));
        // assimp mends files that name the node instead of its id.
        by_id.or_else(|| {
            let mut all = scene.descendants();
            all.find(|node| is_node(*node) && node.attribute("name") == Some(name))
        })
    })
}

fn is_node(node: Node<'_, '_>) -> bool {
    is(node, "node") || is(node, "visual_scene")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::assimp::collada::document::parse;
    use crate::rig::{Joint, LocalTransform, Trs};

    fn skeleton(names: &[&str]) -> Skeleton {
        let joint = |name: &&str| Joint {
            name: (*name).to_owned(),
            parent: None,
            rest: LocalTransform::Trs(Trs::IDENTITY),
        };
        Skeleton::new(names.iter().map(joint).collect()).expect("roots need no parent")
    }

    fn joints_of(scene: &str, names: &[&str], id: &str) -> Result<Vec<usize>, Unclear> {
        let text = format!(
            r##"<COLLADA>
              <library_nodes><node id="hand" name="hand"><node id="finger" name="finger"/></node></library_nodes>
              <library_visual_scenes><visual_scene id="s">{scene}</visual_scene></library_visual_scenes>
              <scene><instance_visual_scene url="#s"/></scene>
            </COLLADA>"##
        );
        let xml = parse(&text).expect("it is well-formed");
        let document = Document::new(&xml);
        let node = document.by_id(id).expect("it is there").id();
        let joints = joints(&document, &skeleton(names))?;
        Ok(joints[&node].iter().map(|joint| joint.index()).collect())
    }

    #[test]
    fn instanced_nodes_come_after_the_own_children_and_as_often_as_instanced() {
        let scene = r##"<node id="arm" name="arm"><instance_node url="#hand"/><node id="cuff"/></node>
                        <node name="arm"><instance_node url="#hand"/></node>"##;
        let names = [
            "Scene",
            "arm",
            "$ColladaAutoName$_0",
            "hand",
            "finger",
            "arm",
            "hand",
            "finger",
        ];
        assert_eq!(joints_of(scene, &names, "finger").unwrap(), [4, 7]);
        assert_eq!(joints_of(scene, &names, "cuff").unwrap(), [2]);
    }

    #[test]
    fn a_joint_too_few_or_of_another_name_is_an_error() {
        let scene = r#"<node id="a" name="a"/>"#;
        for names in [&["Scene"][..], &["Scene", "b"], &["Scene", "a", "a"]] {
            let error = joints_of(scene, names, "a").expect_err("these are other nodes");
            assert!(matches!(error, Unclear::OtherNodes), "{error}");
        }
    }

    #[test]
    fn nodes_that_instance_themselves_end() {
        let scene = r##"<node id="a" name="a"><instance_node url="#a"/></node>"##;
        let names = ["Scene", "a", "a", "a"];
        assert!(joints_of(scene, &names, "a").is_err());
    }
}
