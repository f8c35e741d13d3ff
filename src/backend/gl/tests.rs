//! Vertices of the OpenGL path against the reference.

use proptest::prelude::*;

use super::*;
use crate::gl::GlError;
use crate::pose::law::check;
use crate::pose::rigs::{PosedRig, posed_rigs};
use crate::rig::WeightPolicy;
use crate::skinning::bound::{self, Underflow};
use crate::skinning::reference;

/// `None` where there is no OpenGL, unless the environment insists on it.
fn open() -> Option<Offscreen> {
    match Offscreen::open(GlChoice::Auto) {
        Ok(offscreen) => Some(offscreen),
        Err(GlError::Unavailable(_)) if std::env::var_os("SKINCHECK_REQUIRE_GL").is_none() => None,
        Err(error) => panic!("{error}"),
    }
}

fn options() -> impl Strategy<Value = SkinningOptions> {
    let policy = prop_oneof![Just(WeightPolicy::Normalize), Just(WeightPolicy::AsIs)];
    (policy, 0..5_u32).prop_map(|(weights, limit)| SkinningOptions {
        weights,
        max_influences: std::num::NonZeroU32::new(limit),
    })
}

/// Every vertex of the OpenGL path is within the bound that follows from the roundings of f32.
fn close_to_the_reference(
    gl: &Offscreen,
    rig: &PosedRig,
    options: &SkinningOptions,
) -> Result<(), TestCaseError> {
    let (asset, pose) = (&rig.asset, rig.model_pose());
    let whole = "the rig is whole";
    let mut model = GlModel::load(gl.current(), asset).expect(whole);
    let deformed = model.deform(&pose, options).expect(whole);
    let exact = reference::deform(asset, &pose, options).expect(whole);
    let bounds = bound::rounding(asset, &pose, options, Underflow::Flushed).expect(whole);
    prop_assert_eq!(deformed.len(), exact.len());
    for ((found, exact), bound) in deformed.iter().zip(&exact).zip(&bounds) {
        let lists = [
            (&found.positions, &exact.positions, &bound.positions),
            (&found.normals, &exact.normals, &bound.normals),
            (&found.tangents, &exact.tangents, &bound.tangents),
        ];
        for (found, exact, bound) in lists {
            prop_assert_eq!(found.len(), exact.len());
            for (vertex, (found, exact)) in found.iter().zip(exact).enumerate() {
                let error = found.as_dvec3().distance(*exact);
                prop_assert!(
                    error <= bound[vertex],
                    "vertex {}: {} != {}",
                    vertex,
                    found,
                    exact
                );
            }
        }
        prop_assert_eq!(found.bitangents.len(), exact.bitangents.len());
        for (found, exact) in found.bitangents.iter().zip(&exact.bitangents) {
            prop_assert!(found.as_dvec3().distance(*exact) < 1e-4);
        }
    }
    Ok(())
}

#[test]
fn shaders_skin_within_the_rounding_of_the_reference() {
    let Some(gl) = open() else { return };
    let verdict = check(&(posed_rigs(), options()), |(rig, options)| {
        close_to_the_reference(&gl, &rig, &options)
    });
    verdict
        .unwrap_or_else(|error| panic!("{}", error.to_string().lines().next().unwrap_or_default()));
}
