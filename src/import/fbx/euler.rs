//! Rotations by three angles.

use glam::{DQuat, DVec3};
use ufbx::RotationOrder;

/// The rotation by `degrees` about the axes x, y and z, the first of `order` first.
///
/// The sines are those of the `libm` crate, which has the same bits on every platform. The "spheric" order has no
/// formula and is read as no rotation.
///
/// # Reference
///
/// FBX SDK, `EFbxRotationOrder`.
pub(super) fn rotation(degrees: DVec3, order: RotationOrder) -> DQuat {
    if degrees == DVec3::ZERO {
        return DQuat::IDENTITY;
    }
    let x = about(DVec3::X, degrees.x);
    let y = about(DVec3::Y, degrees.y);
    let z = about(DVec3::Z, degrees.z);
    match order {
        RotationOrder::Xyz => z * y * x,
        RotationOrder::Xzy => y * z * x,
        RotationOrder::Yzx => x * z * y,
        RotationOrder::Yxz => z * x * y,
        RotationOrder::Zxy => y * x * z,
        RotationOrder::Zyx => x * y * z,
        RotationOrder::Spheric => DQuat::IDENTITY,
    }
}

fn about(axis: DVec3, degrees: f64) -> DQuat {
    let (sine, cosine) = libm::sincos(degrees.to_radians() * 0.5);
    let vector = axis * sine;
    DQuat::from_xyzw(vector.x, vector.y, vector.z, cosine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_is_that_of_ufbx() {
        let orders = [
            RotationOrder::Xyz,
            RotationOrder::Xzy,
            RotationOrder::Yzx,
            RotationOrder::Yxz,
            RotationOrder::Zxy,
            RotationOrder::Zyx,
            RotationOrder::Spheric,
        ];
        let (x, y, z) = (20.0, -70.0, 200.0);
        for order in orders {
            let ours = rotation(DVec3::new(x, y, z), order);
            let theirs = ufbx::euler_to_quat(ufbx::Vec3 { x, y, z }, order);
            let theirs = DQuat::from_xyzw(theirs.x, theirs.y, theirs.z, theirs.w);
            assert!(
                ours.abs_diff_eq(theirs, 1e-15),
                "{order:?}: {ours} {theirs}"
            );
        }
    }
}
