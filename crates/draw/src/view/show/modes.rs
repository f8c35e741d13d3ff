//! The modes of `--show`.

use glam::Vec3;

use super::legend::{Legend, Measured, Tick};
use super::mode::{Mode, Show, Takes};
use super::vertices::{Asked, ColorSource, without_skin};
use crate::lists::distinct;
use crate::look::colors::{DEPTH, UNWEIGHTED, heat, influence_color, scale_color};
use crate::look::joint_colors::joint_color;
use crate::look::srgb;
use crate::rig::{Asset, InstanceId, Mesh, MeshInstance, NodeId};
use crate::shown::escaped;
use crate::units::amount;

pub(super) static LIT: Mode = Mode::new("lit", ColorSource::Material { lit: true });

impl Show {
    /// The material in the light of the scene.
    pub const LIT: Self = Self::plain(&LIT);
}

pub(super) static TEXTURE: Mode = Mode::new("texture", ColorSource::Material { lit: false });

impl Show {
    /// The material without light.
    pub const TEXTURE: Self = Self::plain(&TEXTURE);
}

pub(super) static CLAY: Mode = Mode::new("clay", ColorSource::Clay);

impl Show {
    /// The form alone, in the light of the scene.
    pub const CLAY: Self = Self::plain(&CLAY);
}

pub(super) static WIREFRAME: Mode = Mode::new("wireframe", ColorSource::Edges);

impl Show {
    /// The edges of the triangles.
    pub const WIREFRAME: Self = Self::plain(&WIREFRAME);
}

pub(super) static NORMALS: Mode = Mode {
    legend: |_, _| Some(normals_legend()),
    ..Mode::new("normals", ColorSource::Normals)
};

impl Show {
    /// World-space normals as colours: 0.5 + 0.5 n.
    pub const NORMALS: Self = Self::plain(&NORMALS);
}

fn normals_legend() -> Legend {
    let axes = ["X", "Y", "Z"].into_iter().zip(Vec3::AXES);
    let both = axes.flat_map(|(name, axis)| [("+", name, axis), ("-", name, -axis)]);
    both.fold(Legend::new("normals"), |legend, (sign, name, axis)| {
        let codes = (axis * 0.5 + 0.5).to_array().map(srgb::unorm);
        let light = codes.map(|code| srgb::tables().decode(code));
        legend.swatch(Vec3::from(light), format!("{sign}{name}"))
    })
}

pub(super) static UV: Mode = Mode {
    missing: |asset, _| without_uv(asset),
    ..Mode::new("uv", ColorSource::Checker)
};

impl Show {
    /// A checker in texture space, labelled A1 to H8.
    pub const UV: Self = Self::plain(&UV);
}

fn without_uv(asset: &Asset) -> Option<String> {
    let mut meshes = asset
        .instances
        .iter()
        .map(|instance| asset.mesh_of(instance));
    let has_uv = meshes.any(|mesh| !mesh.uv_sets.is_empty());
    (!has_uv).then(|| "no mesh has texture coordinates".to_owned())
}

pub(super) static DEPTH_MODE: Mode = Mode {
    legend: |_, _| Some(depth_legend()),
    ..Mode::new("depth", ColorSource::Depth)
};

impl Show {
    /// Distance from the camera, near bright.
    pub const DEPTH: Self = Self::plain(&DEPTH_MODE);
}

fn depth_legend() -> Legend {
    let [near, far] = DEPTH;
    let grey = |share: f32| {
        let code = srgb::unorm(near + (far - near) * share);
        Vec3::splat(srgb::tables().decode(code))
    };
    Legend::new("distance from camera")
        .with_ramp(grey)
        .tick(0.0, "nearest")
        .tick(1.0, "farthest")
}

pub(super) static JOINTS: Mode = Mode {
    missing: |asset, _| without_skin(asset, "each mesh has the colour of its own node"),
    legend: |asset, show| Some(joints_legend(asset, show)),
    ..Mode::new(
        "joints",
        ColorSource::VertexColors(|vertices, vertex| {
            let shares = vertices.shares(vertex);
            shares
                .map(|(joint, share)| joint_color(joint) * share)
                .sum()
        }),
    )
};

