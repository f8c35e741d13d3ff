//! Expressions (`VRMC_vrm` 1.0, `VRM` 0.x).

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{LONGEST, parsed};
use crate::gltf::json::{Root, VRM_0, VRM_1};
use crate::gltf::lenient::{List, Whole};
use crate::gltf::nodes::Nodes;
use crate::log::Log;
use crate::rig::{
    DefectKind, Expression, ExpressionId, InstanceId, Location, MaterialBind, Mesh, MeshInstance,
    MorphBind, Override, Part,
};
use crate::text::printable;

#[derive(Deserialize)]
struct Vrm1 {
    #[serde(default)]
    expressions: Expressions1,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Expressions1 {
    preset: BTreeMap<String, Expression1>,
    custom: BTreeMap<String, Expression1>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Expression1 {
    is_binary: bool,
    override_blink: Override,
    override_look_at: Override,
    override_mouth: Override,
    morph_target_binds: List<Bind1>,
    material_color_binds: List<ColorBind1>,
    texture_transform_binds: List<TextureBind1>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ColorBind1 {
    material: Whole,
    /// Such as `color` or `emissionColor`.
    r#type: String,
    target_value: Vec<f32>,
}

#[derive(Deserialize)]
struct TextureBind1 {
    material: Whole,
    #[serde(default = "unscaled")]
    scale: [f32; 2],
    #[serde(default)]
    offset: [f32; 2],
}

fn unscaled() -> [f32; 2] {
    [1.0; 2]
}

#[derive(Deserialize)]
struct Bind1 {
    node: Whole,
    index: Whole,
    weight: f32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Vrm0 {
    #[serde(default)]
    blend_shape_master: Master0,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Master0 {
    blend_shape_groups: List<Group0>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Group0 {
    name: String,
    preset_name: String,
    is_binary: bool,
    binds: List<Bind0>,
    material_values: List<MaterialValue0>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MaterialValue0 {
    material_name: String,
    /// Such as `_Color` or `_MainTex_ST`.
    property_name: String,
    target_value: Vec<f32>,
}

#[derive(Deserialize)]
struct Bind0 {
    mesh: Whole,
    index: Whole,
    /// In percent.
    weight: f32,
}

/// The presets that VRM 1.0 names otherwise than 0.x.
const RENAMED: [(&str, &str); 15] = [
    ("joy", "happy"),
    ("sorrow", "sad"),
    ("fun", "relaxed"),
    ("a", "aa"),
    ("i", "ih"),
    ("u", "ou"),
    ("e", "ee"),
    ("o", "oh"),
    ("blink_l", "blinkLeft"),
    ("blink_r", "blinkRight"),
    ("lookup", "lookUp"),
    ("lookdown", "lookDown"),
    ("lookleft", "lookLeft"),
    ("lookright", "lookRight"),
    ("unknown", ""),
];

/// The expressions of the document. Binds that cannot be applied are omitted as defects.
///
/// * `shapes` – the meshes of the document and their instances, whose nodes are joints of `nodes`.
pub(in crate::gltf) fn read(
    root: &Root<'_>,
    nodes: &Nodes,
    shapes: (&[Mesh], &[MeshInstance]),
    log: &mut Log,
) -> Vec<Expression> {
    let mut reader = Reader {
        root,
        nodes,
        shapes,
        log,
        expressions: Vec::new(),
    };
    if let Some(text) = root.extension(VRM_1) {
        let read: Option<Vrm1> = parsed(VRM_1, text, &mut reader.log.notes);
        if let Some(vrm) = read {
            reader.add_new(vrm);
        }
    } else if let Some(text) = root.extension(VRM_0) {
        let read: Option<Vrm0> = parsed(VRM_0, text, &mut reader.log.notes);
        if let Some(vrm) = read {
            reader.add_old(&vrm);
        }
    }
    reader.expressions
}

struct Reader<'a> {
    root: &'a Root<'a>,
    nodes: &'a Nodes,
    shapes: (&'a [Mesh], &'a [MeshInstance]),
    log: &'a mut Log,
    expressions: Vec<Expression>,
}

impl Reader<'_> {
    fn add_new(&mut self, Vrm1 { expressions }: Vrm1) {
        for (name, own) in expressions.preset.into_iter().chain(expressions.custom) {
            let mut binds = Vec::new();
            for bind in own.morph_target_binds.iter() {
                let found = self.instances_of_node(bind.node);
                self.bind(&name, found, (bind.index, bind.weight), &mut binds);
            }
            let material_binds = self.material_binds(&own);
            if !material_binds.is_empty() {
                self.note_materials(&name);
            }
            self.expressions.push(Expression {
                name,
                is_binary: own.is_binary,
                overrides: [own.override_blink, own.override_look_at, own.override_mouth],
                binds,
                material_binds,
            });
        }
    }

    fn add_old(&mut self, vrm: &Vrm0) {
        for own in vrm.blend_shape_master.blend_shape_groups.iter() {
            let preset = own.preset_name.as_str();
            let renamed = RENAMED.iter().find(|(old, _)| *old == preset);
            let preset = renamed.map_or(preset, |(_, new)| new);
            let name = if preset.is_empty() { &own.name } else { preset }.to_owned();
            let mut binds = Vec::new();
            for bind in own.binds.iter() {
                let found = self.instances_of_mesh(bind.mesh);
                self.bind(&name, found, (bind.index, bind.weight / 100.0), &mut binds);
            }
            if !own.material_values.is_empty() {
                self.note_materials(&name);
            }
            let material_binds = own.material_values.iter().map(|one| MaterialBind {
                material: one.material_name.clone(),
                property: one.property_name.clone(),
                value: one.target_value.clone(),
            });
            self.expressions.push(Expression {
                name,
                is_binary: own.is_binary,
                overrides: [Override::None; 3],
                binds,
                material_binds: material_binds.collect(),
            });
        }
    }

    /// The colours and texture transforms of an expression.
    fn material_binds(&self, own: &Expression1) -> Vec<MaterialBind> {
        let name = |index: Whole| {
            let material = self.root.materials.get(index.index());
            let name = material.map(|own| own.name.to_string());
            name.filter(|name| !name.is_empty())
                .unwrap_or_else(|| format!("material {}", index.0))
        };
        let colors = own.material_color_binds.iter().map(|one| MaterialBind {
            material: name(one.material),
            property: one.r#type.clone(),
            value: one.target_value.clone(),
        });
        let transforms = own.texture_transform_binds.iter().map(|one| MaterialBind {
            material: name(one.material),
            property: "textureTransform".to_owned(),
            value: [one.scale, one.offset].concat(),
        });
        colors.chain(transforms).collect()
    }

    /// The instances of the mesh of a node.
    fn instances_of_node(&self, node: Whole) -> Result<Vec<usize>, String> {
        let joint = self
            .nodes
            .joint(node)
            .map_err(|missing| format!("binds {missing}"))?;
        let instances = self.shapes.1.iter().enumerate();
        let own: Vec<usize> = instances
            .filter(|(_, instance)| instance.node == joint)
            .map(|(index, _)| index)
            .collect();
        if own.is_empty() {
            return Err(format!("binds node {}, which shows no mesh", node.0));
        }
        Ok(own)
    }

    /// The instances of a mesh.
    fn instances_of_mesh(&self, mesh: Whole) -> Result<Vec<usize>, String> {
        let count = self.root.meshes.len();
        if mesh.index() >= count {
            return Err(format!("binds mesh {}, but there are {count}", mesh.0));
        }
        let shows = |instance: &MeshInstance| {
            let node = &self.root.nodes[self.nodes.node_of[instance.node.index()]];
            node.mesh == Some(mesh)
        };
        let instances = self.shapes.1.iter().enumerate();
        let own = instances.filter(|(_, instance)| shows(instance));
        Ok(own.map(|(index, _)| index).collect())
    }

    /// Adds the binds of a target of these instances, for the next expression.
    fn bind(
        &mut self,
        name: &str,
        instances: Result<Vec<usize>, String>,
        (target, weight): (Whole, f32),
        binds: &mut Vec<MorphBind>,
    ) {
        let (meshes, all) = self.shapes;
        let has = |index: &usize| {
            let targets = &meshes[all[*index].mesh.index()].morph_targets;
            target.index() < targets.len()
        };
        let found = instances.and_then(|instances| {
            if !(0.0..=1.0).contains(&weight) {
                return Err(format!("has a bind with weight {weight}; expected 0 to 1"));
            }
            let found: Vec<usize> = instances.iter().copied().filter(has).collect();
            if found.is_empty() && !instances.is_empty() {
                return Err(format!(
                    "binds morph target {}, which its mesh lacks",
                    target.0
                ));
            }
            Ok(found)
        });
        match found {
            Ok(found) => binds.extend(found.into_iter().map(|index| MorphBind {
                instance: InstanceId::from_index(index),
                target: target.index(),
                weight,
            })),
            Err(why) => {
                let mut location = Location::FILE.part(Part::Expression(name.to_owned()));
                let id = ExpressionId::from_index(self.expressions.len());
                location.ids.expression = Some(id);
                self.log
                    .defects
                    .add(DefectKind::BrokenExpression, location, why);
            }
        }
    }

    fn note_materials(&mut self, name: &str) {
        let location = format!("expression {:?}", printable(name, LONGEST));
        self.log
            .notes
            .add(location, "its material changes are not drawn");
    }
}
