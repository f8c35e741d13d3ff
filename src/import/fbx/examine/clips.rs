//! The targets of curves in the file, before layers and curves are combined.

use std::collections::{BTreeMap, BTreeSet};

use ufbx::{AnimCurve, AnimLayer, AnimStack, AnimValue, Connection, Element, Scene};

use super::curves;
use crate::import::fbx::curves::{MOVING, ROTATING, SCALING};
use crate::import::fbx::morphs::PERCENT;
use crate::import::log::Log;
use crate::import::resolve::keys::Site;
use crate::import::source::clip_name;
use crate::rig::{DefectKind, Location};

pub(super) fn examine(scene: &Scene, log: &mut Log) {
    for (index, stack) in scene.anim_stacks.iter().enumerate() {
        let location = Location::clip(clip_name(&stack.element.name, index));
        let mut examination = Examination {
            location,
            end: stated_end(stack),
            log: &mut *log,
        };
        for layer in &stack.layers {
            examination.layer(layer);
        }
    }
}

/// The end that `stack` states. A stack from 0 to 0 states none.
fn stated_end(stack: &AnimStack) -> Option<f64> {
    let (start, end) = (stack.time_begin, stack.time_end);
    let is_unstated = start == 0.0 && end == 0.0;
    (!is_unstated && start <= end).then_some(end)
}

struct Examination<'a> {
    location: Location,
    end: Option<f64>,
    log: &'a mut Log,
}

impl Examination<'_> {
    fn layer(&mut self, layer: &AnimLayer) {
        for value in &layer.anim_values {
            if is_adrift(value) {
                let part = format!("curves {}", value.element.name);
                let message = "they drive nothing: their target does not exist";
                let location = self.location.clone().part(part);
                let kind = DefectKind::TargetMissing;
                self.log.defects.add(kind, location, message);
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
        let location = self.of(element, property);
        self.log
            .defects
            .add(DefectKind::DuplicateChannel, location, message);
    }

    fn of(&self, element: &Element, property: &str) -> Location {
        let location = self.location.clone().part(property);
        location.of_joint(element.name.to_string())
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
                location: self.of(element, property),
                log: &mut *self.log,
            };
            curves::examine(curve, self.end, &mut site);
        }
    }
}

/// The curves that the file connects, with their axes. If two drive one axis, ufbx uses the last.
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

/// Whether the property moves joints or morph targets. Other animation is not part of a rig.
fn is_of_rig(element: &Element, property: &str) -> bool {
    if ufbx::as_node(element).is_some() {
        property == SCALING || MOVING.contains(&property) || ROTATING.contains(&property)
    } else {
        ufbx::as_blend_channel(element).is_some() && property == PERCENT
    }
}

/// Whether `value` has keys but drives no object's property: ufbx drops connections to missing objects. The connection to
/// its own layer does not count.
fn is_adrift(value: &AnimValue) -> bool {
    let has_keys = connected(value).any(|(_, curve)| curve.keyframes.count > 0);
    let mut connections = value.element.connections_src.iter();
    let is_in = |connection: &Connection| {
        connection.dst_prop.is_empty() && ufbx::as_anim_layer(&connection.dst).is_some()
    };
    has_keys && connections.all(is_in)
}
