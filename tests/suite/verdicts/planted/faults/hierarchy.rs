//! Faults of joints, their names and transforms.

use glam::{Mat4, Vec3};
use serde_json::json;
use skincheck::rig::{Asset, LocalTransform, NodeId};

use super::super::stored::through_file;
use super::weights::pairs;
use super::{Class, change_middle, drop_tracks, heads, middle, rejoint, slot, trs};

pub(super) const CLASSES: &[Class] = &[
    Class::of("two joints of one name", &["H301"]).planted(|asset, _| {
        let name = asset.skeleton.nodes()[1].name.clone();
        change_middle(asset, |joint| joint.name = name)
    }),
    Class::of("names that differ in capitals alone", &["H312"]).planted(|asset, _| {
        let name = asset.skeleton.nodes()[1].name.to_uppercase();
        change_middle(asset, |joint| joint.name = name)
    }),
    Class::of("a joint without a name", &["H312"])
        .planted(|asset, _| change_middle(asset, |joint| joint.name.clear())),
    Class::of("a limb that hangs on nothing", &["H303"]).planted(|asset, _| {
        let joint = middle(asset);
        let head = heads(asset)[slot(asset, joint) as usize];
        rejoint(asset, joint, |joint| {
            joint.parent = None;
            trs(&mut joint.rest).translation = head;
        });
        true
    }),
    Class::of(
        "a limb that hangs on another (wrong parent)",
        &["B205", "W114"],
    )
    .planted(|asset, _| change_middle(asset, |joint| joint.parent = Some(NodeId(0)))),
    Class::of(
        "a joint that no skin binds between two that one does",
        &["H307"],
    )
    .planted(|asset, _| {
        let joint = NodeId::from_index(middle(asset));
        let parent = asset.skeleton[joint].parent;
        let skin = &mut asset.skins[0];
        let slot = skin.joints.iter().position(|own| *own == joint);
        let slot = slot.expect("the skin binds it");
        let above = skin.joints.iter().position(|own| Some(*own) == parent);
        let above = above.expect("and its parent") as u32;
        skin.joints.remove(slot);
        skin.inverse_bind_matrices.remove(slot);
        let slot = slot as u32;
        super::reweigh(asset, |_, list| {
            for influence in list {
                influence.slot.0 = if influence.slot.0 == slot {
                    above
                } else {
                    influence.slot.0
                };
                influence.slot.0 -= u32::from(influence.slot.0 > slot);
            }
        });
        true
    }),
    Class::of("a joint of scale 0", &["T404"])
        .planted(|asset, _| scaled(asset, Vec3::new(1.0, 0.0, 1.0))),
    Class::of("a joint that mirrors", &["T405"])
        .planted(|asset, _| scaled(asset, Vec3::new(-1.0, 1.0, 1.0))),
    Class::of("a joint of uneven scale (factor)", &["T403"])
        .seen_from(1.3, &[1.000_01, 1.3, 3.0])
        .planted(|asset, factor| scaled(asset, Vec3::new(1.0, factor, 1.0))),
    Class::of("a sheared joint (shear)", &["T402"])
        .seen_from(0.2, &[1e-6, 0.2, 1.0])
        .planted(|asset, shear| {
            let joint = middle(asset);
            drop_tracks(asset, joint);
            change_middle(asset, |joint| {
                let mut sheared = Mat4::IDENTITY;
                sheared.y_axis.x = shear;
                joint.rest = LocalTransform::Matrix(joint.rest.to_matrix() * sheared);
            })
        }),
    Class::of("a joint that is nowhere (NaN)", &["T407"]).planted(|asset, _| {
        change_middle(asset, |joint| {
            trs(&mut joint.rest).translation.x = f32::NAN;
        })
    }),
    Class::of("an armature of an odd scale (factor)", &["B209"])
        .seen_from(0.3, &[1.000_01, 0.3, 7.0])
        .planted(|asset, factor| {
            if (factor - 1.0).abs() < 0.01 {
                return false;
            }
            // The bind matrices undo it, as in exported files.
            rejoint(asset, 0, |root| {
                trs(&mut root.rest).scale = Vec3::splat(factor);
            });
            let joints = asset.skeleton.nodes().to_vec();
            let mut worlds: Vec<Mat4> = Vec::new();
            for joint in &joints {
                let parent = joint
                    .parent
                    .map_or(Mat4::IDENTITY, |parent| worlds[parent.index()]);
                worlds.push(parent * joint.rest.to_matrix());
            }
            let skin = &mut asset.skins[0];
            for (joint, matrix) in skin.joints.iter().zip(&mut skin.inverse_bind_matrices) {
                *matrix = worlds[joint.index()].inverse();
            }
            true
        }),
    Class::of("a leg or arm of the left named right", &["H314"]).planted(|asset, _| {
        let Some([left, right]) = pairs(asset).first().map(|pair| pair.map(|j| j as usize)) else {
            return false;
        };
        let names = [left, right].map(|joint| asset.skeleton.nodes()[joint].name.clone());
        let [one, other] = names;
        rejoint(asset, left, |joint| joint.name = other);
        rejoint(asset, right, |joint| joint.name = one);
        true
    }),
    Class::of("a stated skeleton that is not above all joints", &["H315"])
        .seen_from(1.0, &[0.0, 1.0])
        .planted(|asset, wrong| {
            let joint = if wrong > 0.0 { middle(asset) } else { 0 };
            through_file(asset, |file| {
                file.json["skins"][0]["skeleton"] = json!(joint);
            })
        }),
    Class::of("a skeleton that is in no scene", &["H316"])
        .seen_from(1.0, &[0.0, 1.0])
        .planted(|asset, wrong| {
            let body = asset.instances[0].node.index();
            let roots = if wrong > 0.0 {
                vec![body]
            } else {
                vec![body, 0]
            };
            through_file(asset, |file| file.json["scenes"][0]["nodes"] = json!(roots))
        }),
];

fn scaled(asset: &mut Asset, scale: Vec3) -> bool {
    change_middle(asset, |joint| trs(&mut joint.rest).scale = scale)
}