impl Show {
    /// The colours of the joints, mixed by their weights.
    pub const JOINTS: Self = Self::plain(&JOINTS);
}

/// The joints that move vertices: the one that moves most of them first.
fn joints_legend(asset: &Asset, show: &Show) -> Legend {
    let mut moved = vec![0.0_f64; asset.skeleton.len()];
    for (index, instance) in asset.instances.iter().enumerate() {
        let vertices = show.vertices(asset, InstanceId::from_index(index), None);
        for vertex in 0..asset.mesh_of(instance).positions.len() {
            for (joint, share) in vertices.shares(vertex) {
                moved[joint.index()] += f64::from(share);
            }
        }
    }
    let mut joints: Vec<NodeId> = asset.skeleton.iter().map(|(joint, _)| joint).collect();
    joints.retain(|joint| moved[joint.index()] > 0.0);
    joints.sort_by(|a, b| moved[b.index()].total_cmp(&moved[a.index()]));
    let name = |joint: NodeId| match asset.skeleton.get(joint) {
        Some(node) if !node.name.is_empty() => escaped(&node.name),
        _ => format!("#{}", joint.index()),
    };
    let legend = Legend::new("joints, mixed by weight");
    joints.into_iter().fold(legend, |legend, joint| {
        legend.swatch(joint_color(joint), name(joint))
    })
}

pub(super) static INFLUENCES: Mode = Mode {
    missing: |asset, _| without_skin(asset, "every vertex is drawn as one without influence"),
    legend: |asset, _| Some(influences_legend(asset)),
    ..Mode::new(
        "influences",
        ColorSource::VertexColors(|vertices, vertex| {
            let influences = vertices.influences(vertex);
            influence_color(influences.iter().filter(|i| i.weight != 0.0).count())
        }),
    )
};

impl Show {
    /// How many influences a vertex has.
    pub const INFLUENCES: Self = Self::plain(&INFLUENCES);
}

/// The occurring numbers of influences, with their numbers of vertices. Numbers above the last colour's count as the last. A mesh
/// without a skin has the colour of none.
fn influences_legend(asset: &Asset) -> Legend {
    const MOST: usize = 8;
    let mut counts = [0_usize; MOST + 1];
    let is_skinned = |instance: &&MeshInstance| instance.skin.is_some();
    for instance in asset.instances.iter().filter(is_skinned) {
        let mesh = asset.mesh_of(instance);
        for vertex in 0..mesh.positions.len() {
            let influences = mesh.influences.of(vertex).iter();
            let used = influences.filter(|influence| influence.weight != 0.0);
            counts[used.count().min(MOST)] += 1;
        }
    }
    let occurring = (0..).zip(counts).filter(|(_, count)| *count > 0);
    let legend = occurring.fold(
        Legend::new("influences of a vertex"),
        |legend, (number, count)| {
            let more = if number == MOST { " or more" } else { "" };
            let vertices = amount(count, "vertex");
            legend.swatch(
                influence_color(number),
                format!("{number}{more}: {vertices}"),
            )
        },
    );
    if asset.instances.iter().all(|own| is_skinned(&own)) {
        legend
    } else {
        legend.swatch(influence_color(0), "no skin")
    }
}

pub(super) static SUM: Mode = Mode {
    missing: |asset, _| without_skin(asset, "every vertex is drawn as one without weight"),
    legend: |_, _| Some(sum_legend()),
    ..Mode::new(
        "sum",
        ColorSource::VertexColors(|vertices, vertex| {
            let influences = vertices.influences(vertex);
            let sum: f32 = influences.iter().map(|influence| influence.weight).sum();
            if sum == 0.0 || sum.is_nan() {
                UNWEIGHTED
            } else {
                scale_color(share_off((sum - 1.0).abs()))
            }
        }),
    )
};

/// How far from 1 sums of weights are at the ends of the scale, which is logarithmic: a sum of 0.98 is a fault, and so is one of 0.5.
const SUMS_OFF: [f32; 2] = [0.001, 0.1];

/// The position on the scale of a sum that is `off` 1.
fn share_off(off: f32) -> f32 {
    let [least, most] = SUMS_OFF;
    (libm::logf(off / least) / libm::logf(most / least)).clamp(0.0, 1.0)
}

