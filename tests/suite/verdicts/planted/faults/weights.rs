//! Faults of weights.

use skincheck::rig::{Asset, Influence, SkinSlot};

use super::{Class, farthest, middle, owned, reweigh};

pub(super) const CLASSES: &[Class] = &[
    Class::of("a weight that is NaN", &["W101"])
        .planted(|asset, _| first_weights(asset, |list| list[0].weight = f32::NAN)),
    Class::of("a weight below 0", &["W102"])
        .seen_from(0.05, &[0.05, 0.3])
        .planted(|asset, by| {
            let other = farthest(asset, middle(asset)) as u32;
            first_weights(asset, |list| {
                list[0].weight += by;
                list.push(Influence::new(SkinSlot(other), -by));
            })
        }),
    Class::of("sums off 1 (part)", &["W103"])
        .seen_from(0.01, &[1e-7, 0.01, 0.1, 0.5])
        .planted(|asset, by| {
            let slot = middle(asset) as u32;
            reweigh(asset, |_, list| {
                if list[0].slot.0 == slot {
                    for influence in list.iter_mut() {
                        influence.weight *= 1.0 - by;
                    }
                }
            });
            true
        }),
    Class::of(
        "vertices without weights (part of a joint's)",
        &["W104", "W105"],
    )
    .seen_from(0.05, &[0.05, 0.3, 1.0])
    .planted(|asset, part| {
        let own = owned(asset, middle(asset) as u32);
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
    .seen_from(0.3, &[0.002, 0.3, 0.6, 1.0])
    .planted(|asset, weight| {
        let own = owned(asset, middle(asset) as u32);
        stray(asset, &own[..1], weight)
    }),
    Class::of(
        "a patch that follows a far joint (weight)",
        &["W114", "D602"],
    )
    .seen_from(0.3, &[0.002, 0.3, 0.6, 1.0])
    .planted(|asset, weight| {
        let own = owned(asset, middle(asset) as u32);
        stray(asset, &own[..own.len() / 3], weight)
    }),
    Class::of("noise of other joints (weight)", &["W114", "D602"])
        .seen_from(0.1, &[0.002, 0.1, 0.3])
        .planted(|asset, weight| {
            let joints = asset.skins[0].joints.len();
            let slot = middle(asset) as u32;
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
    Class::of("groups off by joints", &["W114", "D602"])
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
    Class::of("all weight on one joint", &["W116"]).planted(|asset, _| {
        reweigh(asset, |_, list| {
            *list = vec![Influence::new(SkinSlot(0), 1.0)];
        });
        true
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
            let own = owned(asset, middle(asset) as u32);
            let positions = &asset.meshes[0].positions;
            let is_double = |vertex: &&usize| {
                own.iter()
                    .any(|other| other < *vertex && positions[*other] == positions[**vertex])
            };
            let doubles: Vec<usize> = own.iter().filter(is_double).copied().collect();
            let parent = asset.skeleton.nodes()[middle(asset)].parent;
            let parent = parent.expect("it has a grandparent").0;
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

/// Changes the influences of a vertex with a single joint.
fn first_weights(asset: &mut Asset, change: impl Fn(&mut Vec<Influence>)) -> bool {
    let own = owned(asset, middle(asset) as u32);
    reweigh(asset, |vertex, list| {
        if vertex == own[0] {
            change(list);
        }
    });
    true
}

/// Gives `vertices` the weight `weight` on the farthest joint.
fn stray(asset: &mut Asset, vertices: &[usize], weight: f32) -> bool {
    let other = farthest(asset, middle(asset)) as u32;
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

/// Pairs of left and right joints.
pub(super) fn pairs(asset: &Asset) -> Vec<[u32; 2]> {
    let names: Vec<&str> = asset
        .skeleton
        .nodes()
        .iter()
        .map(|joint| &*joint.name)
        .collect();
    let pair = |(left, name): (usize, &&str)| {
        let other = name.replace("Left", "Right");
        let right = names.iter().position(|name| *name == other)?;
        (right != left).then_some([left as u32, right as u32])
    };
    names.iter().enumerate().filter_map(pair).collect()
}
