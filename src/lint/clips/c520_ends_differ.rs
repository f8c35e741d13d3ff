//! `C520`: ends-differ.

use crate::lint::numbers::beside;
use crate::lint::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule, RuleMeta};
use crate::rig::{Clip, Driver};
use crate::units::Seconds;

/// A millisecond: the coarsest unit that formats and readers count times in, and far below the frame that a clip is made
/// too short by.
const APART: Limit = Limit {
    key: "seconds",
    default: 1e-3,
    range: LimitRange::FROM_ZERO,
    about: "how far apart the last keys of channels may be, in seconds",
};

declare_rule! {
    /// ## What it does
    /// Tells of channels whose last key comes earlier than that of others of the clip.
    ///
    /// ## Why is this bad?
    /// The joint stands still while the others still move, which in a loop is a hitch at each turn. Engines that loop each
    /// channel by itself (and some do) let the limbs get out of step, a little more each time round.
    ///
    /// ## How to fix
    /// - Blender: key all animated bones on the action's last frame, or export with *Sampling Animations*.
    /// - Maya and 3ds Max: *Bake Animation* on FBX export, over the take's whole range.
    /// - Exporters: when keys are reduced, keep the first and the last one of each channel.
    ///
    /// Channels with a single key hold it, and have no end. Ends that are `seconds` (0.001) apart are the same.
    ///
    /// ## References
    /// - glTF 2.0 §3.11: after the last key its value holds.
    EndsDiffer, "C520", "ends-differ", Info, limits: [APART]
}

impl Rule for EndsDiffer {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let apart = cx.limit(&Self::META, &APART);
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            let latest = ends(clip).map(|(_, end)| end).fold(f64::MIN, f64::max);
            for (driver, end) in ends(clip).filter(|(_, end)| latest - end > apart) {
                let early = latest - end;
                out.add(Offence::above(&group, "channel", early, apart), |place| {
                    let place = cx.at_driver(place, &driver).at(Seconds(end));
                    let early = beside(early, apart, 3);
                    (place, format!("its last key is {early} s before others'"))
                });
            }
        }
    }
}

/// The tracks with more than one key, and when they end.
fn ends(clip: &Clip) -> impl Iterator<Item = (Driver<'_>, f64)> {
    let several = clip.drivers().filter(|driver| driver.track.count() > 1);
    several.filter_map(|driver| Some((driver, driver.track.ends()?.1)))
}
