//! The used meshes and skins of a model, each once.

use std::collections::BTreeSet;

use crate::lint::core::context::Context;
use crate::rig::{Asset, Location, Mesh, MeshInstance, Skin, SkinId};

/// A mesh with weights and the skin that deforms it.
#[derive(Debug, Clone, Copy)]
pub(in crate::lint) struct Skinned<'a> {
    /// The first use of this mesh with this skin.
    pub(in crate::lint) instance: &'a MeshInstance,
    pub(in crate::lint) mesh: &'a Mesh,
    pub(in crate::lint) skin_id: SkinId,
    pub(in crate::lint) skin: &'a Skin,
}

/// Every pair of a mesh and a skin, once however many instances show it. Meshes without weights are skipped.
pub(in crate::lint) fn skinned(asset: &Asset) -> Vec<Skinned<'_>> {
    let mut seen = BTreeSet::new();
    let uses = asset.instances.iter().filter_map(|instance| {
        let skin_id = instance.skin?;
        let mesh = asset.mesh_of(instance);
        let is_new = !mesh.influences.is_empty() && seen.insert((instance.mesh, skin_id));
        is_new.then(|| Skinned {
            instance,
            mesh,
            skin_id,
            skin: &asset.skins[skin_id.index()],
        })
    });
    uses.collect()
}

/// The first instance of every mesh that is shown at all.
pub(in crate::lint) fn shown(asset: &Asset) -> impl Iterator<Item = &MeshInstance> {
    let mut seen = BTreeSet::new();
    let instances = asset.instances.iter();
    instances.filter(move |instance| seen.insert(instance.mesh))
}

/// Whether rules that watch poses see an instance: if anything in the model is skinned, only skinned instances. Others
/// have the same shape in every pose.
pub(in crate::lint) fn watched(asset: &Asset) -> impl Fn(&MeshInstance) -> bool {
    let is_skinned = |instance: &MeshInstance| instance.skin.is_some();
    let any = asset.instances.iter().any(is_skinned);
    move |instance| !any || is_skinned(instance)
}

/// The location of a skin in findings: its own name, else that of the first mesh that it deforms.
pub(in crate::lint) fn skin_location(cx: &Context<'_>, id: SkinId) -> Location {
    let skin = &cx.asset.skins[id.index()];
    let mut users = cx.asset.instances.iter();
    match users.find(|instance| instance.skin == Some(id)) {
        Some(user) if skin.name.is_empty() => cx.mesh(user),
        _ => Location::skin(skin.name.as_str()),
    }
}
