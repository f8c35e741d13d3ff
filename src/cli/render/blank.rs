//! Pictures of what the model does not have, which look like pictures of something.

use skincheck::frame::Frame;
use skincheck::rig::{Asset, Mesh, MeshInstance, NodeId};
use skincheck::shown::escaped;
use skincheck::view::Show;

/// Whether nothing was drawn: every pixel is the background.
pub(super) fn is_blank(frame: &Frame) -> bool {
    let mut pixels = frame.rgba.chunks_exact(4);
    let first = pixels.next();
    frame.depth.iter().all(|depth| *depth >= 1.0) && pixels.all(|pixel| Some(pixel) == first)
}

/// Why a picture of `show` tells nothing about `asset`; `None` if it tells something.
pub(super) fn reason(show: Show, asset: &Asset) -> Option<String> {
    match show {
        Show::Weights(joint) => without_weight(joint, asset),
        Show::Influences => without_skin(asset, "every vertex is drawn as one without influence"),
        Show::Joints => without_skin(asset, "each mesh has the colour of its own node"),
        Show::Uv => without_uv(asset),
        Show::Lit
        | Show::Texture
        | Show::Values
        | Show::Normals
        | Show::Depth
        | Show::Wireframe => None,
    }
}

fn without_weight(joint: NodeId, asset: &Asset) -> Option<String> {
    let name = escaped(&asset.skeleton.get(joint)?.name);
    let pulled = asset
        .instances
        .iter()
        .any(|instance| pulls(joint, instance, asset));
    let bound = asset.bound_joints()[joint.index()];
    let but = if bound {
        "although a skin binds it"
    } else {
        "no skin binds it; `skincheck inspect MODEL --joints` marks those that one does"
    };
    (!pulled).then(|| format!("no vertex has weight on \"{name}\" ({but})"))
}

/// Whether a vertex of `instance` follows `joint`, be it because the whole mesh hangs on it.
fn pulls(joint: NodeId, instance: &MeshInstance, asset: &Asset) -> bool {
    let mesh = asset.mesh_of(instance);
    let slots = asset.skin_of(instance).map(|skin| skin.joints.as_slice());
    let slots = slots.unwrap_or_default();
    let by_skin = mesh.influences.all().iter().any(|influence| {
        influence.weight != 0.0 && slots.get(influence.joint.index()) == Some(&joint)
    });
    by_skin || (instance.node == joint && (slots.is_empty() || has_free_vertex(mesh)))
}

/// Whether no joint pulls some vertex of `mesh`, which then keeps to its node.
fn has_free_vertex(mesh: &Mesh) -> bool {
    let mut vertices = mesh.influences.iter();
    mesh.influences.is_empty()
        || vertices.any(|influences| influences.iter().all(|influence| influence.weight == 0.0))
}

fn without_skin(asset: &Asset, so: &str) -> Option<String> {
    let skinned = asset
        .instances
        .iter()
        .any(|instance| instance.skin.is_some());
    (!skinned).then(|| format!("no mesh has a skin, so {so}"))
}

fn without_uv(asset: &Asset) -> Option<String> {
    let mut meshes = asset
        .instances
        .iter()
        .map(|instance| asset.mesh_of(instance));
    let has_uv = meshes.any(|mesh| !mesh.uv_sets.is_empty());
    (!has_uv).then(|| "no mesh has texture coordinates".to_owned())
}
