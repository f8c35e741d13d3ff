//! The standard's requirements on stored numbers that reading does not need (glTF 2.0, §3.6.2, §3.7.2.1 and §3.11).
//!
//! Readers differ in what they tolerate: misaligned numbers stop one that maps the buffer into typed arrays, and wrong
//! bounds make another cull visible meshes or stop a clip early. Reading here does not depend on any of this, so each
//! fault is a defect and nothing is repaired.

use std::collections::BTreeMap;

use super::accessors::{Accessors, Component, component, kind_name};
use super::json::{Accessor, FLOAT_16, FLOAT_64, Kind, Primitive, Root, View};
use super::lenient::Whole;
use crate::log::Log;
use crate::rig::{DefectKind, Location, Part};
use crate::units::without_trailing_zeros;
use crate::vertices::f32_of;

/// The use of an accessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Use {
    /// Positions of vertices, or offsets of them.
    Positions,
    /// Normals and tangents, or offsets of them.
    Shape,
    Joints,
    Weights,
    /// Texture coordinates and colours.
    Surface,
    /// Attributes of an extension, or of the exporter's own.
    Foreign,
    Indices,
    KeyTimes,
    /// Translations and scales.
    KeyVectors,
    /// Rotations and morph weights.
    KeyFractions,
    /// Visibility.
    KeyBooleans,
    InverseBinds,
}

impl Use {
    /// The use of an attribute of a primitive.
    pub(super) fn of_attribute(name: &str) -> Self {
        match name.split('_').next() {
            Some("POSITION") => Self::Positions,
            Some("NORMAL" | "TANGENT") => Self::Shape,
            Some("JOINTS") => Self::Joints,
            Some("WEIGHTS") => Self::Weights,
            Some("TEXCOORD" | "COLOR") => Self::Surface,
            _ => Self::Foreign,
        }
    }

    fn is_attribute(self) -> bool {
        self <= Self::Foreign
    }

    /// Its name in messages.
    fn name(self) -> &'static str {
        match self {
            Self::Positions => "positions or their offsets",
            Self::Shape => "normals, tangents or their offsets",
            Self::Joints => "joints",
            Self::Weights => "weights",
            Self::Surface => "texture coordinates or colours",
            Self::Foreign => "an attribute of its own",
            Self::Indices => "indices",
            Self::KeyTimes => "key times",
            Self::KeyVectors => "keys of translations or scales",
            Self::KeyFractions => "keys of rotations or weights",
            Self::KeyBooleans => "keys of visibility",
            Self::InverseBinds => "inverse bind matrices",
        }
    }

    /// Whether the standard allows this storage of numbers.
    ///
    /// * `quantized` – whether `KHR_mesh_quantization` extends the choice.
    fn allows(self, component: Component, normalized: bool, quantized: bool) -> bool {
        use Component::{F16, F32, F64, I8, I16, U8, U16, U32};
        let is_short = !matches!(component, U32 | F16 | F64);
        match self {
            Self::Foreign => is_short,
            Self::Positions | Self::Shape | Self::Surface if quantized => is_short,
            Self::Positions
            | Self::Shape
            | Self::KeyTimes
            | Self::KeyVectors
            | Self::InverseBinds => component == F32,
            Self::Joints => matches!(component, U8 | U16) && !normalized,
            Self::KeyBooleans => component == U8 && !normalized,
            Self::Indices => matches!(component, U8 | U16 | U32) && !normalized,
            Self::Weights | Self::Surface => {
                component == F32 || matches!(component, U8 | U16) && normalized
            }
            Self::KeyFractions => {
                component == F32 || matches!(component, I8 | U8 | I16 | U16) && normalized
            }
        }
    }
}

/// The uses of each accessor, each with its first user.
#[derive(Debug, Default)]
pub(super) struct Uses(BTreeMap<u64, BTreeMap<Use, Location>>);

