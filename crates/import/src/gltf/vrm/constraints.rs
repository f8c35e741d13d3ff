//! Node constraints (`VRMC_node_constraint` 1.0).

use std::iter::successors;

use glam::Vec3;
use serde::Deserialize;

use crate::gltf::json::{CONSTRAINT, Root};
use crate::gltf::lenient::Whole;
use crate::gltf::nodes::Nodes;
use crate::log::Notes;
use crate::rig::{Constraint, ConstraintKind, NodeId};

#[derive(Deserialize)]
struct Extension {
    constraint: Stated,
}

/// One of them.
#[derive(Deserialize)]
struct Stated {
    roll: Option<Roll>,
    aim: Option<Aim>,
    rotation: Option<Rotation>,
}

#[derive(Deserialize)]
struct Roll {
    source: Whole,
    #[serde(rename = "rollAxis")]
    axis: RollAxis,
    #[serde(default = "full")]
    weight: f32,
}

#[derive(Deserialize)]
enum RollAxis {
    X,
    Y,
    Z,
}

#[derive(Deserialize)]
struct Aim {
    source: Whole,
    #[serde(rename = "aimAxis")]
    axis: AimAxis,
    #[serde(default = "full")]
    weight: f32,
}

#[derive(Deserialize)]
enum AimAxis {
    PositiveX,
    NegativeX,
    PositiveY,
    NegativeY,
    PositiveZ,
    NegativeZ,
}

#[derive(Deserialize)]
struct Rotation {
    source: Whole,
    #[serde(default = "full")]
    weight: f32,
}

fn full() -> f32 {
    1.0
}

/// The constraints of the document, each after those that it depends on. Nodes are joints of `nodes`. What cannot be evaluated is
/// omitted with a note.
pub(in crate::gltf) fn read(root: &Root<'_>, nodes: &Nodes, notes: &mut Notes) -> Vec<Constraint> {
    let mut constraints = Vec::new();
    for (index, node) in root.nodes.iter().enumerate() {
        let stated = node
            .extensions
            .as_ref()
            .and_then(|own| own.constraint.as_ref());
        let Some(stated) = stated else { continue };
        let location = || format!("nodes[{index}].extensions.{CONSTRAINT}");
        let read = serde_json::from_str(stated.get())
            .map_err(|error| error.to_string())
            .and_then(|stated: Extension| {
                constraint(nodes, nodes.joint_of[index], stated.constraint)
            });
        match read {
            Ok(constraint) => constraints.push(constraint),
            Err(why) => notes.add(location(), format!("it is ignored: {why}")),
        }
    }
    in_order(&constraints, nodes, notes)
}

fn constraint(nodes: &Nodes, node: NodeId, stated: Stated) -> Result<Constraint, String> {
    let (source, kind, weight) = match stated {
        Stated {
            roll: Some(own), ..
        } => (
            own.source,
            ConstraintKind::Roll(roll(&own.axis)),
            own.weight,
        ),
        Stated { aim: Some(own), .. } => {
            (own.source, ConstraintKind::Aim(aim(&own.axis)), own.weight)
        }
        Stated {
            rotation: Some(own),
            ..
        } => (own.source, ConstraintKind::Rotation, own.weight),
        _ => return Err("it has none of roll, aim and rotation".to_owned()),
    };
    if !(0.0..=1.0).contains(&weight) {
        return Err(format!("its weight is {weight}; expected 0 to 1"));
    }
    let joint = nodes.joint(source);
    let source = joint.map_err(|missing| format!("its source is {missing}"))?;
    if source == node {
        return Err("its source is the node itself".to_owned());
    }
    Ok(Constraint {
        node,
        source,
        kind,
        weight,
    })
}

fn roll(axis: &RollAxis) -> Vec3 {
    match axis {
        RollAxis::X => Vec3::X,
        RollAxis::Y => Vec3::Y,
        RollAxis::Z => Vec3::Z,
    }
}

fn aim(axis: &AimAxis) -> Vec3 {
    match axis {
        AimAxis::PositiveX => Vec3::X,
        AimAxis::NegativeX => Vec3::NEG_X,
        AimAxis::PositiveY => Vec3::Y,
        AimAxis::NegativeY => Vec3::NEG_Y,
        AimAxis::PositiveZ => Vec3::Z,
        AimAxis::NegativeZ => Vec3::NEG_Z,
    }
}