impl Show {
    /// How far the sum of a vertex's weights is from 1.
    pub const SUM: Self = Self::plain(&SUM);
}

fn sum_legend() -> Legend {
    let legend = Legend::new("sum of weights, off 1 by").with_ramp(scale_color);
    let legend = [(0.001, " or less"), (0.01, ""), (0.1, " or more")]
        .into_iter()
        .fold(legend, |legend, (off, more)| {
            legend.tick(share_off(off), format!("{off}{more}"))
        });
    legend.swatch(UNWEIGHTED, "no weight")
}

pub(super) static WEIGHTS: Mode = Mode {
    takes: Takes::Joints,
    missing: |asset, show| without_weight(asset, show.joints()),
    legend: |asset, show| Some(weights_legend(asset, show.joints())),
    ..Mode::new(
        "weights",
        ColorSource::VertexValues(|vertices, vertex| {
            let shares = vertices.shares(vertex);
            let own = shares.filter(|(joint, _)| vertices.asks_about(*joint));
            own.map(|(_, share)| share).sum()
        }),
    )
};

impl Show {
    /// The share of `joints` together, blue to red; grey if it is 0.
    #[must_use]
    pub fn weights(joints: impl IntoIterator<Item = NodeId>) -> Self {
        Self::asking(&WEIGHTS, Asked::Joints(distinct(joints).into()))
    }
}

/// Most names in a title; of more joints, only the number is stated.
const NAMED: usize = 3;

fn weights_legend(asset: &Asset, joints: &[NodeId]) -> Legend {
    let title = match joints {
        [_, ..] if joints.len() <= NAMED => format!("weight of {}", names(asset, joints)),
        _ => format!("weight of {} joints together", joints.len()),
    };
    let legend = Legend::new(title).with_ramp(|share| heat(share.max(f32::MIN_POSITIVE)));
    let quarters = [0.0, 0.25, 0.5, 0.75, 1.0];
    let legend = quarters.into_iter().fold(legend, |legend, share: f32| {
        legend.tick(share, format!("{} %", 100.0 * share))
    });
    legend.swatch(UNWEIGHTED, "no weight")
}

