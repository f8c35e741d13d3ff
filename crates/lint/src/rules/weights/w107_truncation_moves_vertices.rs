//! `W107`: truncation-moves-vertices.

use crate::analysis::truncation::Truncated;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::engines::{Choice, TargetEngine};
use crate::rig::Influence;
use crate::rules::weights::stored::{self, Moved};
use crate::shown::escaped;
use crate::units::{amount, first_few};
use crate::{
    Context, Findings, Follows, Limit, LimitRange, Rule, Sample, Through, declare_rule, follows,
};

/// About a pixel on a model that fills the screen.
const DISTANCE: Limit = Limit::new("distance", 0.001, LimitRange::FROM_ZERO)
    .about("maximum displacement of a vertex, over the model's diagonal at rest");

/// The most joints that a message names.
const NAMED: usize = 4;

const TRUNCATED: Gauge = Gauge::new("movement by truncated weights", ReadingUnit::Diagonals);

declare_rule! {
    TruncationMovesVertices, "W107", "truncation-moves-vertices", Warning, Judged,
    limits = &[DISTANCE], attribute = Some("WEIGHTS_0")
}

impl Rule for TruncationMovesVertices {
    fn follows_from(&self) -> &'static [Follows] {
        follows![Through::Vertices => ["W106"]]
    }

    fn watches(&self) -> bool {
        true
    }

    fn watch(&self, cx: &Context<'_>, sample: &Sample<'_>, out: &mut Findings) {
        let Some(part) = &cx.get::<Truncated>().0 else {
            return;
        };
        let limit = cx.limit(&Self::META, &DISTANCE);
        stored::watch(part, cx, sample, (TRUNCATED, limit), out, |moved| {
            let target = cx.settings.engine.as_ref();
            if let Some(target) = target.filter(|target| target.engine().is_emulated()) {
                return words_of_engine(cx, target, moved);
            }
            let most = cx.settings.most_influences();
            let most = most.map_or(0, |most| most.get() as usize);
            let ([distance, limit], weights) = (&moved.words, amount(most, "weight"));
            format!("moves by {distance} when cut to {weights}, limit {limit} %")
        });
    }
}

/// How far a vertex moves in an engine, which joints no longer move it, and what keeps them.
fn words_of_engine(cx: &Context<'_>, target: &TargetEngine, moved: &Moved<'_>) -> String {
    let asset = cx.asset;
    let influences = asset.mesh_of(moved.instance).influences.of(moved.vertex);
    let kept = target.kept(influences, cx.settings.most_influences());
    let is_dropped = |own: &&Influence| own.weight != 0.0 && !kept.contains(own);
    let skin = asset.skin_of(moved.instance);
    let name = |own: &Influence| {
        let node = skin.map(|skin| skin[own.slot])?;
        Some(format!("\"{}\"", escaped(&asset.skeleton[node].name)))
    };
    let dropped: Vec<String> = influences
        .iter()
        .filter(is_dropped)
        .filter_map(name)
        .collect();
    let ([distance, limit], length) = (&moved.words, &moved.length);
    let remedy = target
        .remedy(|choice| matches!(choice, Choice::Influences(_)))
        .map_or_else(String::new, |option| format!(" ({option} keeps all)"));
    format!(
        "moves by {distance} ({length}), limit {limit} %, in {}, which drops the weight of {}{remedy}",
        target.engine().title,
        first_few(dropped.into_iter(), NAMED)
    )
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::rig::{Asset, Influences, SkinSlot};
    use crate::testing::{arm, findings, findings_with, rotating};
    use crate::{MAX_INFLUENCES, Settings};

    /// The arm bent by 90°. Each vertex has five weights, two of them on the elbow, which add up to `elbow`.
    fn crowded_arm(weights: [f32; 5]) -> Asset {
        let mut asset = rotating(arm(), Quat::from_rotation_z(-1.5));
        let skin = &mut asset.skins[0];
        let (shoulder, elbow) = (skin.joints[0], skin.joints[1]);
        let binds = [skin.inverse_bind_matrices[0], skin.inverse_bind_matrices[1]];
        skin.joints = vec![shoulder, shoulder, shoulder, elbow, elbow];
        skin.inverse_bind_matrices = vec![binds[0], binds[0], binds[0], binds[1], binds[1]];
        let influences: Vec<Influence> = (0..5)
            .map(|slot| Influence::new(SkinSlot(slot), weights[slot as usize]))
            .collect();
        let count = asset.meshes[0].positions.len();
        asset.meshes[0].influences = Influences::from_vertices(vec![influences; count]);
        asset
    }

    #[test]
    fn a_fifth_weight_that_counts_is_missed() {
        let asset = crowded_arm([0.22, 0.2, 0.2, 0.2, 0.18]);
        let found = findings(&asset, &TruncationMovesVertices);
        assert_eq!(found.len(), 1);
        assert!(
            found[0].measure.is_some_and(|own| own.value > 0.02),
            "{found:?}"
        );
        assert_eq!(found[0].location.clip.as_deref(), Some("turn"));
    }

    #[test]
    fn a_fifth_weight_that_hardly_counts_is_not() {
        let asset = crowded_arm([0.25, 0.25, 0.25, 0.2499, 0.0001]);
        assert!(findings(&asset, &TruncationMovesVertices).is_empty());
    }

    fn with(engine: &str) -> Settings {
        Settings {
            engine: Some(engine.parse().unwrap()),
            ..Settings::default()
        }
    }

    #[test]
    fn an_engine_keeps_the_weights_that_its_sources_say() {
        let asset = crowded_arm([0.1, 0.2, 0.2, 0.2, 0.3]);
        let found = |engine: &str| {
            let found = findings_with(&asset, &TruncationMovesVertices, &with(engine));
            found.first().map(|found| found.message.clone())
        };
        let [shoulder, elbow] = [0, 1].map(|joint| asset.skeleton.nodes()[joint].name.clone());
        // Of the first four, one is on the elbow; of the largest four, two.
        let three = found("three").unwrap();
        let dropped = format!(" %, in three.js, which drops the weight of \"{elbow}\"");
        assert!(three.contains(&dropped), "{three}");
        let unity = found("unity").unwrap();
        let dropped = format!(
            "which drops the weight of \"{shoulder}\" (unity:influences=unlimited keeps all)"
        );
        assert!(unity.contains(&dropped), "{unity}");
        assert_eq!(found("unreal"), None);
        assert_eq!(found("unity:influences=8"), None);
    }

    #[test]
    fn the_largest_weights_count_where_no_source_says_which_are_kept() {
        let asset = crowded_arm([0.1, 0.2, 0.2, 0.2, 0.3]);
        let found = |settings: &Settings| {
            let found = findings_with(&asset, &TruncationMovesVertices, settings);
            found.first().map(|found| found.message.clone())
        };
        let roblox = found(&with("roblox"));
        assert_eq!(roblox, found(&Settings::default()));
        assert!(roblox.is_some_and(|words| words.contains("when cut to 4 weights")));
        let mut settings = with("roblox");
        settings.limits.insert(MAX_INFLUENCES, 5.0);
        assert_eq!(found(&settings), None);
    }
}
