//! The targets of curves in the file, before layers and curves are combined.

use std::collections::{BTreeMap, BTreeSet};

use ufbx::{AnimCurve, AnimLayer, AnimStack, AnimValue, Connection, Element, Scene};

use super::curves;
use crate::import::fbx::clips::name_or_number;
use crate::import::fbx::curves::{MOVING, ROTATING, SCALING};
use crate::import::fbx::morphs::PERCENT;
use crate::import::log::Log;
use crate::import::resolve::keys::Site;
use crate::rig::{DefectKind, Place};

pub(super) fn examine(scene: &Scene, log: &mut Log) {
    for (index, stack) in scene.anim_stacks.iter().enumerate() {
        let place = Place::clip(name_or_number(&stack.element.name, index));
        let mut examination = Examination {
            place,
            end: stated_end(stack),
            log: &mut *log,
        };
        for layer in &stack.layers {
            examination.layer(layer);
        }
    }
}

/// A stack from 0 to 0 says nothing.
fn stated_end(stack: &AnimStack) -> Option<f64> {
    let (start, end) = (stack.time_begin, stack.time_end);
    let says_nothing = start == 0.0 && end == 0.0;
    (!says_nothing && start <= end).then_some(end)
}

struct Examination<'a> {
    place: Place,
    end: Option<f64>,
    log: &'a mut Log,
}

impl Examination<'_> {
    fn layer(&mut self, layer: &AnimLayer) {
        for value in &layer.anim_values {
            if is_adrift(value) {
                let part = format!("curves {}", value.element.name);
                let message = "they drive nothing: their target does not exist";
                let place = self.place.clone().part(part);
                let kind = DefectKind::TargetMissing;
                self.log.defects.add(kind, place, message);
            }
        }
        let mut driven: BTreeMap<(u32, &str), BTreeSet<u32>> = BTreeMap::new();
        for prop in &layer.anim_props {
            let (element, name): (&Element, &str) = (&prop.element, &prop.prop_name);
            if !is_of_rig(element, name) {
                continue;
            }
            let values = driven.entry((element.element_id, name)).or_default();
            if !values.insert(prop.anim_value.element.element_id) {
                continue;
            }
            if values.len() == 2 {
                self.report_duplicate(
                    element,
                    name,
                    "two sets of curves drive it in the same layer",
                );
            }
            self.value(element, name, &prop.anim_value);
        }
    }

    fn report_duplicate(&mut self, element: &Element, property: &str, message: &str) {
        let place = self.of(element, property);
        self.log
            .defects
            .add(DefectKind::DuplicateChannel, place, message);
    }

    fn of(&self, element: &Element, property: &str) -> Place {
        let place = self.place.clone().part(property);
        place.of_joint(element.name.to_string())
    }

    fn value(&mut self, element: &Element, property: &str, value: &AnimValue) {
        let mut by_axis: BTreeMap<usize, BTreeSet<u32>> = BTreeMap::new();
        for (axis, curve) in connected(value) {
            let curves = by_axis.entry(axis).or_default();
            if !curves.insert(curve.element.element_id) {
                continue;
            }
            if curves.len() == 2 {
                self.report_duplicate(element, property, "two curves drive the same axis");
            }
            let mut site = Site {
                place: self.of(element, property),
                log: &mut *self.log,
            };
            curves::examine(curve, self.end, &mut site);
        }
    }
}

/// The curves that the file connects, with the axis; of two for one axis, ufbx takes the last.
fn connected(value: &AnimValue) -> impl Iterator<Item = (usize, &AnimCurve)> {
    let connections = value.element.connections_dst.iter();
    connections.filter_map(|connection| {
        let curve = ufbx::as_anim_curve(&connection.src)?;
        let axis = match &*connection.dst_prop {
            "Y" | "d|Y" => 1,
            "Z" | "d|Z" => 2,
            _ => 0,
        };
        connection.src_prop.is_empty().then_some((axis, curve))
    })
}

/// What moves joints or morph targets: what else a file animates is not for a rig to judge.
fn is_of_rig(element: &Element, property: &str) -> bool {
    if ufbx::as_node(element).is_some() {
        property == SCALING || MOVING.contains(&property) || ROTATING.contains(&property)
    } else {
        ufbx::as_blend_channel(element).is_some() && property == PERCENT
    }
}

/// Whether there are keys that no object's property gets: ufbx drops connections to what is not there. The layer that
/// they are in is connected, too.
fn is_adrift(value: &AnimValue) -> bool {
    let has_keys = connected(value).any(|(_, curve)| curve.keyframes.count > 0);
    let mut connections = value.element.connections_src.iter();
    let is_in = |connection: &Connection| {
        connection.dst_prop.is_empty() && ufbx::as_anim_layer(&connection.dst).is_some()
    };
    has_keys && connections.all(is_in)
}
