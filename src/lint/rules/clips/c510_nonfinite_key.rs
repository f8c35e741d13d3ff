//! `C510`: nonfinite-key.

use crate::lint::{Context, Findings, Offence, Rule, declare_rule};
use crate::rig::DefectKind;
use crate::units::Seconds;

declare_rule! {
    /// ## What it does
    /// Checks that the times, values and tangents of keys are finite: neither NaN nor infinite.
    ///
    /// ## Why is this bad?
    /// While the key plays, the joint, all joints below it and every vertex they influence have no position. The mesh
    /// disappears, or its bounds become infinite. A NaN among the times breaks the search for every key.
    ///
    /// ## How to fix
    /// - Replace the key with finite numbers.
    /// - Exporters: find the division by 0 behind it. It is usually the inverse of a zero scale, the normalization of a
    ///   rotation of length 0, or a frame rate of 0.
    /// - Blender, Maya: look for broken drivers, expressions and constraints on the joint's curves, and bake them.
    ///
    /// The remaining checks run without the key.
    ///
    /// ## References
    /// - glTF 2.0 §3.6.2.2 (NaN and infinities are not allowed); glTF-Validator `ACCESSOR_INVALID_FLOAT`.
    NonfiniteKey, "C510", "nonfinite-key", Error
}

impl Rule for NonfiniteKey {
    fn needs(&self) -> &'static [DefectKind] {
        &[DefectKind::NonfiniteKey]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for defect in cx.asset.evidence.of(DefectKind::NonfiniteKey) {
            out.add_defect(cx, defect, "key", None);
        }
        // Importers repair what they report; some let it through.
        for clip in &cx.asset.clips {
            let group = cx.clip(clip);
            for driver in clip.drivers() {
                let is_odd = |key: &usize| !driver.track.value(*key).iter().all(|x| x.is_finite());
                for key in (0..driver.track.count()).filter(is_odd) {
                    let offence = Offence::of(&group, "key").joint(driver.joint);
                    out.add(offence.at(Seconds(driver.track.time(key))), |subject| {
                        let subject = subject.of_driver(&driver);
                        let message = "the key is not finite".to_owned();
                        (subject.at(Seconds(driver.track.time(key))), message)
                    });
                }
            }
        }
    }
}
