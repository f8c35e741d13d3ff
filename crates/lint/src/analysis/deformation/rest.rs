//! The model in its rest pose.

use crate::analysis::deformation::scale::Factors;
use crate::analysis::joints::watched;
use crate::analysis::size;
use crate::core::context::{Analysis, Context};
use crate::palette::build_palette;
use crate::pose::{self, ModelPose};
use crate::rig::{Asset, Bounds, DeformedMesh, Skin};
use crate::skinning::{Attributes, PreparedMeshes, SkinningError};

/// The model in its rest pose, in world space.
#[derive(Debug)]
pub(crate) struct Rest {
    /// Every joint.
    pub(crate) pose: ModelPose,
    /// Around each instance.
    pub(crate) boxes: Vec<Bounds>,
    /// Around all instances.
    pub(crate) whole: Bounds,
    /// The diagonal of the skinned meshes, or of all if none is; without [strays](size::diagonal).
    pub(crate) size: f64,
    /// The bound diagonal of the largest skin, at the scale of its joints at rest; 0 if nothing is skinned.
    pub(crate) bound_size: f64,
}

impl Rest {
    /// Computes it for `asset`, which `skin` skins.
    fn of(asset: &Asset, skin: &PreparedMeshes) -> Result<Self, SkinningError> {
        let pose = pose::model_pose(asset, &pose::rest(asset));
        let meshes = skin.deform(asset, &pose, Attributes::Positions)?;
        let whole = Bounds::of_meshes(&meshes);
        Ok(Self {
            boxes: meshes
                .iter()
                .map(|mesh| Bounds::of_meshes([mesh]))
                .collect(),
            size: size(asset, &meshes),
            bound_size: bound_size(asset, &pose),
            whole,
            pose,
        })
    }
}

/// The model in its rest pose; `None` if it cannot be skinned.
struct Resting(Option<Rest>);

impl Analysis for Resting {
    fn of(cx: &Context<'_>) -> Self {
        Self(Rest::of(cx.asset, cx.get::<PreparedMeshes>()).ok())
    }
}

/// The model of `cx` in its rest pose; `None` if it cannot be skinned.
pub(crate) fn rest<'a>(cx: &'a Context<'_>) -> Option<&'a Rest> {
    cx.get::<Resting>().0.as_ref()
}

fn size(asset: &Asset, meshes: &[DeformedMesh]) -> f64 {
    let is_shown = watched(asset);
    let meshes = asset.instances.iter().zip(meshes);
    let shown = meshes.filter(|(instance, _)| is_shown(instance));
    size::diagonal(shown.flat_map(|(_, mesh)| &mesh.positions))
}

fn bound_size(asset: &Asset, pose: &ModelPose) -> f64 {
    let mut bounds = vec![Bounds::EMPTY; asset.skins.len()];
    for instance in &asset.instances {
        let own = || Bounds::of_f32(&asset.mesh_of(instance).positions);
        if let Some(bounds) = instance.skin.and_then(|skin| bounds.get_mut(skin.index())) {
            *bounds = bounds.united(own());
        }
    }
    let used = asset
        .skins
        .iter()
        .zip(bounds)
        .filter(|(_, bounds)| !bounds.is_empty());
    let sizes = used.map(|(skin, bounds)| bounds.diagonal() * typical_scale(skin, pose));
    sizes.filter(|size| size.is_finite()).fold(0.0, f64::max)
}

/// The median scale of the joints of `skin` that do not hide what follows them; 0 without any.
fn typical_scale(skin: &Skin, pose: &ModelPose) -> f64 {
    let palette = build_palette(skin, pose).unwrap_or_default().0;
    let factors = palette.iter().map(Factors::of);
    let shown = factors.filter(|factors| factors.area > 0.0);
    let mut scales: Vec<f64> = shown.map(|factors| factors.stretch).collect();
    // The median: a prop or a helper of another scale does not count.
    scales.sort_unstable_by(f64::total_cmp);
    scales.get(scales.len() / 2).copied().unwrap_or(0.0)
}
