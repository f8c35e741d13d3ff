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
    let circle =
        json!({"scenes": [{"nodes": [2]}], "nodes": [{"children": [1]}, {"children": [0, 2]}, {}]});
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
