//! Joints that an importer added because a plain hierarchy cannot express the file's transforms.
//!
//! A helper belongs to a joint of the file, its owner, and is recognised by its name and position:
//!
//! | name | where | made of |
//! |---|---|---|
//! | `X_$AssimpFbx$_…` | above X, in a row; or right below it | pivots, pre-rotation and geometric transform of FBX |
//! | `X (unscaled)` | right above X | the part of X that children without its scale are attached to |
//! | `X (geometry)` | right below X | geometric transform of FBX |

use crate::rig::{Asset, NodeId};

const PIVOT: &str = "_$AssimpFbx$_";
const UNSCALED: &str = " (unscaled)";
const GEOMETRY: &str = " (geometry)";

/// For each joint of `asset`, the joint that owns it; `None` for a joint of the file.
#[must_use]
pub fn owners(asset: &Asset) -> Vec<Option<NodeId>> {
    let joints = asset.skeleton.nodes();
    let mut owners = vec![None; joints.len()];
    for (id, _) in asset.skeleton.iter() {
        if let Some(owner) = owner_above(asset, &owners, id) {
            owners[id.index()] = Some(owner);
        }
    }
    claim_rows(asset, &mut owners);
    owners
}

/// The parent of `id` in the file: a helper's children belong to its owner, and the owner's parent is whatever is above
/// its helpers.
#[must_use]
pub fn parent_past(asset: &Asset, owners: &[Option<NodeId>], id: NodeId) -> Option<NodeId> {
    let parent_of = |id: NodeId| asset.skeleton.get(id)?.parent;
    let mut above = parent_of(id);
    while let Some(parent) = above {
        match owners[parent.index()] {
            Some(owner) if owner == id => above = parent_of(parent),
            Some(owner) => return Some(owner),
            None => break,
        }
    }
    above
}

/// The name of the owner of a helper called `name`; `None` if it is not one.
fn helped<'a>(name: &'a str, suffixes: &[&str]) -> Option<&'a str> {
    if let Some((owner, _)) = name.split_once(PIVOT) {
        return Some(owner);
    }
    suffixes.iter().find_map(|suffix| name.strip_suffix(suffix))
}

/// The parent, if `id` is a helper right below its owner.
fn owner_above(asset: &Asset, owners: &[Option<NodeId>], id: NodeId) -> Option<NodeId> {
    let joint = asset.skeleton.get(id)?;
    let wanted = helped(&joint.name, &[GEOMETRY])?;
    let parent = joint.parent?;
    let is_owner = asset.skeleton.get(parent)?.name == wanted && owners[parent.index()].is_none();
    is_owner.then_some(parent)
}

/// Assigns to each joint the unbroken row of helpers above it.
fn claim_rows(asset: &Asset, owners: &mut [Option<NodeId>]) {
    for (id, joint) in asset.skeleton.iter() {
        let mut above = joint.parent;
        while let Some(parent) = above {
            let Some(helper) = asset.skeleton.get(parent) else {
                break;
            };
            let is_helper = helped(&helper.name, &[UNSCALED]) == Some(joint.name.as_str())
                && owners[parent.index()].is_none();
            if !is_helper {
                break;
            }
            owners[parent.index()] = Some(id);
            above = helper.parent;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::rigs::{asset_of, named_joint};
    use crate::rig::{LocalTransform, Trs};

    /// The owners by name of a row of joints, each the child of the one before.
    fn owners_of(names: &[&str]) -> Vec<Option<String>> {
        let identity = LocalTransform::Trs(Trs::IDENTITY);
        let joints = names.iter().enumerate().map(|(index, name)| {
            let parent = u32::try_from(index).unwrap().checked_sub(1);
            named_joint(name, parent, identity)
        });
        let asset = asset_of(joints.collect());
        let owners = owners(&asset);
        let name = |id: NodeId| asset.skeleton[id].name.clone();
        owners.into_iter().map(|owner| owner.map(name)).collect()
    }

    #[test]
    fn a_row_of_pivots_belongs_to_the_joint_below() {
        let row = [
            "X_$AssimpFbx$_Translation",
            "X_$AssimpFbx$_Rotation",
            "X",
            "Y",
        ];
        let x = || Some("X".to_owned());
        assert_eq!(owners_of(&row), [x(), x(), None, None]);
    }

    #[test]
    fn a_geometric_transform_belongs_to_the_joint_above() {
        let x = || Some("X".to_owned());
        assert_eq!(owners_of(&["X", "X (geometry)"]), [None, x()]);
        let row = ["X", "X_$AssimpFbx$_GeometricTranslation"];
        assert_eq!(owners_of(&row), [None, x()]);
    }

    #[test]
    fn a_part_without_scale_belongs_to_the_joint_below() {
        assert_eq!(
            owners_of(&["X (unscaled)", "X"]),
            [Some("X".to_owned()), None]
        );
    }

    #[test]
    fn a_helper_without_an_owner_is_a_joint() {
        assert_eq!(owners_of(&["X (unscaled)", "Y"]), [None, None]);
        assert_eq!(owners_of(&["A_$AssimpFbx$_Rotation"]), [None]);
    }
}
