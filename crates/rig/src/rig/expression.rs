//! Expressions: named sets of morph weights (VRM).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Asset, ExpressionId, InstanceId, Span, Track};

/// A facial expression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Expression {
    /// As in VRM 1.0, such as `happy`; or the author's own.
    pub name: String,
    /// Whether it is either on or off: on above half of its weight.
    pub is_binary: bool,
    /// What it does to expressions that applications move by themselves, in the order of [`Procedural::ALL`].
    pub overrides: [Override; 3],
    /// The weights of morph targets at full weight.
    pub binds: Vec<MorphBind>,
    /// The values of materials at full weight.
    pub material_binds: Vec<MaterialBind>,
}

/// Drives the weight of an expression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExpressionChannel {
    /// Which expression.
    pub expression: ExpressionId,
    /// From 0 to 1; other values count as the nearer of the two.
    pub weight: Track<f32>,
}

/// The weight of a morph target in an expression.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MorphBind {
    /// The instance of the mesh.
    pub instance: InstanceId,
    /// Which of its mesh's targets.
    pub target: usize,
    /// From 0 to 1.
    pub weight: f32,
}

/// The value of a property of a material in an expression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MaterialBind {
    /// The name of the material, or `material 2`.
    pub material: String,
    /// As in the file: `color` or `textureTransform` in VRM 1.0, `_Color` or `_MainTex_ST` in 0.x.
    pub property: String,
    /// A colour, or the scale and the offset of texture coordinates.
    pub value: Vec<f32>,
}

/// What an expression does to others while it shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Override {
    /// Nothing.
    #[default]
    None,
    /// They do not show.
    Block,
    /// They show less, by its weight.
    Blend,
}

/// Expressions that applications move by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Procedural {
    /// `blink`, `blinkLeft`, `blinkRight`.
    Blink,
    /// `lookUp`, `lookDown`, `lookLeft`, `lookRight`.
    LookAt,
    /// `aa`, `ih`, `ou`, `ee`, `oh`.
    Mouth,
}

impl Procedural {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Blink, Self::LookAt, Self::Mouth];

    /// The kind of the expression called `name`, if it is one of them.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "blink" | "blinkLeft" | "blinkRight" => Some(Self::Blink),
            "lookUp" | "lookDown" | "lookLeft" | "lookRight" => Some(Self::LookAt),
            "aa" | "ih" | "ou" | "ee" | "oh" => Some(Self::Mouth),
            _ => None,
        }
    }
}

impl Expression {
    /// Its weight as it counts for others and for its targets, if nothing overrides it.
    fn output(&self, weight: f32) -> f32 {
        match self.is_binary {
            true if weight > 0.5 => 1.0,
            true => 0.0,
            false => weight.clamp(0.0, 1.0),
        }
    }
}

#[cfg(any(test, feature = "testing"))]
impl Expression {
    /// Moves a target of the first instance by half.
    #[doc(hidden)]
    #[must_use]
    pub fn of_target(name: &str, target: usize) -> Self {
        Self {
            name: name.to_owned(),
            is_binary: false,
            overrides: [Override::None; 3],
            binds: vec![MorphBind {
                instance: InstanceId(0),
                target,
                weight: 0.5,
            }],
            material_binds: Vec::new(),
        }
    }
}

impl Asset {
    /// Applies expressions to the model: the weight of each morph target that an expression moves becomes the sum over
    /// the expressions, at rest and in all clips. Expressions that the asset lacks have no effect.
    ///
    /// * `weights` – of expressions by name, from 0 to 1; all others have weight 0.
    ///
    /// # Reference
    ///
    /// VRM 1.0, `VRMC_vrm`, expressions.md: *Procedural override*, *Expression update algorithm*.
    pub fn express(&mut self, weights: &[(String, f32)]) {
        let wanted = |own: &Expression| {
            let stated = weights.iter().rev().find(|(name, _)| *name == own.name);
            stated.map_or(0.0, |(_, weight)| *weight)
        };
        let weights: Vec<f32> = self.expressions.iter().map(wanted).collect();
        let instances = self.instances.iter_mut();
        let mut rest: Vec<Vec<f32>> = instances
            .map(|instance| std::mem::take(&mut instance.morph_weights))
            .collect();
        self.weigh(&weights, &mut rest);
        for (instance, weights) in self.instances.iter_mut().zip(rest) {
            instance.morph_weights = weights;
        }
        self.hold_in_clips();
    }

    /// Gives every morph target that any expression moves the sum of their weights.
    ///
    /// * `weights` – one per expression.
    /// * `morph_weights` – one list per instance.
    pub(crate) fn weigh(&self, weights: &[f32], morph_weights: &mut [Vec<f32>]) {
        let of_target = |bind: &MorphBind| (bind.instance.index(), bind.target);
        for bind in self.expressions.iter().flat_map(|own| &own.binds) {
            let (instance, target) = of_target(bind);
            let targets = self.mesh_of(&self.instances[instance]).morph_targets.len();
            morph_weights[instance].resize(targets, 0.0);
            morph_weights[instance][target] = 0.0;
        }
        let outputs = outputs(&self.expressions, weights);
        for (expression, output) in self.expressions.iter().zip(outputs) {
            for bind in &expression.binds {
                let (instance, target) = of_target(bind);
                morph_weights[instance][target] += bind.weight * output;
            }
        }
    }

