//! Poses whose numbers are past those of f32.

use skincheck::pose::ModelPose;
use skincheck::rig::Asset;
use skincheck::shown::escaped;

use super::report::Console;

/// Warns of nodes without a place: what was read may be finite, and yet too large for its products.
///
/// * `model` – as warnings name it.
pub(super) fn warn_of_nodes(model: &str, asset: &Asset, pose: &ModelPose, console: Console) {
    let joints = asset.skeleton.joints().iter().zip(&pose.joints);
    let mut lost = joints.filter(|(_, world)| !world.is_finite());
    let Some((first, _)) = lost.next() else {
        return;
    };
    let others = others(lost.count());
    let name = escaped(&first.name);
    console.warn(format_args!(
        "{model}: not finite (NaN or infinite) in this pose: the place of node \"{name}\"{others}; its scale or \
         translation, or one above it, is too large"
    ));
}

/// "and of … others", behind the first of several things.
pub(super) fn others(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => ", and of one other".to_owned(),
        more => format!(", and of {more} others"),
    }
}
