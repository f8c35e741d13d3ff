//! The OpenGL path: skinning and drawing in shaders.

use super::{Backend, BackendError, Device, Driver, Model, Scene, check_size};
use crate::frame::Frame;
use crate::gl::{GlChoice, GlModel, ImageParams, Offscreen};
use crate::pose::ModelPose;
use crate::rig::{Asset, DeformedMesh, SkinningOptions};

/// The OpenGL backend. Deterministic for one driver; drivers differ in the last bits and along edges.
#[derive(Debug, Clone, Copy)]
pub struct Gl;

impl Backend for Gl {
    fn name(&self) -> &'static str {
        "gl"
    }

    fn open(&self, driver: Driver) -> Result<Box<dyn Device>, BackendError> {
        let offscreen = Offscreen::open(driver.into())?;
        Ok(Box::new(GlDevice { offscreen }))
    }
}

impl From<Driver> for GlChoice {
    fn from(driver: Driver) -> Self {
        match driver {
            Driver::Auto => Self::Auto,
            Driver::Software => Self::Software,
            Driver::Hardware => Self::Hardware,
        }
    }
}

struct GlDevice {
    offscreen: Offscreen,
}

impl Device for GlDevice {
    fn describe(&self) -> String {
        let info = self.offscreen.info();
        format!("{}, OpenGL {}", info.renderer, info.version)
    }

    fn load<'a>(&'a mut self, asset: &'a Asset) -> Result<Box<dyn Model + 'a>, BackendError> {
        check_size(asset)?;
        let model = GlModel::load(self.offscreen.current(), asset)?;
        Ok(Box::new(model))
    }
}