    /// Keeps the rest weights of the targets that expressions move in all clips.
    fn hold_in_clips(&mut self) {
        let mut moved: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); self.instances.len()];
        for bind in self.expressions.iter().flat_map(|own| &own.binds) {
            moved[bind.instance.index()].insert(bind.target);
        }
        let Self {
            clips, instances, ..
        } = self;
        for clip in clips.iter_mut() {
            clip.expression_channels.clear();
        }
        for channel in clips.iter_mut().flat_map(|clip| &mut clip.morph_channels) {
            let shown = instances
                .iter()
                .zip(&moved)
                .filter(|(instance, _)| instance.node == channel.node);
            let held = shown.flat_map(|(instance, targets)| {
                let weights = &instance.morph_weights;
                targets.iter().map(|&target| (target, weights[target]))
            });
            for (target, weight) in held {
                for key in &mut channel.weights.keys {
                    set(&mut key.value, target, weight);
                    if let Span::Cubic { leave, arrive } = &mut key.span {
                        set(leave, target, 0.0);
                        set(arrive, target, 0.0);
                    }
                }
            }
        }
    }
}

fn set(weights: &mut [f32], target: usize, weight: f32) {
    if let Some(own) = weights.get_mut(target) {
        *own = weight;
    }
}

/// The weight of each expression after all overrides.
///
/// * `weights` – one per expression, before them.
fn outputs(expressions: &[Expression], weights: &[f32]) -> Vec<f32> {
    let free: Vec<f32> = expressions
        .iter()
        .zip(weights)
        .map(|(own, weight)| own.output(*weight))
        .collect();
    let factors = Procedural::ALL.map(|kind| {
        let taken = expressions.iter().zip(&free).map(|(own, weight)| {
            // An expression does not override its own kind.
            let counts = *weight > 0.0 && Procedural::of(&own.name) != Some(kind);
            match own.overrides[kind as usize] {
                Override::Block if counts => 1.0,
                Override::Blend if counts => *weight,
                _ => 0.0,
            }
        });
        1.0 - taken.sum::<f32>().min(1.0)
    });
    let output = |(own, weight): (&Expression, &f32)| {
        let factor = Procedural::of(&own.name).map_or(1.0, |kind| factors[kind as usize]);
        if own.is_binary && factor < 1.0 {
            return 0.0;
        }
        weight * factor
    };
    expressions.iter().zip(&free).map(output).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{AssetBuilder, Mesh, MorphTarget, Trs};
    use glam::Vec3;

    /// A mesh with three targets, of which `happy` moves the first and `blink` the second.
    fn face(change: impl FnOnce(&mut [Expression; 2])) -> Asset {
        let mut rig = AssetBuilder::new();
        let head = rig.node("head", None, Trs::IDENTITY);
        let target = || MorphTarget {
            positions: vec![Vec3::X; 3],
            ..MorphTarget::default()
        };
        let mesh = rig.mesh(Mesh {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        });
        rig.attach(mesh, head);
        let mut asset = rig.build().expect("the parts fit");
        asset.meshes[0].morph_targets = vec![target(), target(), target()];
        let mut expressions =
            [("happy", 0), ("blink", 1)].map(|(name, target)| Expression::of_target(name, target));
        change(&mut expressions);
        asset.expressions = expressions.into();
        asset.instances[0].morph_weights = vec![0.25, 0.25, 0.25];
        asset
    }

    #[track_caller]
    fn comes_to(mut asset: Asset, [happy, blink]: [f32; 2], expected: [f32; 3]) {
        asset.express(&[("happy".to_owned(), happy), ("blink".to_owned(), blink)]);
        assert_eq!(asset.instances[0].morph_weights, expected);
    }

    #[test]
    fn bound_targets_get_the_weight_and_others_keep_theirs() {
        comes_to(face(|_| ()), [1.0, 0.5], [0.5, 0.25, 0.25]);
        comes_to(face(|_| ()), [0.0, 0.0], [0.0, 0.0, 0.25]);
        comes_to(
            face(|[_, blink]| blink.binds[0].target = 0),
            [1.0, 0.5],
            [0.75, 0.25, 0.25],
        );
    }

    #[test]
    fn a_binary_expression_is_on_or_off() {
        let binary = || face(|[happy, _]| happy.is_binary = true);
        comes_to(binary(), [0.6, 0.0], [0.5, 0.0, 0.25]);
        comes_to(binary(), [0.5, 0.0], [0.0, 0.0, 0.25]);
    }

    #[test]
    fn an_expression_overrides_what_applications_move() {
        let over = |how| face(move |[happy, _]| happy.overrides[Procedural::Blink as usize] = how);
        comes_to(over(Override::Block), [0.1, 1.0], [0.05, 0.0, 0.25]);
        comes_to(over(Override::Block), [0.0, 1.0], [0.0, 0.5, 0.25]);
        comes_to(over(Override::Blend), [0.25, 1.0], [0.125, 0.375, 0.25]);
        let binary = face(|[happy, blink]| {
            happy.overrides[Procedural::Blink as usize] = Override::Blend;
            blink.is_binary = true;
        });
        comes_to(binary, [0.25, 1.0], [0.125, 0.0, 0.25]);
        // Not its own kind.
        let own = face(|[_, blink]| blink.overrides[Procedural::Blink as usize] = Override::Block);
        comes_to(own, [0.0, 1.0], [0.0, 0.5, 0.25]);
    }
}
