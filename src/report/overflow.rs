//! Reports values of a pose that are not finite: finite numbers in a file may overflow in a product.

use crate::pose::ModelPose;
use crate::rig::Asset;
use crate::shown::escaped;

/// A sentence about the nodes without a finite position, if any.
///
/// * `model` – the name of its file.
#[must_use]
pub fn of_nodes(model: &str, asset: &Asset, pose: &ModelPose) -> Option<String> {
    let joints = asset.skeleton.nodes().iter().zip(&pose.nodes);
    let mut lost = joints.filter(|(_, world)| !world.is_finite());
    let (first, _) = lost.next()?;
    let others = others(lost.count());
    let name = escaped(&first.name);
    Some(format!(
        "{model}: not finite (NaN or infinite) in this pose: the position of node \"{name}\"{others}"
    ))
}

/// "and of … others", behind the first of several items.
pub(super) fn others(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => ", and of one other".to_owned(),
        more => format!(", and of {more} others"),
    }
}

#[cfg(test)]
mod tests {
    use glam::Mat4;

    use super::*;
    use crate::pose::rigs::{asset_of, named_joint};
    use crate::rig::LocalTransform;

    #[test]
    fn nodes_past_the_largest_number_are_named() {
        let at = LocalTransform::Matrix(Mat4::IDENTITY);
        let asset = asset_of(vec![
            named_joint("a", None, at),
            named_joint("b", Some(0), at),
        ]);
        let mut pose = crate::pose::bind(&asset);
        assert_eq!(of_nodes("m.glb", &asset, &pose), None);
        pose.nodes[1].w_axis.x = f32::INFINITY;
        let sentence = of_nodes("m.glb", &asset, &pose).unwrap_or_default();
        assert!(
            sentence.ends_with("the position of node \"b\""),
            "{sentence}"
        );
    }
}
