//! Where a file has its objects.

use ufbx::{DomValueType, Element, Scene};

use super::meshes::Meshes;
use super::nodes::Nodes;
use crate::rig::Origins;

/// Of all that was read.
pub(super) fn of(scene: &Scene, nodes: &Nodes<'_>, shown: &Meshes<'_>) -> Origins {
    let materials = scene.materials.iter();
    let stacks = scene.anim_stacks.iter();
    Origins {
        nodes: nodes.origins.clone(),
        meshes: shown.origins.clone(),
        skins: shown.skin_origins.clone(),
        materials: materials
            .map(|own| of_object("Material", &own.element))
            .collect(),
        clips: stacks
            .map(|own| of_object("AnimStack", &own.element))
            .collect(),
        channels: Vec::new(),
    }
}

/// Such as `Model::Arm#2067543504`; without a number before version 7, where objects have none.
pub(super) fn of_object(class: &str, object: &Element) -> String {
    let words = object.dom_node.as_deref();
    let first = words.and_then(|words| words.values.first());
    let number = first.filter(|value| value.type_ == DomValueType::Number);
    let number = number.map(|value| format!("#{}", value.value_int));
    format!("{class}::{}{}", object.name, number.unwrap_or_default())
}
