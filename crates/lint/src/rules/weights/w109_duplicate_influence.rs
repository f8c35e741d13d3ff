//! `W109`: duplicate-influence.

use crate::analysis::joints;
use crate::rig::{DefectKind, Influence, SkinSlot};
use crate::shown::escaped;
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    DuplicateInfluence, "W109", "duplicate-influence", Error, Proved, attribute = Some("JOINTS_0")
}

impl Rule for DuplicateInfluence {
    fn needs(&self) -> &'static [DefectKind] {
        &[DefectKind::DuplicateInfluence]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for skinned in joints::skinned(cx.asset) {
            let group = cx.mesh(skinned.instance);
            for (vertex, influences) in skinned.mesh.influences.iter().enumerate() {
                let Some(slot) = duplicate(influences) else {
                    continue;
                };
                out.add(Offence::of(&group, "vertex").vertex(vertex), |subject| {
                    let joint = cx.joint_name(skinned.skin[slot]);
                    let mut subject = cx.at_vertex(subject, skinned.instance, vertex);
                    subject.ids.influence = Some(skinned.skin[slot]);
                    (
                        subject,
                        format!("joint \"{}\" is named twice", escaped(joint)),
                    )
                });
            }
        }
    }
}

/// A slot that has two weights.
fn duplicate(influences: &[Influence]) -> Option<SkinSlot> {
    let weighted = influences
        .iter()
        .filter(|influence| influence.weight != 0.0);
    let mut slots: Vec<SkinSlot> = weighted.map(|influence| influence.slot).collect();
    slots.sort_unstable();
    let twice = slots.windows(2).find(|pair| pair[0] == pair[1]);
    twice.map(|pair| pair[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_with_zeros_is_not_a_duplicate() {
        let influence = |slot, weight| Influence::new(SkinSlot(slot), weight);
        assert_eq!(
            duplicate(&[influence(0, 1.0), influence(0, 0.0), influence(0, 0.0)]),
            None
        );
        assert_eq!(
            duplicate(&[influence(2, 0.5), influence(0, 0.25), influence(2, 0.25)]),
            Some(SkinSlot(2))
        );
    }
}
