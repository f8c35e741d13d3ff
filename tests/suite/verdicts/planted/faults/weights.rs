//! Faults of weights.

use glam::{Mat4, Vec3};
use skincheck::rig::{
    Asset, Influence, LocalTransform, Node, NodeId, Skeleton, SkinSlot, Trs, WeightStorage,
};

use super::{Class, below, child, diagonal, farthest, heads, middle, owned, reweigh, slot};

pub(super) const CLASSES: &[Class] = &[
    Class::of("a weight that is NaN", &["W101"])
        .planted(|asset, _| first_weights(asset, |list| list[0].weight = f32::NAN)),
    Class::of("a weight below 0", &["W102"])
        .seen_from(0.05, &[0.05, 0.3])
        .planted(|asset, by| {
            let other = slot(asset, farthest(asset, middle(asset)));
            first_weights(asset, |list| {
                list[0].weight += by;
                list.push(Influence::new(SkinSlot(other), -by));
            })
        }),
    Class::of("sums off 1 (part)", &["W103"])
        .seen_from(0.01, &[1e-7, 0.01, 0.1, 0.5])
        .planted(|asset, by| {
            let slot = slot(asset, middle(asset));
            reweigh(asset, |_, list| {
                if list[0].slot.0 == slot {
                    for influence in list.iter_mut() {
                        influence.weight *= 1.0 - by;
                    }
                }
            });
            asset.meshes[0].weight_storage != WeightStorage::Relative
        }),
    Class::of(
        "vertices without weights (part of a joint's)",
        &["W104", "W105"],
    )
    .seen_from(0.05, &[0.05, 0.3, 1.0])
    .planted(|asset, part| {
        let own = owned(asset, slot(asset, middle(asset)));
        let count = (own.len() as f32 * part).ceil() as usize;
        reweigh(asset, |vertex, list| {
            if own[..count].contains(&vertex) {
                list.clear();
            }
        });
        true
    }),
    Class::of(
        "a vertex that follows a far joint (weight)",
        &["W114", "D602"],
    )
    .seen_from(0.3, &[0.0005, 0.3, 0.6, 1.0])
    .planted(|asset, weight| {
        let own = owned(asset, slot(asset, middle(asset)));
        stray(asset, &own[..1], weight)
    }),
    Class::of(
        "a patch that follows a far joint (weight)",
        &["W114", "D602"],
    )
    .seen_from(0.3, &[0.0005, 0.3, 0.6, 1.0])
    .planted(|asset, weight| {
        let own = owned(asset, slot(asset, middle(asset)));
        stray(asset, &own[..own.len() / 3], weight)
    }),
    Class::of("noise of other joints (weight)", &["W114", "D602"])
        .seen_from(0.1, &[0.0005, 0.1, 0.3])
        .planted(|asset, weight| {
            let joints = asset.skins[0].joints.len();
            let slot = slot(asset, middle(asset));
            reweigh(asset, |vertex, list| {
                if list[0].slot.0 == slot {
                    let other = (vertex * 7 + 3) % joints;
                    mix(list, other as u32, weight);
                }
            });
            true
        }),
    Class::of("left and right exchanged", &["W119"]).planted(|asset, _| {
        let pairs = pairs(asset);
        let other = |slot: u32| {
            let found = pairs.iter().find(|pair| pair.contains(&slot));
            found.map_or(slot, |[left, right]| left + right - slot)
        };
        reweigh(asset, |_, list| {
            for influence in list.iter_mut() {
                influence.slot.0 = other(influence.slot.0);
            }
        });
        !pairs.is_empty()
    }),
    Class::of(
        "two neighbouring chains exchanged, such as fingers",
        &["W119"],
    )
    .planted(|asset, _| {
        let Some(chains) = neighbours(asset) else {
            return false;
        };
        reweigh(asset, |_, list| {
            for influence in list.iter_mut() {
                let own = chains.iter().find(|pair| pair.contains(&influence.slot.0));
                if let Some([one, other]) = own {
                    influence.slot.0 = one + other - influence.slot.0;
                }
            }
        });
        true
    }),
    Class::of("groups off by joints", &["W119", "W114", "D602"])
        .seen_from(1.0, &[1.0, 3.0])
        .planted(|asset, by| {
            let joints = asset.skins[0].joints.len() as u32;
            reweigh(asset, |_, list| {
                for influence in list.iter_mut() {
                    influence.slot.0 = (influence.slot.0 + by as u32) % joints;
                }
            });
            true
        }),
    Class::of("a chain whose weights are its parent's", &["H305"]).planted(|asset, _| {
        let chain = below(asset, middle(asset));
        let above = asset.skeleton.nodes()[chain[0]].parent;
        let above = slot(asset, above.expect("it has a grandparent").index());
        let joints = asset.skins[0].joints.clone();
        reweigh(asset, |_, list| {
            for influence in list.iter_mut() {
                if chain.contains(&joints[influence.slot.index()].index()) {
                    influence.slot.0 = above;
                }
            }
            let whole = list.iter().filter(|own| own.slot.0 == above);
            let weight: f32 = whole.map(|own| own.weight).sum();
            list.retain(|own| own.slot.0 != above);
            if weight > 0.0 {
                list.push(Influence::new(SkinSlot(above), weight));
            }
        });
        asset.meshes.len() == 1
    }),
    Class::of("a chain of joints that moves nothing (joints)", &["H305"])
        .seen_from(3.0, &[1.0, 3.0, 5.0])
        .planted(|asset, count| {
            let top = middle(asset);
            let above = asset.skins[0].inverse_bind_matrices[slot(asset, top) as usize];
            let offset = 0.05 * diagonal(asset);
            let mut joints = asset.skeleton.nodes().to_vec();
            let mut parent = NodeId::from_index(top);
            for number in 1..=count as usize {
                joints.push(Node {
                    name: format!("Strand{number}"),
                    parent: Some(parent),
                    rest: LocalTransform::Trs(Trs {
                        translation: Vec3::X * offset,
                        ..Trs::IDENTITY
                    }),
                });
                parent = NodeId::from_index(joints.len() - 1);
                let back = Mat4::from_translation(Vec3::X * -(number as f32 * offset));
                asset.skins[0].joints.push(parent);
                asset.skins[0].inverse_bind_matrices.push(back * above);
            }
            asset.skeleton = Skeleton::new(joints).expect("parents come first");
            true
        }),
    Class::of("all weight on one joint", &["W116"]).planted(|asset, _| {
        reweigh(asset, |_, list| {
            *list = vec![Influence::new(SkinSlot(0), 1.0)];
        });
        asset.meshes.len() == 1
    }),
    Class::of("more influences than four", &["W106", "W107"])
        .seen_from(5.0, &[5.0, 8.0])
        .planted(|asset, count| {
            first_weights(asset, |list| {
                let part = |slot| Influence::new(SkinSlot(slot), 1.0 / count);
                *list = (0..count as u32).map(part).collect();
            })
        }),
    Class::of("a joint named twice", &["W109"]).planted(|asset, _| {
        first_weights(asset, |list| {
            list[0].weight *= 0.5;
            list.push(list[0]);
        })
    }),
    Class::of("a seam whose sides differ (weight)", &["W113", "D606"])
        .seen_from(0.05, &[1e-4, 0.05, 0.3])
        .planted(|asset, weight| {
            let own = owned(asset, slot(asset, middle(asset)));
            let positions = &asset.meshes[0].positions;
            let is_double = |vertex: &&usize| {
                own.iter()
                    .any(|other| other < *vertex && positions[*other] == positions[**vertex])
            };
            let doubles: Vec<usize> = own.iter().filter(is_double).copied().collect();
            let parent = asset.skeleton.nodes()[middle(asset)].parent;
            let parent = slot(asset, parent.expect("it has a grandparent").index());
            reweigh(asset, |vertex, list| {
                if doubles.contains(&vertex) {
                    mix(list, parent, weight);
                }
            });
            !doubles.is_empty()
        }),
    Class::of("weights painted on one side only (weight)", &["W117"])
        .seen_from(0.1, &[0.004, 0.1, 0.3])
        .planted(|asset, weight| {
            let pairs = pairs(asset);
            let blends = |list: &[Influence]| {
                list.len() > 1 && pairs.iter().any(|[left, _]| list[0].slot.0 == *left)
            };
            let mut changed = false;
            reweigh(asset, |_, list| {
                if blends(list) && list[0].weight > weight {
                    list[0].weight -= weight;
                    list[1].weight += weight;
                    changed = true;
                }
            });
            changed
        }),
];