impl Uses {
    /// * `location` – the mesh, skin or clip that uses it.
    pub(super) fn add(&mut self, accessor: Whole, usage: Use, location: &Location) {
        let uses = self.0.entry(accessor.0).or_default();
        uses.entry(usage).or_insert_with(|| location.clone());
    }

    /// Adds the accessors of a primitive.
    pub(super) fn add_primitive(&mut self, primitive: &Primitive, location: &Location) {
        for (name, accessor) in &primitive.attributes {
            self.add(*accessor, Use::of_attribute(name), location);
        }
        if let Some(indices) = primitive.indices {
            self.add(indices, Use::Indices, location);
        }
        for target in primitive.targets.iter() {
            for (accessor, usage) in [
                (target.position, Use::Positions),
                (target.normal, Use::Shape),
                (target.tangent, Use::Shape),
            ] {
                if let Some(accessor) = accessor {
                    self.add(accessor, usage, location);
                }
            }
        }
    }
}

/// Adds a defect for each attribute that the standard does not define, and for targets with offsets of attributes that the
/// base lacks (§3.7.2.1, §3.7.2.2).
pub(super) fn check_attributes(primitive: &Primitive, location: &Location, log: &mut Log) {
    let is_known = |name: &str| {
        let of_extension = name.starts_with('_') || name.contains(':');
        of_extension || Use::of_attribute(name) != Use::Foreign
    };
    let names = primitive.attributes.keys();
    let unknown = names.filter(|name| !is_known(name));
    let mut faults: Vec<String> = unknown
        .map(|name| {
            format!("the attribute {name:?} is not in the standard and does not start with _")
        })
        .collect();
    let mut targets = primitive.targets.iter();
    let is_normal_offset = targets.any(|target| target.normal.is_some());
    let mut targets = primitive.targets.iter();
    let is_tangent_offset = targets.any(|target| target.tangent.is_some());
    let offsets = [("NORMAL", is_normal_offset), ("TANGENT", is_tangent_offset)];
    for (name, is_offset) in offsets {
        if is_offset && !primitive.attributes.contains_key(name) {
            faults.push(format!(
                "a morph target offsets {name}, which the primitive lacks"
            ));
        }
    }
    for fault in faults {
        let kind = DefectKind::ForbiddenStorage;
        log.defects.add(kind, location.clone(), fault);
    }
}

/// Adds a defect for each requirement that is not met.
pub(super) fn check(root: &Root<'_>, accessors: &Accessors<'_>, uses: &Uses, log: &mut Log) {
    let mut checker = Checker {
        root,
        accessors,
        quantized: is_used(root, "KHR_mesh_quantization"),
        // Reading again costs no more than reading the model did: each used accessor was read at least once, except for unused
        // vertices.
        left: accessors.spent().saturating_add(UNUSED),
        log,
    };
    for (&index, uses) in &uses.0 {
        let accessor = root.accessors.get(Whole(index).index());
        if let Some(accessor) = accessor.filter(|accessor| !accessor.is_decoded) {
            checker.check(index, accessor, uses);
        }
    }
    checker.check_shared_views(uses);
}

fn is_used(root: &Root<'_>, extension: &str) -> bool {
    let mut used = root.extensions_used.iter();
    used.any(|name| **name == *extension)
}

/// How many numbers may be read beyond those of the model.
const UNUSED: u64 = 1 << 20;

/// Bounds that are off by no more than this fraction of the largest number count as rounded, as in text of six digits.
const ROUNDED: f64 = 1e-5;

struct Checker<'a> {
    root: &'a Root<'a>,
    accessors: &'a Accessors<'a>,
    quantized: bool,
    /// How many numbers may be read.
    left: u64,
    log: &'a mut Log,
}

