//! Lists what models have and no step compares.

use super::joints::JointPairs;
use super::side::{Side, Source};
use super::words::and_more;
use crate::rig::{Asset, Mesh};

/// What either side has and is not compared, in words.
pub(super) fn left_out(sides: [&Side<'_>; 2], joints: &JointPairs) -> Vec<String> {
    let assets: Vec<&Asset> = sides
        .iter()
        .filter_map(|side| match side.source {
            Source::Model(asset) => Some(&**asset),
            Source::Reference(_) => None,
        })
        .collect();
    let has = |what: fn(&Asset) -> bool| assets.iter().any(|asset| what(asset));
    let meshes = |what: fn(&Mesh) -> bool| {
        let mut all = assets.iter().flat_map(|asset| &asset.meshes);
        all.any(what)
    };
    let has_reference = assets.len() < 2;
    let parts = [
        // A reference lacks these.
        (
            has_reference && meshes(|mesh| !mesh.morph_targets.is_empty()),
            "shapes and weights of morph targets",
        ),
        (
            has_reference && meshes(|mesh| !mesh.tangents.is_empty()),
            "tangents",
        ),
        (
            has_reference && has(|asset| !asset.materials.is_empty()),
            "materials",
        ),
        (
            has_reference && has(|asset| !asset.expressions.is_empty()),
            "expressions",
        ),
        (
            has_reference && sides.iter().any(|side| side.can_hide()),
            "visibility",
        ),
        // Nothing compares these.
        (
            !has_reference && has(|asset| !asset.materials.is_empty()),
            "values of materials",
        ),
        (has(|asset| !asset.images.is_empty()), "images"),
        (
            has(|asset| !asset.variants.is_empty()),
            "variants of materials",
        ),
        (has(has_unseen_uvs), "texture coordinates without a texture"),
        (
            meshes(|mesh| mesh.uv_sets.len() > 1),
            "further sets of texture coordinates",
        ),
        (meshes(|mesh| !mesh.color_sets.is_empty()), "vertex colours"),
        (
            meshes(|mesh| {
                mesh.morph_targets
                    .iter()
                    .any(|target| !target.tangents.is_empty())
            }),
            "tangents of morph targets",
        ),
        (
            has(|asset| !asset.constraints.is_empty()),
            "node constraints as such",
        ),
        (
            are_of_two_versions(&assets),
            "values of materials that expressions set, in two versions of VRM",
        ),
        (
            has(|asset| asset.humanoid.is_some()),
            "the bones of the humanoid, spring bones and gaze",
        ),
    ];
    let parts = parts.into_iter().filter(|(is_there, _)| *is_there);
    let mut all: Vec<String> = parts.map(|(_, what)| what.to_owned()).collect();
    for (side, which) in [(0, "before"), (1, "after")] {
        // Importers put nodes of their own above the rig.
        let mut is_above = vec![false; sides[side].joints.len()];
        for (joint, own) in sides[side].joints.iter().enumerate().rev() {
            if let Some(parent) = own.parent.filter(|_| own.is_of_rig || is_above[joint]) {
                is_above[parent] = true;
            }
        }
        let alone = sides[side]
            .joints
            .iter()
            .enumerate()
            .filter(|(joint, own)| {
                let is_reported = own.is_of_rig || own.owner.is_some() || own.name.is_empty();
                !is_reported && !is_above[*joint] && joints.counterparts[side][*joint].is_none()
            });
        let mut alone = alone.map(|(_, own)| &own.name);
        if let Some(name) = alone.next() {
            let more = and_more(alone.count(), "node");
            all.push(format!("`{name}`{more} (only {which})"));
        }
    }
    all
}

/// Whether expressions set values of materials that VRM 0.x and 1.0 state in different ways.
fn are_of_two_versions(assets: &[&Asset]) -> bool {
    let version = |asset: &&Asset| {
        let mut expressions = asset.expressions.iter();
        let has_values = expressions.any(|own| !own.material_binds.is_empty());
        let humanoid = asset.humanoid.as_ref().filter(|_| has_values)?;
        Some(humanoid.version)
    };
    let versions: Vec<_> = assets.iter().filter_map(version).collect();
    versions.windows(2).any(|pair| pair[0] != pair[1])
}

/// Whether a mesh without a texture has texture coordinates.
fn has_unseen_uvs(asset: &Asset) -> bool {
    asset.meshes.iter().any(|mesh| {
        let material = mesh.material.and_then(|id| asset.materials.get(id.index()));
        let is_textured = material.is_some_and(|own| own.base_color_texture.is_some());
        !mesh.uv_sets.is_empty() && !is_textured
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use glam::{Vec2, Vec3, Vec4};

    use crate::diff::{Options, Source, compare};
    use crate::rig::{
        AlphaMode, Asset, AssetBuilder, Expression, Finish, Humanoid, Material, MaterialBind,
        MaterialId, Mesh, Trs, VrmVersion,
    };

    fn plate(change: impl FnOnce(&mut Asset)) -> Asset {
        let mut rig = AssetBuilder::new();
        let root = rig.node("root", None, Trs::IDENTITY);
        let mesh = rig.mesh(Mesh {
            name: "plate".into(),
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        });
        rig.attach(mesh, root);
        let mut asset = rig.build().expect("it is whole");
        change(&mut asset);
        asset
    }

    #[test]
    fn what_either_side_has_and_nothing_compares_is_listed() {
        let listed = |before: Asset, after: Asset| {
            let [before, after] = [before, after].map(Source::from);
            let report = compare(&before, &after, &Options::default());
            report.expect("they correspond").not_compared
        };
        assert!(listed(plate(|_| {}), plate(|_| {})).is_empty());
        let painted = plate(|asset| {
            asset.meshes[0].color_sets = vec![vec![Vec4::ONE; 3]];
            asset.meshes[0].uv_sets = vec![vec![Vec2::ZERO; 3]; 2];
            asset.meshes[0].material = Some(MaterialId(0));
            asset.materials = vec![Material {
                name: "paint".into(),
                base_color: Vec4::ONE,
                base_color_texture: None,
                alpha: AlphaMode::Opaque,
                two_sided: false,
                finish: Finish::default(),
            }];
        });
        let expected = [
            "values of materials",
            "texture coordinates without a texture",
            "further sets of texture coordinates",
            "vertex colours",
        ];
        assert_eq!(listed(plate(|_| {}), painted.clone()), expected);
        assert_eq!(listed(painted, plate(|_| {})), expected);
    }

    #[test]
    fn values_of_expressions_are_listed_where_two_versions_of_vrm_state_them() {
        let face = |version| {
            plate(|asset| {
                asset.humanoid = Some(Humanoid::of(version, BTreeMap::new()));
                asset.expressions = vec![Expression {
                    material_binds: vec![MaterialBind {
                        material: "skin".to_owned(),
                        property: "color".to_owned(),
                        value: vec![1.0; 4],
                    }],
                    ..Expression::of_target("blush", 0)
                }];
                asset.expressions[0].binds.clear();
            })
        };
        let is_listed = |versions: [VrmVersion; 2]| {
            let [before, after] = versions.map(|version| Source::from(face(version)));
            let report = compare(&before, &after, &Options::default());
            let listed = report.expect("they correspond").not_compared;
            listed
                .iter()
                .any(|what| what.contains("two versions of VRM"))
        };
        let [old, new] = [VrmVersion::V0, VrmVersion::V1];
        assert_eq!([[old, new], [new, new]].map(is_listed), [true, false]);
    }
}
