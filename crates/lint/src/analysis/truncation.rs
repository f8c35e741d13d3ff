//! The vertices with more influences than are kept.

use crate::analysis::part::Part;
use crate::core::context::{Analysis, Context};
use crate::rig::{Influence, SkinningOptions};

/// The vertices that have more influences than the engine keeps, or than the settings allow, with those that they keep.
pub(crate) struct Truncated(pub(crate) Option<Part>);

impl Analysis for Truncated {
    fn of(cx: &Context<'_>) -> Self {
        let Some(most) = cx.settings.most_influences() else {
            return Self(None);
        };
        let target = cx.settings.engine.as_ref();
        let emulated = target.filter(|target| target.engine().is_emulated());
        let part = if let Some(target) = emulated {
            let options = target.skinning(SkinningOptions::default());
            Part::reweighted(cx.asset, options, |influences, _| {
                let kept = target.kept(influences, Some(most));
                (used(&kept) < used(influences)).then(|| target.divided(kept))
            })
        } else {
            let options = SkinningOptions {
                max_influences: Some(most),
                ..SkinningOptions::default()
            };
            Part::reweighted(cx.asset, options, |influences, _| {
                (used(influences) > most.get() as usize).then(|| influences.to_vec())
            })
        };
        Self(part)
    }
}

fn used(influences: &[Influence]) -> usize {
    let used = influences.iter().filter(|own| own.weight != 0.0);
    used.count()
}