impl Checker<'_> {
    fn check(&mut self, index: u64, accessor: &Accessor, uses: &BTreeMap<Use, Location>) {
        let Some((first, location)) = uses.first_key_value() else {
            return;
        };
        let location = location.clone().part(Part::Accessor(index));
        let storage = DefectKind::ForbiddenStorage;
        let view = accessor.buffer_view;
        let view = view.and_then(|view| self.root.buffer_views.get(view.index()));
        let mut faults = Vec::new();
        if let Some((other, _)) = uses
            .iter()
            .nth(1)
            .filter(|(other, _)| !are_alike(*first, **other))
        {
            faults.push(format!(
                "is used as {} and as {}",
                first.name(),
                other.name()
            ));
        }
        if let Some(stored) = component(accessor) {
            faults.extend(self.storage(accessor, stored, *first));
            faults.extend(view.and_then(|view| alignment(accessor, stored, view, *first)));
        }
        faults.extend(self.exceptions(accessor));
        for fault in faults {
            self.log.defects.add(storage, location.clone(), fault);
        }
        if let Some((off, fault)) = self.bounds(accessor, *first) {
            let kind = DefectKind::StatedBounds;
            self.log.defects.add_worst(kind, location, 1, off, fault);
        }
    }

    /// Checks the storage by §3.6.2.2 and the tables of §3.7.2.1 and §3.11.
    fn storage(&self, accessor: &Accessor, stored: Component, usage: Use) -> Option<String> {
        let normalized = accessor.normalized;
        if normalized && (stored.is_float() || stored == Component::U32) {
            return Some(format!("marks {} as normalized", stored.name()));
        }
        let allowed = match stored {
            // Extensions allow these wherever the standard allows floats.
            Component::F16 if is_used(self.root, FLOAT_16) => Component::F32,
            Component::F64 if is_used(self.root, FLOAT_64) => Component::F32,
            other => other,
        };
        if usage.allows(allowed, normalized, self.quantized) {
            return None;
        }
        let fraction = if normalized { "normalized " } else { "" };
        let name = stored.name();
        Some(format!("stores {} as {fraction}{name}", usage.name()))
    }

    /// Checks the indices of a sparse accessor by §3.6.2.3.
    fn exceptions(&mut self, accessor: &Accessor) -> Option<String> {
        let sparse = accessor.sparse.as_ref()?;
        let (count, all) = (sparse.count.0, accessor.count.0);
        if count > all {
            return Some(format!("replaces {count} of {all} elements"));
        }
        self.left = self.left.checked_sub(count)?;
        let ascend = self.accessors.exceptions_ascend(accessor, sparse);
        (!ascend).then(|| "lists the elements that it replaces out of order".to_owned())
    }

    /// How far the stated bounds are off relative to the largest number, with a message (§3.6.2.5).
    fn bounds(&mut self, accessor: &Accessor, usage: Use) -> Option<(f64, String)> {
        let stated = [("min", &accessor.min), ("max", &accessor.max)];
        let has_to = matches!(usage, Use::Positions | Use::KeyTimes) && accessor.count.0 > 0;
        let missing = stated.iter().find(|(_, stated)| stated.is_none());
        if let Some((name, _)) = missing.filter(|_| has_to) {
            let fault = format!("states no {name}, which {} must have", usage.name());
            return Some((0.0, fault));
        }
        if stated.iter().all(|(_, stated)| stated.is_none()) || accessor.count.0 == 0 {
            return None;
        }
        let numbers = accessor.count.0.saturating_mul(width(accessor.kind));
        self.left = self.left.checked_sub(numbers)?;
        let found = self.accessors.extremes(accessor)?;
        worst_bound(stated, &found)
    }

    /// Attributes that share a view must state a stride (§3.6.2.4).
    fn check_shared_views(&mut self, uses: &Uses) {
        // Each accessor of attributes once, and how many of them share each view.
        let mut shared: BTreeMap<u64, (usize, &Location)> = BTreeMap::new();
        for (&index, uses) in &uses.0 {
            let attribute = uses.iter().find(|(usage, _)| usage.is_attribute());
            let accessor = self.root.accessors.get(Whole(index).index());
            let view = accessor.and_then(|accessor| accessor.buffer_view);
            if let (Some((_, location)), Some(view)) = (attribute, view) {
                let (users, _) = shared.entry(view.0).or_insert((0, location));
                *users += 1;
            }
        }
        for (view, (users, location)) in shared {
            let known = self.root.buffer_views.get(Whole(view).index());
            if users > 1 && known.is_some_and(|view| view.byte_stride.is_none()) {
                let location = location.clone().part(Part::BufferView(view));
                let fault = format!("states no byteStride, and {users} accessors share it");
                let kind = DefectKind::ForbiddenStorage;
                self.log.defects.add(kind, location, fault);
            }
        }
    }
}

