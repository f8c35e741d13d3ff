//! The bones of a humanoid, as VRM names them.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::NodeId;

macro_rules! bones {
    ($($bone:ident = $name:literal $(below $parent:ident)? $(, $required:ident)?;)+) => {
        /// A bone of a humanoid.
        ///
        /// # Reference
        ///
        /// VRM 1.0, `VRMC_vrm`, humanoid.md: list of human bones.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum HumanBone {
            $(
                #[doc = concat!("`", $name, "`.")]
                $bone,
            )+
        }

        impl HumanBone {
            /// All bones, each after the one above it.
            pub const ALL: &[Self] = &[$(Self::$bone,)+];

            /// The name in VRM 1.0, such as `leftHand`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$bone => $name,)+
                }
            }

            /// The bone above it in a complete humanoid; `None` for the hips.
            #[must_use]
            pub fn parent(self) -> Option<Self> {
                match self {
                    $(Self::$bone => {
                        let parent: &[Self] = &[$(Self::$parent)?];
                        parent.first().copied()
                    })+
                }
            }

            /// Whether VRM requires it.
            #[must_use]
            pub fn is_required(self) -> bool {
                match self {
                    $(Self::$bone => bones!(@ $($required)?),)+
                }
            }
        }
    };
    (@ required) => { true };
    (@) => { false };
}

bones! {
    Hips = "hips", required;
    Spine = "spine" below Hips, required;
    Chest = "chest" below Spine;
    UpperChest = "upperChest" below Chest;
    Neck = "neck" below UpperChest;
    Head = "head" below Neck, required;
    LeftEye = "leftEye" below Head;
    RightEye = "rightEye" below Head;
    Jaw = "jaw" below Head;
    LeftUpperLeg = "leftUpperLeg" below Hips, required;
    LeftLowerLeg = "leftLowerLeg" below LeftUpperLeg, required;
    LeftFoot = "leftFoot" below LeftLowerLeg, required;
    LeftToes = "leftToes" below LeftFoot;
    LeftShoulder = "leftShoulder" below UpperChest;
    LeftUpperArm = "leftUpperArm" below LeftShoulder, required;
    LeftLowerArm = "leftLowerArm" below LeftUpperArm, required;
    LeftHand = "leftHand" below LeftLowerArm, required;
    LeftThumbMetacarpal = "leftThumbMetacarpal" below LeftHand;
    LeftThumbProximal = "leftThumbProximal" below LeftThumbMetacarpal;
    LeftThumbDistal = "leftThumbDistal" below LeftThumbProximal;
    LeftIndexProximal = "leftIndexProximal" below LeftHand;
    LeftIndexIntermediate = "leftIndexIntermediate" below LeftIndexProximal;
    LeftIndexDistal = "leftIndexDistal" below LeftIndexIntermediate;
    LeftMiddleProximal = "leftMiddleProximal" below LeftHand;
    LeftMiddleIntermediate = "leftMiddleIntermediate" below LeftMiddleProximal;
    LeftMiddleDistal = "leftMiddleDistal" below LeftMiddleIntermediate;
    LeftRingProximal = "leftRingProximal" below LeftHand;
    LeftRingIntermediate = "leftRingIntermediate" below LeftRingProximal;
    LeftRingDistal = "leftRingDistal" below LeftRingIntermediate;
    LeftLittleProximal = "leftLittleProximal" below LeftHand;
    LeftLittleIntermediate = "leftLittleIntermediate" below LeftLittleProximal;
    LeftLittleDistal = "leftLittleDistal" below LeftLittleIntermediate;
    RightUpperLeg = "rightUpperLeg" below Hips, required;
    RightLowerLeg = "rightLowerLeg" below RightUpperLeg, required;
    RightFoot = "rightFoot" below RightLowerLeg, required;
    RightToes = "rightToes" below RightFoot;
    RightShoulder = "rightShoulder" below UpperChest;
    RightUpperArm = "rightUpperArm" below RightShoulder, required;
    RightLowerArm = "rightLowerArm" below RightUpperArm, required;
    RightHand = "rightHand" below RightLowerArm, required;
    RightThumbMetacarpal = "rightThumbMetacarpal" below RightHand;
    RightThumbProximal = "rightThumbProximal" below RightThumbMetacarpal;
    RightThumbDistal = "rightThumbDistal" below RightThumbProximal;
    RightIndexProximal = "rightIndexProximal" below RightHand;
    RightIndexIntermediate = "rightIndexIntermediate" below RightIndexProximal;
    RightIndexDistal = "rightIndexDistal" below RightIndexIntermediate;
    RightMiddleProximal = "rightMiddleProximal" below RightHand;
    RightMiddleIntermediate = "rightMiddleIntermediate" below RightMiddleProximal;
    RightMiddleDistal = "rightMiddleDistal" below RightMiddleIntermediate;
    RightRingProximal = "rightRingProximal" below RightHand;
    RightRingIntermediate = "rightRingIntermediate" below RightRingProximal;
    RightRingDistal = "rightRingDistal" below RightRingIntermediate;
    RightLittleProximal = "rightLittleProximal" below RightHand;
    RightLittleIntermediate = "rightLittleIntermediate" below RightLittleProximal;
    RightLittleDistal = "rightLittleDistal" below RightLittleIntermediate;
}

impl HumanBone {
    /// The bone called `name` in VRM 1.0.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|bone| bone.name() == name)
    }
}

impl fmt::Display for HumanBone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The version of VRM that a file follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum VrmVersion {
    /// `VRM` 0.x, whose models face along −z.
    #[serde(rename = "0.x")]
    V0,
    /// `VRMC_vrm` 1.0, whose models face along +z.
    #[serde(rename = "1.0")]
    V1,
    /// `VRMC_vrm_animation` 1.0: clips for any humanoid.
    #[serde(rename = "animation 1.0")]
    Animation,
}

impl fmt::Display for VrmVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V0 => "0.x",
            Self::V1 => "1.0",
            Self::Animation => "animation 1.0",
        })
    }
}

/// The nodes that are a humanoid's bones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Humanoid {
    /// The version of the extension that lists them.
    pub version: VrmVersion,
    /// Several bones may be one node; rules report that.
    pub bones: BTreeMap<HumanBone, NodeId>,
    /// By the name of an expression, the node whose x translation is its weight. Only animations have any.
    pub expressions: BTreeMap<String, NodeId>,
}

impl Humanoid {
    /// Bones, without anything else.
    #[must_use]
    pub fn of(version: VrmVersion, bones: BTreeMap<HumanBone, NodeId>) -> Self {
        Self {
            version,
            bones,
            expressions: BTreeMap::new(),
        }
    }

    /// Every node that it names.
    pub fn nodes_mut(&mut self) -> impl Iterator<Item = &mut NodeId> {
        let bones = self.bones.values_mut();
        bones.chain(self.expressions.values_mut())
    }

    /// Every node that it names.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &NodeId> {
        let bones = self.bones.values();
        bones.chain(self.expressions.values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bone_comes_after_its_parent_and_is_found_by_its_name() {
        for (index, bone) in HumanBone::ALL.iter().enumerate() {
            assert_eq!(HumanBone::named(bone.name()), Some(*bone));
            let above = bone.parent();
            assert!(
                above.is_none_or(|above| HumanBone::ALL[..index].contains(&above)),
                "{bone}"
            );
        }
        // hips, spine, head, and per side three bones of the leg and three of the arm.
        let required = HumanBone::ALL.iter().filter(|bone| bone.is_required());
        assert_eq!(required.count(), 15);
    }
}
