//! `B210`: implausible-size.

use crate::lint::rule::declare_rule;
use crate::lint::{Context, Findings, Offence, Rule, RuleMeta};
use crate::rig::Place;

declare_rule! {
    /// ## What it does
    /// Checks that the model in its rest pose is as high as the configuration expects, in metres.
    ///
    /// Height is along the up axis of the file, from the lowest vertex of all meshes to the highest, with the unit that the
    /// file states; a file that states none is taken to be in metres. Without an expected size nothing is checked.
    ///
    /// ## Why is this bad?
    /// A model in centimetres that is read as metres is a hundred times too large: the camera is inside of it, physics blows
    /// up, and shadows and level of detail are chosen for a building.
    ///
    /// ## How to fix
    /// - Blender: *Scene → Units*, and *Apply Scalings* or *Scale* in the export; glTF is always in metres.
    /// - Maya, 3ds Max: the unit in the FBX export's *Advanced Options → Units*.
    /// - Unity: *Scale Factor* and *Convert Units* of the model; Unreal: *Import Uniform Scale*, 1 unit is 1 cm.
    ///
    /// ## References
    /// - glTF 2.0 §3.4 (metres); FBX `GlobalSettings`, `UnitScaleFactor` (centimetres).
    ImplausibleSize, "B210", "implausible-size", Profile
}

impl Rule for ImplausibleSize {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let (Some([least, most]), Some(height)) = (cx.settings.height_metres, height(cx)) else {
            return;
        };
        let group = Place::FILE;
        let offence = if height > most {
            Offence::above(&group, "model", height, most)
        } else if height < least {
            Offence::below(&group, "model", height, least)
        } else {
            return;
        };
        out.add(offence, |place| {
            let unit = match cx.asset.space.metres_per_unit {
                Some(_) => "",
                None => " (the file states no unit)",
            };
            (
                place,
                format!("{height:.3} m high{unit}, expected {least} to {most}"),
            )
        });
    }
}

/// Of the model at rest, in metres; `None` if there is no vertex.
fn height(cx: &Context<'_>) -> Option<f64> {
    let whole = cx.prepared.rest(cx.asset)?.whole;
    let height = cx.asset.space.up.unit().dot(whole.high - whole.low).abs();
    let metres = cx.asset.space.metres_per_unit.unwrap_or(1.0);
    (!whole.is_empty()).then_some(height * metres)
}