impl Model for GlModel<'_> {
    fn deform(
        &mut self,
        pose: &ModelPose,
        options: &SkinningOptions,
    ) -> Result<Vec<DeformedMesh>, BackendError> {
        Ok(GlModel::deform(self, pose, options)?)
    }

    fn render(&mut self, scene: &Scene<'_>) -> Result<Frame, BackendError> {
        Ok(self.draw(&ImageParams {
            pose: scene.pose,
            skinning: scene.skinning,
            camera: &scene.camera,
            viewport: scene.viewport,
            style: &scene.style,
        })?)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use glam::{Mat4, Quat, Vec3};
    use proptest::prelude::*;

    use super::*;
    use crate::gl::testing::open;
    use crate::pose::rigs::{PosedRig, asset_of, named_joint, posed_rigs};
    use crate::rig::{
        Blending, Influence, Influences, LocalTransform, Mesh, MeshId, MeshInstance, NodeId, Skin,
        SkinId, SkinSlot, SkinningMethod, WeightPolicy,
    };
    use crate::skinning::bound::{self, Underflow};
    use crate::skinning::reference;
    use crate::units::law::{Verdict, check};

    const POLICIES: [WeightPolicy; 2] = [WeightPolicy::Normalize, WeightPolicy::AsIs];

    fn options(policy: WeightPolicy, limit: u32) -> SkinningOptions {
        SkinningOptions {
            weights: policy,
            max_influences: NonZeroU32::new(limit),
            ..SkinningOptions::default()
        }
    }

    fn any_options() -> impl Strategy<Value = SkinningOptions> {
        let policy = prop::sample::select(POLICIES.to_vec());
        let methods = [SkinningMethod::Linear, SkinningMethod::DualQuaternion];
        let method = prop::sample::select(methods.to_vec());
        (policy, 0..5_u32, method).prop_map(|(policy, limit, method)| SkinningOptions {
            method,
            ..options(policy, limit)
        })
    }

    /// `deformed` is as near to the reference as rounding explains.
    fn assert_close(
        deformed: &[DeformedMesh],
        asset: &Asset,
        pose: &ModelPose,
        options: SkinningOptions,
    ) -> Result<(), TestCaseError> {
        let exact = reference::deform(asset, pose, &options).expect("the rig is whole");
        let bounds =
            bound::rounding(asset, pose, &options, Underflow::Flushed).expect("the rig is whole");
        prop_assert_eq!(deformed.len(), exact.len());
        for ((found, exact), bound) in deformed.iter().zip(&exact).zip(&bounds) {
            let lists = [
                (&found.positions, &exact.positions, &bound.positions),
                (&found.normals, &exact.normals, &bound.normals),
                (&found.tangents, &exact.tangents, &bound.tangents),
                (&found.bitangents, &exact.bitangents, &bound.bitangents),
            ];
            for (found, exact, bound) in lists {
                prop_assert_eq!(found.len(), exact.len());
                for (vertex, (found, exact)) in found.iter().zip(exact).enumerate() {
                    let error = found.as_dvec3().distance(*exact);
                    let near = error <= bound[vertex];
                    prop_assert!(near, "vertex {}: {} != {}", vertex, found, exact);
                }
            }
        }
        Ok(())
    }

    /// Skinning by shaders comes to what the books say. `spoil` changes what the shaders are given.
    fn shaders_agree_with_the_reference(
        gl: &Offscreen,
        spoil: impl Fn(&mut Asset, &mut ModelPose, &mut SkinningOptions),
    ) -> Verdict<(PosedRig, SkinningOptions)> {
        check(&(posed_rigs(), any_options()), |(rig, options)| {
            let pose = rig.model_pose();
            let (mut asset, mut given, mut chosen) = (rig.asset.clone(), pose.clone(), options);
            spoil(&mut asset, &mut given, &mut chosen);
            let mut model = GlModel::load(gl.current(), &asset).expect("the rig is whole");
            let deformed = model.deform(&given, &chosen).expect("the rig is whole");
            assert_close(&deformed, &rig.asset, &pose, options)
        })
    }

    #[test]
    fn shaders_skin_within_the_rounding_of_the_reference() {
        let Some(gl) = open() else { return };
        let verdict = shaders_agree_with_the_reference(&gl, |_, _, _| {});
        verdict.unwrap_or_else(|error| panic!("{error}"));
    }

    #[test]
    fn shaders_skin_shares_of_both_methods_within_the_rounding_of_the_reference() {
        let Some(gl) = open() else { return };
        let shares = prop::collection::vec(0.0_f32..=1.0, 12);
        let verdict = check(&(posed_rigs(), shares), |(mut rig, shares)| {
            rig.asset.meshes[0].blending = Blending::Mixed(shares);
            let (pose, options) = (rig.model_pose(), SkinningOptions::default());
            let mut model = GlModel::load(gl.current(), &rig.asset).expect("the rig is whole");
            let deformed = model.deform(&pose, &options).expect("the rig is whole");
            assert_close(&deformed, &rig.asset, &pose, options)
        });
        verdict.unwrap_or_else(|error| panic!("{error}"));
    }

    #[test]
    fn linear_blending_instead_of_dual_quaternions_is_caught() {
        let Some(gl) = open() else { return };
        let verdict = shaders_agree_with_the_reference(&gl, |_, _, options| {
            options.method = SkinningMethod::Linear;
        });
        assert!(verdict.is_err());
    }

    #[test]
    fn a_transposed_inverse_bind_matrix_is_caught() {
        let Some(gl) = open() else { return };
        let verdict = shaders_agree_with_the_reference(&gl, |asset, _, _| {
            let matrices = &mut asset.skins[0].inverse_bind_matrices;
            for matrix in matrices {
                *matrix = matrix.transpose();
            }
        });
        assert!(verdict.is_err());
    }

    #[test]
    fn slots_taken_for_joints_are_caught() {
        let Some(gl) = open() else { return };
        let verdict = shaders_agree_with_the_reference(&gl, |asset, _, _| {
            asset.skins[0].joints.reverse();
        });
        assert!(verdict.is_err());
    }

    #[test]
    fn a_fifth_influence_that_is_dropped_is_caught() {
        let Some(gl) = open() else { return };
        let verdict = shaders_agree_with_the_reference(&gl, |_, _, options| {
            options.max_influences = options.max_influences.or(NonZeroU32::new(4));
        });
        assert!(verdict.is_err());
    }

    #[test]
    fn weights_that_are_not_normalized_are_caught() {
        let Some(gl) = open() else { return };
        let verdict = shaders_agree_with_the_reference(&gl, |_, _, options| {
            options.weights = WeightPolicy::AsIs;
        });
        assert!(verdict.is_err());
    }

    #[test]
    fn forgotten_morph_targets_are_caught() {
        let Some(gl) = open() else { return };
        let verdict = shaders_agree_with_the_reference(&gl, |_, pose, _| {
            for weights in &mut pose.morph_weights {
                weights.fill(0.0);
            }
        });
        assert!(verdict.is_err());
    }

    /// A fan of `joints` joints, each turned and moved a little differently, and two vertices: one that every joint influences, and
    /// one that the last does.
    fn crowd(joints: u16) -> (Asset, ModelPose) {
        let node = |_| named_joint("joint", None, LocalTransform::Matrix(Mat4::IDENTITY));
        let mut asset = asset_of((0..joints).map(node).collect());
        let position = |joint: u16| {
            let angle = f32::from(joint) * 0.001;
            let turn = Quat::from_xyzw(0.0, angle, 0.0, 1.0).normalize();
            Mat4::from_rotation_translation(turn, Vec3::new(angle, 1.0 - angle, 0.5))
        };
        let all = (0..joints)
            .map(|joint| Influence::new(SkinSlot(u32::from(joint)), 1.0 + f32::from(joint % 7)));
        let last = [Influence::new(SkinSlot(u32::from(joints - 1)), 1.0)];
        asset.meshes.push(Mesh {
            positions: vec![Vec3::ONE, Vec3::X],
            normals: vec![Vec3::Y, Vec3::Z],
            influences: Influences::from_vertices([all.collect(), last.to_vec()]),
            ..Mesh::default()
        });
        asset.skins.push(Skin {
            name: String::new(),
            joints: (0..u32::from(joints)).map(NodeId).collect(),
            inverse_bind_matrices: (0..joints).map(|joint| position(joint).inverse()).collect(),
        });
        asset
            .instances
            .push(MeshInstance::skinned(NodeId(0), MeshId(0), SkinId(0)));
        let pose = ModelPose {
            nodes: (0..joints).rev().map(position).collect(),
            ..ModelPose::default()
        };
        (asset, pose)
    }

    #[test]
    fn ten_thousand_influences_on_one_vertex_are_blended() {
        let Some(gl) = open() else { return };
        let (asset, pose) = crowd(10_000);
        for policy in POLICIES {
            let options = options(policy, 0);
            let mut model = GlModel::load(gl.current(), &asset).expect("it fits");
            let deformed = model.deform(&pose, &options).expect("it fits");
            assert_close(&deformed, &asset, &pose, options).expect("rounding explains it");
        }
    }
}
