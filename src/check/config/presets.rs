//! The names and texts of the presets.

macro_rules! presets {
    ($($name:literal),+) => {
        [$(($name, include_str!(concat!("presets/", $name, ".toml")))),+]
    };
}

/// The text of each preset: a configuration whose settings are tables with the key `why`.
pub(super) const TEXTS: [(&str, &str); 6] =
    presets!["mocap", "stylized", "mobile", "film", "avatar", "generated"];

/// The names of the presets.
pub fn preset_names() -> impl Iterator<Item = &'static str> + Clone {
    TEXTS.into_iter().map(|(name, _)| name)
}