/// The slots of two chains of joints side by side below the same parent, such as those of two fingers; the nearest two.
fn neighbours(asset: &Asset) -> Option<Vec<[u32; 2]>> {
    let (heads, joints) = (heads(asset), asset.skeleton.nodes());
    let chain = |top: usize| {
        let mut chain = vec![top];
        while let Some(next) = child(asset, chain[chain.len() - 1]) {
            chain.push(next);
        }
        let bound = asset.bound_joints();
        let whole = below(asset, top).into_iter().filter(|own| bound[*own]);
        (whole.count() == chain.len()).then_some(chain)
    };
    let tops = asset.skins[0].joints.iter().map(|joint| joint.index());
    let chains: Vec<Vec<usize>> = tops.filter_map(chain).filter(|own| own.len() > 1).collect();
    let paired = pairs(asset);
    let moves = |joint: &usize| owned(asset, slot(asset, *joint)).len() > 3;
    let pairs = chains.iter().enumerate().flat_map(|(index, one)| {
        let others = chains[index + 1..].iter();
        others.map(move |other| (one, other))
    });
    let alike = pairs.filter_map(|(one, other)| {
        let slots = [one[0], other[0]].map(|joint| slot(asset, joint));
        let are_mirrored = paired
            .iter()
            .any(|pair| slots.iter().all(|own| pair.contains(own)));
        let is_used = one[..2].iter().chain(&other[..2]).all(moves);
        let side_by_side = joints[one[0]].parent == joints[other[0]].parent
            && one.len() == other.len()
            && !are_mirrored
            && is_used;
        let apart = heads[slots[0] as usize].distance(heads[slots[1] as usize]);
        side_by_side.then_some((one, other, apart))
    });
    let (one, other, _) = alike.min_by(|a, b| a.2.total_cmp(&b.2))?;
    let pairs = one.iter().zip(other);
    let pairs = pairs.map(|(a, b)| [slot(asset, *a), slot(asset, *b)]);
    Some(pairs.collect())
}

