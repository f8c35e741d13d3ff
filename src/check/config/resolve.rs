//! Merges layers of settings.

use std::collections::BTreeSet;

use super::layer::{Layer, find_preset};
use super::rules::{RuleSetting, Selector};
use crate::engines::{Stated, Storage, TargetEngine};
use crate::finding::{Code, Level};
use crate::lint::{Described, RuleMeta, Settings, rules};

/// The settings for one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Resolved {
    /// Settings for the rules.
    pub settings: Settings,
    /// The name of the preset, if there is one.
    pub preset: Option<&'static str>,
    /// The least level that is shown and counted, if one is set.
    pub level: Option<Level>,
    /// Whether warnings fail a check.
    pub deny_warnings: bool,
    /// Whether rules that could not be checked fail a check.
    pub deny_unchecked: bool,
    /// Rules that are configured, such as for loops, but neither selected nor ignored.
    pub unselected: BTreeSet<Code>,
}

/// The rules that are enabled by a setting: those that require it.
fn requiring(key: &str) -> impl Iterator<Item = Code> {
    let metas = rules().map(Described::meta);
    let requiring = metas.filter(move |meta| meta.requires.is_some_and(|own| own.key == key));
    requiring.map(|meta| meta.code)
}

impl Resolved {
    /// Merges `layers`: later ones override earlier ones, and all of them the preset, which the last that names one
    /// chooses.
    ///
    /// Rules are merged as follows. `select` leaves only the rules that it names, without those that earlier layers
    /// ignore or switch off, unless it names such a rule by itself. A level enables its rule again, unless its own
    /// layer ignores the rule. `ignore` removes rules from both, also within its own layer.
    #[must_use]
    pub fn of<'a>(layers: impl IntoIterator<Item = &'a Layer>) -> Self {
        let layers: Vec<&Layer> = layers.into_iter().collect();
        let preset = layers
            .iter()
            .rev()
            .find_map(|layer| layer.preset.as_deref())
            .and_then(find_preset);
        let mut resolving = Resolving::default();
        for layer in preset.map(|preset| &preset.layer).into_iter().chain(layers) {
            resolving.apply(layer);
        }
        Self {
            preset: preset.map(|preset| preset.name),
            ..resolving.finish()
        }
    }
}

#[derive(Default)]
struct Resolving {
    resolved: Resolved,
    /// Rules with settings of their own.
    configured: BTreeSet<Code>,
    unselected: BTreeSet<Code>,
    ignored: BTreeSet<Code>,
    /// Whether `W108` is checked only because the engine stores weights in bits.
    engine_asks: bool,
}

impl Resolving {
    fn apply(&mut self, layer: &Layer) {
        self.expect(layer);
        layer
            .rules
            .iter()
            .for_each(|setting| self.bring_back(setting));
        self.resolved.level = layer.level.or(self.resolved.level);
        if let Some(deny) = layer.deny_warnings {
            self.resolved.deny_warnings = deny;
        }
        if let Some(deny) = layer.deny_unchecked {
            self.resolved.deny_unchecked = deny;
        }
        if let Some(select) = &layer.select {
            rules().for_each(|rule| self.select(select, rule.meta()));
        }
        layer.rules.iter().for_each(|setting| self.set(setting));
        let ignored = rules()
            .map(Described::meta)
            .filter(|meta| layer.ignore.iter().any(|word| word.covers(meta)));
        self.ignored.extend(ignored.map(|meta| meta.code));
    }