/// The constraints, each after those that it depends on. Those in a circle are omitted with a note.
fn in_order(constraints: &[Constraint], nodes: &Nodes, notes: &mut Notes) -> Vec<Constraint> {
    let mut of_node = vec![None; nodes.list.len()];
    for (index, constraint) in constraints.iter().enumerate() {
        of_node[constraint.node.index()] = Some(index);
    }
    let mut states = vec![State::Unseen; constraints.len()];
    let mut order = Vec::with_capacity(constraints.len());
    for first in 0..constraints.len() {
        let mut pending = vec![first];
        while let Some(&index) = pending.last() {
            states[index] = match states[index] {
                State::Unseen => {
                    for needed in needs(&constraints[index], nodes) {
                        if let Some(other) = of_node[needed].filter(|other| *other != index) {
                            match states[other] {
                                State::Unseen => pending.push(other),
                                State::Open => states[other] = State::Circular,
                                State::Circular | State::Done => {}
                            }
                        }
                    }
                    State::Open
                }
                State::Open => {
                    order.push(index);
                    pending.pop();
                    State::Done
                }
                State::Circular => {
                    let node = nodes.node_of[constraints[index].node.index()];
                    let location = format!("nodes[{node}].extensions.{CONSTRAINT}");
                    notes.add(
                        location,
                        "it is ignored: it depends on itself through others",
                    );
                    pending.pop();
                    State::Done
                }
                State::Done => {
                    pending.pop();
                    State::Done
                }
            };
        }
    }
    order.into_iter().map(|index| constraints[index]).collect()
}

#[derive(Clone, Copy)]
enum State {
    Unseen,
    /// The constraints that it needs are placed first.
    Open,
    /// One of those needs it.
    Circular,
    Done,
}

/// The joints on whose rotations a constraint depends: its source and, where places count, all above both.
fn needs(constraint: &Constraint, nodes: &Nodes) -> Vec<usize> {
    let source = constraint.source.index();
    if !matches!(constraint.kind, ConstraintKind::Aim(_)) {
        return vec![source];
    }
    let above =
        |joint: usize| successors(nodes.list[joint].parent, |above| nodes.list[*above].parent);
    above(source)
        .chain(above(constraint.node.index()))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::gltf::testing::Model;
    use crate::rig::Asset;

    /// A chain of nodes with these constraints.
    fn chain(constraints: &[Value]) -> Asset {
        let node = |(index, constraint): (usize, &Value)| {
            let mut node = json!({"name": format!("{index}"), "children": [index + 1]});
            if !constraint.is_null() {
                let extension = json!({"specVersion": "1.0", "constraint": constraint});
                node["extensions"] = json!({ CONSTRAINT: extension });
            }
            node
        };
        let mut nodes: Vec<Value> = constraints.iter().enumerate().map(node).collect();
        nodes.push(json!({"name": "end"}));
        let model = Model::of_nodes(&json!(nodes));
        model.read()
    }

    fn rotated_by(source: u32) -> Value {
        json!({"rotation": {"source": source}})
    }

    fn order(asset: &Asset) -> Vec<u32> {
        asset.constraints.iter().map(|own| own.node.0).collect()
    }

    #[test]
    fn a_constraint_comes_after_those_that_it_depends_on() {
        let asset = chain(&[rotated_by(2), Value::Null, rotated_by(3), rotated_by(1)]);
        assert_eq!(order(&asset), [3, 2, 0]);
        assert!(asset.notes.is_empty(), "{:?}", asset.notes);
        // The place of node 3 depends on the rotations above it.
        let aim = json!({"aim": {"source": 3, "aimAxis": "NegativeY", "weight": 0.5}});
        let asset = chain(&[aim, Value::Null, rotated_by(1)]);
        assert_eq!(order(&asset), [2, 0]);
        let [_, aim] = asset.constraints[..] else {
            panic!("{:?}", asset.constraints)
        };
        let kind = ConstraintKind::Aim(Vec3::NEG_Y);
        assert_eq!((aim.source, aim.kind, aim.weight), (NodeId(3), kind, 0.5));
    }

    #[test]
    fn what_cannot_be_evaluated_is_noted() {
        for (constraint, why) in [
            (
                json!({"roll": {"source": 9, "rollAxis": "X"}}),
                "its source is node 9",
            ),
            (
                json!({"roll": {"source": 0, "rollAxis": "X"}}),
                "the node itself",
            ),
            (
                json!({"roll": {"source": 1, "rollAxis": "W"}}),
                "unknown variant",
            ),
            (
                json!({"rotation": {"source": 1, "weight": 2.0}}),
                "weight is 2",
            ),
            (json!({}), "none of roll, aim and rotation"),
        ] {
            let asset = chain(&[constraint]);
            assert!(asset.constraints.is_empty());
            let note = &asset.notes[0];
            assert_eq!(note.location, "nodes[0].extensions.VRMC_node_constraint");
            assert!(note.message.contains(why), "{}", note.message);
        }
    }

    #[test]
    fn a_circle_is_broken_and_noted() {
        let asset = chain(&[rotated_by(1), rotated_by(2), rotated_by(0), rotated_by(0)]);
        // Node 3 follows node 0, which follows nothing any more.
        assert_eq!(order(&asset), [2, 1, 3]);
        let note = &asset.notes[0];
        assert!(
            note.message.contains("depends on itself"),
            "{}",
            note.message
        );
    }
}