/// Changes the influences of a vertex with a single joint.
fn first_weights(asset: &mut Asset, change: impl Fn(&mut Vec<Influence>)) -> bool {
    let own = owned(asset, slot(asset, middle(asset)));
    reweigh(asset, |vertex, list| {
        if vertex == own[0] {
            change(list);
        }
    });
    true
}

/// Gives `vertices` the weight `weight` on the farthest joint.
fn stray(asset: &mut Asset, vertices: &[usize], weight: f32) -> bool {
    let other = slot(asset, farthest(asset, middle(asset)));
    reweigh(asset, |vertex, list| {
        if vertices.contains(&vertex) {
            mix(list, other, weight);
        }
    });
    true
}

fn mix(list: &mut Vec<Influence>, slot: u32, weight: f32) {
    if list.iter().all(|influence| influence.slot.0 != slot) {
        for influence in list.iter_mut() {
            influence.weight *= 1.0 - weight;
        }
        list.push(Influence::new(SkinSlot(slot), weight));
    }
}

/// Pairs of left and right joints, by slot.
pub(super) fn pairs(asset: &Asset) -> Vec<[u32; 2]> {
    let joints = &asset.skeleton;
    let joints = asset.skins[0].joints.iter().map(|joint| &joints[*joint]);
    let names: Vec<&str> = joints.map(|joint| &*joint.name).collect();
    let pair = |(left, name): (usize, &&str)| {
        let other = name.replace("Left", "Right").replace(".L", ".R");
        let other = other.replace("_L", "_R").replace("_l", "_r");
        let right = names.iter().position(|name| *name == other)?;
        (right != left).then_some([left as u32, right as u32])
    };
    names.iter().enumerate().filter_map(pair).collect()
}
