//! Checks spring bones (`VRMC_springBone` 1.0, `secondaryAnimation` of `VRM` 0.x), which skincheck does not simulate.

use std::collections::BTreeMap;
use std::iter::successors;

use serde::Deserialize;

use super::parsed;
use crate::import::gltf::json::{Root, SPRINGS, VRM_0};
use crate::import::gltf::lenient::{List, Whole};
use crate::import::gltf::nodes::Nodes;
use crate::import::log::Notes;

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Springs1 {
    colliders: List<Collider>,
    collider_groups: List<Group1>,
    springs: List<Spring1>,
}

#[derive(Deserialize)]
struct Collider {
    node: Whole,
}

#[derive(Deserialize)]
struct Group1 {
    colliders: List<Whole>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spring1 {
    joints: List<Joint1>,
    #[serde(default)]
    collider_groups: List<Whole>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Joint1 {
    node: Whole,
    #[serde(default)]
    hit_radius: f32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Vrm0 {
    #[serde(default)]
    secondary_animation: Springs0,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Springs0 {
    bone_groups: List<Spring0>,
    collider_groups: List<Collider>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spring0 {
    bones: List<Whole>,
    #[serde(default)]
    collider_groups: List<Whole>,
}

/// Notes what is wrong about the spring bones of the document.
pub(in crate::import::gltf) fn check(root: &Root<'_>, nodes: &Nodes, notes: &mut Notes) {
    let mut checker = Checker {
        nodes,
        spring_of: BTreeMap::new(),
        notes,
    };
    if let Some(text) = root.extension(SPRINGS) {
        let springs: Option<Springs1> = parsed(SPRINGS, text, checker.notes);
        if let Some(springs) = springs {
            checker.check_new(&springs);
        }
    } else if let Some(text) = root.extension(VRM_0) {
        let vrm: Option<Vrm0> = parsed(VRM_0, text, checker.notes);
        if let Some(vrm) = vrm {
            checker.check_old(&vrm.secondary_animation);
        }
    }
}

struct Checker<'a> {
    nodes: &'a Nodes,
    /// The spring of each joint.
    spring_of: BTreeMap<usize, usize>,
    notes: &'a mut Notes,
}

impl Checker<'_> {
    fn check_new(&mut self, springs: &Springs1) {
        let part = |list: &str, index: usize| format!("extensions.{SPRINGS}.{list}[{index}]");
        for (index, collider) in springs.colliders.iter().enumerate() {
            self.joint(&part("colliders", index), collider.node);
        }
        for (index, group) in springs.collider_groups.iter().enumerate() {
            let count = springs.colliders.len();
            self.each(
                &part("colliderGroups", index),
                "collider",
                &group.colliders,
                count,
            );
        }
        for (index, spring) in springs.springs.iter().enumerate() {
            let location = part("springs", index);
            let count = springs.collider_groups.len();
            self.each(&location, "collider group", &spring.collider_groups, count);
            let mut above = None;
            for joint in spring.joints.iter() {
                if !(joint.hit_radius >= 0.0 && joint.hit_radius.is_finite()) {
                    let message = format!("the hit radius {} is not positive", joint.hit_radius);
                    self.notes.add(&*location, message);
                }
                let Some(own) = self.joint(&location, joint.node) else {
                    continue;
                };
                if above.is_some_and(|above| !self.is_below(own, above)) {
                    let message = format!("node {} is not below the joint before it", joint.node.0);
                    self.notes.add(&*location, message);
                }
                let other = self.spring_of.insert(own, index);
                if let Some(other) = other.filter(|other| *other != index) {
                    let message = format!("node {} is in spring {other}, too", joint.node.0);
                    self.notes.add(&*location, message);
                }
                above = Some(own);
            }
        }
    }

    fn check_old(&mut self, springs: &Springs0) {
        let part = |list: &str, index: usize| {
            format!("extensions.{VRM_0}.secondaryAnimation.{list}[{index}]")
        };
        for (index, group) in springs.collider_groups.iter().enumerate() {
            self.joint(&part("colliderGroups", index), group.node);
        }
        for (index, spring) in springs.bone_groups.iter().enumerate() {
            let location = part("boneGroups", index);
            let count = springs.collider_groups.len();
            self.each(&location, "collider group", &spring.collider_groups, count);
            for bone in spring.bones.iter() {
                self.joint(&location, *bone);
            }
        }
    }

    /// The joint of a node, if it exists.
    fn joint(&mut self, location: &str, node: Whole) -> Option<usize> {
        let joint = self.nodes.joint_of.get(node.index());
        if joint.is_none() {
            let count = self.nodes.joint_of.len();
            self.notes.add(
                location,
                format!("node {} is missing; there are {count}", node.0),
            );
        }
        joint.map(|joint| joint.index())
    }

    fn each(&mut self, location: &str, kind: &str, listed: &[Whole], count: usize) {
        for index in listed.iter().filter(|index| index.index() >= count) {
            self.notes.add(
                location,
                format!("{kind} {} is missing; there are {count}", index.0),
            );
        }
    }

    fn is_below(&self, joint: usize, ancestor: usize) -> bool {
        let parent = |joint: &usize| self.nodes.list[*joint].parent;
        successors(parent(&joint), parent).any(|above| above == ancestor)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::import::gltf::testing::Model;

    #[test]
    fn springs_that_hold_together_are_silent_and_others_are_noted() {
        let notes = |extension: &str, value| {
            let mut model = Model::of_nodes(&json!([
                {"name": "head", "children": [1]},
                {"name": "hair", "children": [2]},
                {"name": "tip"},
            ]));
            model.json["extensions"] = json!({ extension: value });
            let notes = model
                .read()
                .notes
                .into_iter()
                .map(|note| format!("{}: {}", note.location, note.message));
            notes.collect::<Vec<_>>()
        };
        let right = json!({
            "colliders": [{"node": 0}],
            "colliderGroups": [{"colliders": [0]}],
            "springs": [{"joints": [{"node": 1, "hitRadius": 0.02}, {"node": 2}], "colliderGroups": [0]}],
        });
        assert_eq!(notes(SPRINGS, right), [""; 0]);
        let wrong = json!({
            "colliders": [{"node": 7}],
            "colliderGroups": [{"colliders": [1]}],
            "springs": [
                {"joints": [{"node": 2}, {"node": 1, "hitRadius": -1.0}], "colliderGroups": [3]},
                {"joints": [{"node": 2}]},
            ],
        });
        let expected = [
            "colliders[0]: node 7 is missing; there are 3",
            "colliderGroups[0]: collider 1 is missing; there are 1",
            "springs[0]: collider group 3 is missing; there are 1",
            "springs[0]: the hit radius -1 is not positive",
            "springs[0]: node 1 is not below the joint before it",
            "springs[1]: node 2 is in spring 0, too",
        ]
        .map(|note| format!("extensions.VRMC_springBone.{note}"));
        assert_eq!(notes(SPRINGS, wrong), expected);
        let old =
            json!({"secondaryAnimation": {"boneGroups": [{"bones": [9], "colliderGroups": [0]}]}});
        let expected = [
            "node 9 is missing; there are 3",
            "collider group 0 is missing; there are 0",
        ];
        let said = notes(VRM_0, old);
        let has = |note: &&str| said.iter().any(|own| own.ends_with(*note));
        assert!(expected.iter().all(has), "{said:?}");
    }
}
