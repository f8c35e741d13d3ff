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
    let parents = nodes.joint_of.iter().map(parent);
    let parents = parents.map(|parent| Some(nodes.node_of[parent?]));
    let defects = log.defects.into_evidence([]).defects;
    let defects = defects.iter().map(ToString::to_string);
    (parents.collect(), defects.collect())
}

/// The nodes in the order of their joints, and the shown ones.
fn order(document: Value) -> (Vec<usize>, Vec<usize>) {
    let (nodes, _) = read(document).unwrap();
    let shown = nodes.node_of.iter().zip(&nodes.is_shown);
    let shown = shown.filter_map(|(node, is_shown)| is_shown.then_some(*node));
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
        let children = |node: u32| (0..3).filter(move |child| links >> (3 * node + child) & 1 == 1);
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