/// Whether two uses have the same requirements and differ only in name.
fn are_alike(a: Use, b: Use) -> bool {
    a.is_attribute() && b.is_attribute()
        || matches!((a, b), (Use::KeyVectors, Use::KeyFractions))
        || matches!((a, b), (Use::KeyTimes, Use::KeyVectors | Use::KeyFractions))
}

/// Checks the offset and the stride of elements (§3.6.2.4).
fn alignment(accessor: &Accessor, stored: Component, view: &View, usage: Use) -> Option<String> {
    let own = accessor.byte_offset.unwrap_or_default().0;
    let start = own.saturating_add(view.byte_offset.unwrap_or_default().0);
    let size = stored.size() as u64;
    if usage.is_attribute() {
        let packed = width(accessor.kind) * size;
        let stride = view.byte_stride.map_or(packed, |stride| stride.0);
        if !own.is_multiple_of(4) {
            return Some(format!("starts at byte {own}, not a multiple of 4"));
        }
        if !stride.is_multiple_of(4) {
            let kind = kind_name(accessor.kind).unwrap_or_default();
            return Some(format!(
                "places a {kind} every {stride} bytes, not a multiple of 4"
            ));
        }
    } else if view.byte_stride.is_some() {
        return Some("has a byteStride, which only vertex attributes may have".to_owned());
    }
    (!start.is_multiple_of(size)).then(|| {
        let name = stored.name();
        format!("starts at byte {start}, where {name} cannot")
    })
}

/// The number of components.
fn width(kind: Kind) -> u64 {
    match kind {
        Kind::Scalar | Kind::Unknown => 1,
        Kind::Vec2 => 2,
        Kind::Vec3 => 3,
        Kind::Vec4 | Kind::Mat2 => 4,
        Kind::Mat3 => 9,
        Kind::Mat4 => 16,
    }
}

fn worst_bound(
    stated: [(&str, &Option<Box<[f64]>>); 2],
    found: &[[f32; 2]],
) -> Option<(f64, String)> {
    let numbers = found.iter().flatten().map(|number| f64::from(number.abs()));
    let largest = numbers.fold(0.0, f64::max);
    if !largest.is_finite() {
        // Infinity is reported separately.
        return None;
    }
    let sides = stated
        .into_iter()
        .enumerate()
        .flat_map(|(side, (name, stated))| {
            let stated = stated.iter().flatten();
            let pairs = stated.zip(found).enumerate();
            pairs.map(move |(column, (stated, found))| (name, column, *stated, found[side]))
        });
    let off =
        |stated: f64, found: f32| (stated - f64::from(found)).abs() / largest.max(stated.abs());
    let wrong = sides
        .map(|(name, column, stated, found)| (off(stated, found), name, column, stated, found))
        .filter(|(off, ..)| *off > ROUNDED);
    let (off, name, column, stated, found) = wrong.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let extreme = if name == "min" { "least" } else { "greatest" };
    Some((
        off,
        format!(
            "states {} as {name}[{column}], and the {extreme} number there is {}",
            number(stated),
            number(found.into())
        ),
    ))
}

/// A number to six digits, or in words if no model is that large.
fn number(value: f64) -> String {
    /// No model is as large as this in any unit.
    const MOST: f64 = 1e9;
    match value {
        _ if value > MOST => format!("more than {MOST}"),
        _ if value < -MOST => format!("less than -{MOST}"),
        _ => without_trailing_zeros(&format!("{:.6}", f32_of(value))).to_owned(),
    }
}