    /// The expectations of the model. An empty list cancels earlier ones.
    fn expect(&mut self, layer: &Layer) {
        let settings = &mut self.resolved.settings;
        if let Some(engine) = &layer.engine {
            settings.engine = Some(engine.clone());
        }
        settings.height = layer.size.or(settings.height);
        if let Some(range) = layer.range_of_motion {
            settings.range_of_motion = range;
        }
        if let Some(sample_times) = layer.moments {
            settings.sample_times = sample_times;
        }
        if let Some(root) = &layer.joints.root {
            settings.root = Some(root.get_ref().clone());
        }
        let lists = [
            (&layer.clips.loops, &mut settings.loops, "clips.loops"),
            (
                &layer.clips.in_place,
                &mut settings.in_place,
                "clips.in-place",
            ),
            (&layer.joints.feet, &mut settings.feet, "joints.feet"),
            (
                &layer.joints.required,
                &mut settings.required_joints,
                "joints.required",
            ),
        ];
        let mut asked = Vec::new();
        for (said, held, key) in lists {
            let Some(said) = said else { continue };
            *held = said.iter().map(|name| name.get_ref().clone()).collect();
            if said.is_empty() {
                for code in requiring(key) {
                    settings.asked.remove(&code);
                    self.configured.remove(&code);
                }
            } else {
                asked.extend(requiring(key));
            }
        }
        if let Some(contract) = &layer.contract {
            settings.skeleton = Some(contract.clone());
            asked.extend(requiring("skeleton"));
        }
        if layer.size.is_some() {
            asked.extend(requiring("size.height"));
        }
        if let Some(engine) = layer.engine.as_ref().map(TargetEngine::engine) {
            let rule = Code("W108");
            if self.engine_asks {
                settings.asked.remove(&rule);
                self.configured.remove(&rule);
            }
            let has_bits =
                |storage: Stated<Storage>| matches!(storage.value, Storage::Parts { .. });
            self.engine_asks =
                engine.storage.is_some_and(has_bits) && !settings.asked.contains(&rule);
            if self.engine_asks {
                asked.push(rule);
            }
        }
        settings.asked.extend(&asked);
        self.configured.extend(asked);
    }

    fn select(&mut self, select: &[Selector], meta: &RuleMeta) {
        let settings = &mut self.resolved.settings;
        if select.iter().any(|word| word.names(meta)) {
            self.ignored.remove(&meta.code);
            if settings.levels.get(&meta.code) == Some(&None) {
                settings.levels.remove(&meta.code);
            }
            settings.asked.insert(meta.code);
        }
        let asked = settings.asked.contains(&meta.code);
        let selects = |word: &Selector| word.selects(meta) || asked && word.covers(meta);
        if select.iter().any(selects) {
            self.unselected.remove(&meta.code);
        } else {
            self.unselected.insert(meta.code);
        }
    }

    /// A rule that an earlier layer excludes is enabled again if its own level is set.
    fn bring_back(&mut self, setting: &RuleSetting) {
        if setting.level.flatten().is_some() {
            self.ignored.remove(&setting.rule.code);
            self.unselected.remove(&setting.rule.code);
        }
    }

    fn set(&mut self, setting: &RuleSetting) {
        let (settings, code) = (&mut self.resolved.settings, setting.rule.code);
        if let Some(level) = setting.level {
            settings.levels.insert(code, level);
        }
        for (key, value) in &setting.limits {
            settings.limits.insert((code, key), *value);
        }
        if setting.rule.is_on_request() {
            settings.asked.insert(code);
        }
    }

    fn finish(self) -> Resolved {
        let mut resolved = self.resolved;
        let is_off = |code: &Code| resolved.settings.levels.get(code) == Some(&None);
        let unselected = &(&self.configured & &self.unselected) - &self.ignored;
        let meant = unselected.into_iter().filter(|code| !is_off(code));
        resolved.unselected = meant.collect();
        for code in self.unselected.into_iter().chain(self.ignored) {
            resolved.settings.levels.insert(code, None);
        }
        resolved
    }
}

#[cfg(test)]
mod tests {
    use toml::Spanned;

    use super::*;
    use crate::check::config::{ClipNames, JointNames};
    use crate::lint::{ExpectedHeight, contracts, find_rule};
    use crate::units::LengthUnit;