fn names(asset: &Asset, joints: &[NodeId]) -> String {
    let name = |joint: &NodeId| match asset.skeleton.get(*joint) {
        Some(node) if !node.name.is_empty() => escaped(&node.name),
        _ => format!("#{}", joint.index()),
    };
    joints.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn without_weight(asset: &Asset, joints: &[NodeId]) -> Option<String> {
    let weighted = |joint: &NodeId| {
        let mut instances = asset.instances.iter();
        instances.any(|instance| has_weight(asset, instance, *joint))
    };
    if joints.iter().any(weighted) {
        return None;
    }
    let bound = asset.bound_joints();
    let [joint] = joints else {
        return Some(format!(
            "no vertex has weight on any of the {} joints",
            joints.len()
        ));
    };
    let but = if bound[joint.index()] {
        "although a skin binds it"
    } else {
        "no skin binds it; `skincheck inspect MODEL --joints` marks the joints of skins"
    };
    let name = escaped(&asset.skeleton.get(*joint)?.name);
    Some(format!("no vertex has weight on \"{name}\" ({but})"))
}

/// Whether a vertex of `instance` follows `joint`, by weight or because the mesh is attached to that node.
fn has_weight(asset: &Asset, instance: &MeshInstance, joint: NodeId) -> bool {
    let mesh = asset.mesh_of(instance);
    let slots = asset
        .skin_of(instance)
        .map(|skin| skin.joints.as_slice())
        .unwrap_or_default();
    let by_skin = mesh.influences.all().iter().any(|influence| {
        influence.weight != 0.0 && slots.get(influence.slot.index()) == Some(&joint)
    });
    by_skin || (instance.node == joint && (slots.is_empty() || has_free_vertex(mesh)))
}

/// Whether a vertex of `mesh` has no weight and therefore follows its node.
fn has_free_vertex(mesh: &Mesh) -> bool {
    let mut vertices = mesh.influences.iter();
    mesh.influences.is_empty()
        || vertices.any(|influences| influences.iter().all(|influence| influence.weight == 0.0))
}

pub(super) static STRETCH: Mode = measured_mode("stretch", Takes::Numbers);
pub(super) static VOLUME: Mode = measured_mode("volume", Takes::Numbers);
pub(super) static BEND: Mode = measured_mode("bend", Takes::Numbers);
pub(super) static TRUNCATION: Mode = measured_mode("truncation", Takes::Numbers);
pub(super) static DISTANCE: Mode = measured_mode("distance", Takes::ReferenceAndNumbers);

const fn measured_mode(name: &'static str, takes: Takes) -> Mode {
    Mode {
        takes,
        legend: |_, show| measured_legend(show),
        ..Mode::new(
            name,
            ColorSource::VertexColors(|vertices, vertex| {
                let share = vertices.share_of_range(vertex);
                if share.is_nan() {
                    UNWEIGHTED
                } else {
                    scale_color(share)
                }
            }),
        )
    }
}

impl Show {
    /// The mode of this name with its numbers; `distance` if there is none.
    #[must_use]
    pub fn measuring(name: &str, numbers: Measured) -> Self {
        let mut modes = super::MODES.iter().filter(|mode| mode.is_measured());
        let found = modes.find(|mode| mode.name == name);
        Self::plain(found.copied().unwrap_or(&DISTANCE)).measured(numbers)
    }

    /// The distance of each vertex from its position in the reference.
    #[must_use]
    pub fn distance(numbers: Measured) -> Self {
        Self::plain(&DISTANCE).measured(numbers)
    }
}

fn measured_legend(show: &Show) -> Option<Legend> {
    let Asked::Measured(measured) = show.asked() else {
        return None;
    };
    let mut legend = Legend::new(measured.title.as_str()).with_ramp(scale_color);
    legend.ticks = measured
        .ticks
        .iter()
        .map(|(value, label)| Tick {
            at: measured.fraction(*value),
            label: label.clone(),
        })
        .collect();
    if let (Some(last), Some(words)) = (legend.ticks.last_mut(), measured.beyond()) {
        last.label.push_str(words);
    }
    let lacks = |values: &Vec<f32>| values.is_empty() || values.iter().any(|value| value.is_nan());
    if measured.of_instances.iter().any(lacks) {
        legend = legend.swatch(UNWEIGHTED, measured.without.as_str());
    }
    Some(legend)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_says_whether_numbers_go_beyond_its_end() {
        let last = |ends: [f32; 2], value: f32| {
            let show = Show::distance(Measured {
                ticks: ends.map(|end| (end, format!("{end}×"))).into(),
                of_instances: vec![vec![value]],
                ..Measured::default()
            });
            measured_legend(&show)
                .and_then(|legend| legend.ticks.last().map(|tick| tick.label.clone()))
        };
        for (ends, value, label) in [
            ([1.0, 4.0], 4.0, "4×"),
            ([1.0, 4.0], 9.0, "4× or more"),
            ([1.0, 0.2], 0.1, "0.2× or less"),
            ([1.0, 0.2], 3.0, "0.2×"),
            ([1.0, 4.0], f32::NAN, "4×"),
        ] {
            assert_eq!(last(ends, value).as_deref(), Some(label));
        }
    }

    #[test]
    fn a_sum_that_is_slightly_off_is_seen() {
        let ends = [0.0, 0.0005, 0.5].map(|off| share_off(off).to_bits());
        assert_eq!(ends, [0.0_f32, 0.0, 1.0].map(f32::to_bits));
        assert!(share_off(0.02) > 0.6);
    }

    #[test]
    fn only_numbers_that_are_missing_are_in_the_legend() {
        let legend = |values: Vec<f32>| {
            let show = Show::distance(Measured {
                ticks: vec![(0.0, "0".into()), (1.0, "1 cm".into())],
                without: "none".into(),
                of_instances: vec![values],
                ..Measured::default()
            });
            measured_legend(&show).expect("there is one").swatches.len()
        };
        assert_eq!(legend(vec![0.0, 1.0]), 0);
        assert_eq!(legend(vec![0.0, f32::NAN]), 1);
        assert_eq!(legend(vec![]), 1);
    }
}
