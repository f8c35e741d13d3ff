//! How a model shows its gaze: `lookAt` of `VRMC_vrm` 1.0, `firstPerson` of `VRM` 0.x.

use serde::Deserialize;

use super::parsed;
use crate::import::gltf::json::{Root, VRM_0, VRM_1};
use crate::import::log::Notes;
use crate::rig::{GazeTarget, LookAt, RangeMap};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Vrm1 {
    look_at: Option<LookAt1>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct LookAt1 {
    r#type: String,
    range_map_horizontal_inner: Map1,
    range_map_horizontal_outer: Map1,
    range_map_vertical_down: Map1,
    range_map_vertical_up: Map1,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Map1 {
    input_max_value: Option<f32>,
    output_scale: Option<f32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Vrm0 {
    first_person: Option<FirstPerson>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct FirstPerson {
    #[serde(rename = "lookAtTypeName")]
    shown_by: String,
    #[serde(rename = "lookAtHorizontalInner")]
    inner: Map0,
    #[serde(rename = "lookAtHorizontalOuter")]
    outer: Map0,
    #[serde(rename = "lookAtVerticalDown")]
    down: Map0,
    #[serde(rename = "lookAtVerticalUp")]
    up: Map0,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Map0 {
    curve: Option<Vec<f32>>,
    x_range: Option<f32>,
    y_range: Option<f32>,
}

/// The straight line from (0, 0) to (1, 1) as two keys of an animation curve of Unity: time, value, and both slopes.
const STRAIGHT: [f32; 8] = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0];

/// How the model shows its gaze, if it states that.
pub(super) fn read(root: &Root<'_>, notes: &mut Notes) -> Option<LookAt> {
    if let Some(text) = root.extension(VRM_1) {
        let own = parsed::<Vrm1>(VRM_1, text, notes)?.look_at?;
        let shown_by = target(&own.r#type);
        let map = |map: Map1| range(map.input_max_value, map.output_scale, shown_by);
        return Some(LookAt {
            shown_by,
            inner: map(own.range_map_horizontal_inner),
            outer: map(own.range_map_horizontal_outer),
            down: map(own.range_map_vertical_down),
            up: map(own.range_map_vertical_up),
        });
    }
    let own = parsed::<Vrm0>(VRM_0, root.extension(VRM_0)?, notes)?.first_person?;
    let shown_by = target(&own.shown_by);
    let mut map = |map: Map0| {
        if map.curve.is_some_and(|curve| curve != STRAIGHT) {
            let message = "a curve of the gaze is not a straight line, and is read as one";
            notes.add(format!("extensions.{VRM_0}.firstPerson"), message);
        }
        range(map.x_range, map.y_range, shown_by)
    };
    Some(LookAt {
        shown_by,
        inner: map(own.inner),
        outer: map(own.outer),
        down: map(own.down),
        up: map(own.up),
    })
}

/// By the name of either version.
fn target(name: &str) -> GazeTarget {
    match name {
        "expression" | "BlendShape" => GazeTarget::Expressions,
        _ => GazeTarget::Eyes,
    }
}

/// With the defaults of the specification's examples.
fn range(input_max: Option<f32>, output: Option<f32>, shown_by: GazeTarget) -> RangeMap {
    let full = match shown_by {
        GazeTarget::Eyes => 10.0,
        GazeTarget::Expressions => 1.0,
    };
    RangeMap {
        input_max: input_max.unwrap_or(90.0),
        output: output.unwrap_or(full),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::import::gltf::testing::Model;
    use crate::rig::Asset;

    fn with(extension: &str, gaze: &str, value: &Value) -> Asset {
        let mut model = Model::of_nodes(&json!([{"name": "root"}]));
        let bones = match extension {
            VRM_0 => json!([{"bone": "hips", "node": 0}]),
            _ => json!({"hips": {"node": 0}}),
        };
        model.json["extensions"] =
            json!({ extension: {"humanoid": {"humanBones": bones}, gaze: value} });
        model.read()
    }

    fn look_at(asset: &Asset) -> LookAt {
        let humanoid = asset.humanoid.as_ref();
        let look_at = humanoid.and_then(|humanoid| humanoid.look_at);
        look_at.expect("it is stated")
    }

    #[test]
    fn both_versions_state_what_moves_and_how_far() {
        let own =
            json!({"type": "bone", "rangeMapVerticalUp": {"inputMaxValue": 60, "outputScale": 20}});
        let new = look_at(&with(VRM_1, "lookAt", &own));
        let up = RangeMap {
            input_max: 60.0,
            output: 20.0,
        };
        let full = RangeMap {
            input_max: 90.0,
            output: 10.0,
        };
        assert_eq!(new.shown_by, GazeTarget::Eyes);
        assert_eq!([new.inner, new.up], [full, up]);
        let own = json!({"lookAtTypeName": "BlendShape", "lookAtVerticalUp": {"xRange": 60, "yRange": 20}});
        let old = look_at(&with(VRM_0, "firstPerson", &own));
        assert_eq!(old.shown_by, GazeTarget::Expressions);
        assert_eq!(
            [old.inner, old.up],
            [
                RangeMap {
                    output: 1.0,
                    ..full
                },
                up
            ]
        );
    }

    #[test]
    fn only_a_bent_curve_is_noted() {
        let curve = |curve: &Value| {
            let own = json!({"lookAtVerticalUp": {"curve": curve}});
            let asset = with(VRM_0, "firstPerson", &own);
            asset
                .notes
                .iter()
                .filter(|note| note.message.contains("curve"))
                .count()
        };
        assert_eq!(curve(&json!(STRAIGHT)), 0);
        assert_eq!(curve(&json!([0, 0, 0, 0, 1, 1, 0, 0])), 1);
    }
}