    fn w103() -> &'static RuleMeta {
        find_rule("W103").expect("the rule is there").meta()
    }

    fn select(words: &[&str]) -> Layer {
        Layer {
            select: Some(words.iter().map(|word| parse(word)).collect()),
            ..Layer::default()
        }
    }

    fn ignore(words: &[&str]) -> Layer {
        Layer {
            ignore: words.iter().map(|word| parse(word)).collect(),
            ..Layer::default()
        }
    }

    fn set(level: Option<Level>) -> Layer {
        let mut setting = RuleSetting::new(w103());
        setting.level = Some(level);
        Layer {
            rules: vec![setting],
            ..Layer::default()
        }
    }

    fn loops(names: &[&str]) -> Layer {
        let mut layer = Layer::default();
        layer.clips.loops = Some(names.iter().map(|name| name_of(name)).collect());
        layer
    }

    fn name_of(name: &str) -> Spanned<String> {
        Spanned::new(0..0, name.to_owned())
    }

    fn parse(word: &str) -> Selector {
        Selector::parse(word).expect("the word stands for rules")
    }

    #[track_caller]
    fn comes_to(layers: &[Layer], level: Option<Level>) {
        let resolved = Resolved::of(layers);
        assert_eq!(resolved.settings.level(w103()), level);
    }

    #[test]
    fn without_any_layer_rules_have_their_own_level() {
        comes_to(&[], Some(Level::Error));
    }

    #[test]
    fn a_selection_leaves_out_what_it_does_not_name() {
        comes_to(&[select(&["D"])], None);
        comes_to(&[select(&["W"])], Some(Level::Error));
        comes_to(&[select(&["D", "W103"])], Some(Level::Error));
        comes_to(&[select(&["D"]), select(&["all"])], Some(Level::Error));
    }

    #[test]
    fn an_ignored_rule_returns_only_by_its_own_name() {
        comes_to(&[ignore(&["W"])], None);
        comes_to(&[ignore(&["W"]), select(&["all"])], None);
        comes_to(&[ignore(&["W"]), select(&["W103"])], Some(Level::Error));
        comes_to(&[select(&["W103"]), ignore(&["W103"])], None);
    }

    #[test]
    fn a_later_level_brings_its_rule_back() {
        let warning = set(Some(Level::Warning));
        for left_out in [ignore(&["W103"]), ignore(&["W"]), select(&["D"])] {
            let both = Layer {
                rules: warning.rules.clone(),
                ..left_out.clone()
            };
            comes_to(&[both], None);
            comes_to(&[left_out.clone(), set(None)], None);
            comes_to(&[warning.clone(), left_out.clone()], None);
            comes_to(&[left_out, warning.clone()], Some(Level::Warning));
        }
    }

    #[test]
    fn a_level_is_kept_through_selections_and_off_is_off() {
        let warning = set(Some(Level::Warning));
        comes_to(&[warning.clone(), select(&["W103"])], Some(Level::Warning));
        comes_to(&[warning, select(&["D"])], None);
        comes_to(&[set(None), select(&["W"])], None);
        comes_to(&[set(None), select(&["W103"])], Some(Level::Error));
        comes_to(&[set(None), set(Some(Level::Info))], Some(Level::Info));
    }

    #[test]
    fn setting_a_matter_asks_for_its_rules() {
        let layer = Layer {
            clips: ClipNames {
                loops: Some(vec![name_of("Walk")]),
                in_place: Some(vec![name_of("Walk")]),
            },
            joints: JointNames {
                feet: Some(vec![name_of("Foot")]),
                required: Some(vec![name_of("Hips")]),
                root: None,
            },
            size: Some(ExpectedHeight {
                least: 1.0,
                most: 2.0,
                unit: LengthUnit::Metre,
            }),
            contract: contracts().next().cloned(),
            ..Layer::default()
        };
        let asked: Vec<&str> = Resolved::of(&[layer])
            .settings
            .asked
            .iter()
            .map(|code| code.0)
            .collect();
        let requiring = rules().filter(|rule| rule.meta().requires.is_some());
        let mut expected: Vec<&str> = requiring.map(|rule| rule.meta().code.0).collect();
        expected.sort_unstable();
        assert_eq!(asked, expected);
    }

    #[test]
    fn configured_but_unselected_rules_are_known() {
        let unselected = |layers: &[Layer]| -> Vec<&str> {
            let codes = Resolved::of(layers).unselected;
            codes.iter().map(|code| code.0).collect()
        };
        let walk = loops(&["Walk"]);
        assert_eq!(unselected(&[walk.clone(), select(&["W"])]), ["C522"]);
        assert!(unselected(std::slice::from_ref(&walk)).is_empty());
        assert!(unselected(&[select(&["W"])]).is_empty());
        assert!(unselected(&[walk.clone(), select(&["C"])]).is_empty());
        assert!(unselected(&[walk.clone(), ignore(&["C"])]).is_empty());
        let off = RuleSetting {
            level: Some(None),
            ..RuleSetting::new(find_rule("C522").expect("it is a rule").meta())
        };
        let off = Layer {
            rules: vec![off],
            ..Layer::default()
        };
        assert!(unselected(&[walk.clone(), select(&["W"]), off]).is_empty());
        assert!(unselected(&[walk.clone(), select(&["W"]), loops(&[])]).is_empty());
        assert!(unselected(&[walk.clone(), select(&["W"]), ignore(&["C522"])]).is_empty());
        assert!(unselected(&[walk, select(&["W"]), select(&["C522"])]).is_empty());
    }

    #[test]
    fn an_empty_list_asks_for_nothing() {
        let resolved = Resolved::of(&[loops(&["Walk"]), loops(&[])]);
        assert!(resolved.settings.asked.is_empty());
        assert!(Resolved::of(&[loops(&[])]).settings.asked.is_empty());
        let selected = Resolved::of(&[loops(&[]), select(&["C522"])]);
        assert_eq!(selected.settings.asked.len(), 1);
    }

    #[test]
    fn a_preset_comes_before_every_layer_whoever_names_it() {
        let [mocap, film] = ["mocap", "film"];
        let of = |layers: &[Layer]| {
            let resolved = Resolved::of(layers);
            let rule = find_rule("C529").expect("the rule is there").meta();
            let limit = resolved.settings.limit(rule, &rule.limits[0]);
            (resolved.preset, resolved.settings.level(rule), limit)
        };
        let chosen = |preset: &str| Layer {
            preset: Some(preset.to_owned()),
            ..Layer::default()
        };
        let mut own = RuleSetting::new(find_rule("C529").expect("the rule is there").meta());
        own.level = Some(Some(Level::Info));
        let own = Layer {
            rules: vec![own],
            ..Layer::default()
        };
        let error = Some(Level::Error);
        assert_eq!(of(&[chosen(mocap)]), (Some("mocap"), error, 0.75));
        let info = (Some("mocap"), Some(Level::Info), 0.75);
        assert_eq!(of(&[own.clone(), chosen(mocap)]), info);
        let other = (Some("film"), None, 1.25);
        assert_eq!(of(&[chosen(mocap), chosen(film)]), other);
        let none = of(&[chosen(mocap), ignore(&["C"])]);
        assert_eq!(none, (Some("mocap"), None, 0.75));
    }

    #[test]
    fn a_preset_requests_rules_that_wait_for_that() {
        let mobile = Layer {
            preset: Some("mobile".to_owned()),
            ..Layer::default()
        };
        let w108 = find_rule("W108").expect("the rule is there").meta();
        let level = |layers: &[Layer]| Resolved::of(layers).settings.level(w108);
        assert_eq!(level(&[]), None);
        assert_eq!(level(std::slice::from_ref(&mobile)), Some(Level::Warning));
        assert_eq!(level(&[mobile, select(&["B"])]), None);
    }

    #[test]
    fn the_last_word_holds() {
        let layer = |deny| Layer {
            deny_warnings: Some(deny),
            deny_unchecked: Some(deny),
            level: Some(Level::Error),
            ..loops(&["Walk"])
        };
        let resolved = Resolved::of(&[layer(true), layer(false), Layer::default()]);
        assert!(!resolved.deny_warnings && !resolved.deny_unchecked);
        assert_eq!(resolved.level, Some(Level::Error));
        assert_eq!(resolved.settings.loops, ["Walk"]);
    }
}
