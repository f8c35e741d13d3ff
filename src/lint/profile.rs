//! What engines and formats can hold.

/// The limits of an engine, a format or a platform, each with its source in the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Profile {
    /// In the configuration, such as `unity`.
    pub name: &'static str,
    /// What it is, for people.
    pub title: &'static str,
    /// Influences a vertex, if limited.
    pub max_influences: Option<u32>,
    /// Joints a skin, if limited.
    pub max_joints: Option<u32>,
    /// Where the numbers are from.
    pub source: &'static str,
}

/// Every profile, in the order of the documentation.
pub static PROFILES: &[Profile] = &[Profile {
    name: "gltf",
    title: "glTF 2.0",
    max_influences: Some(4),
    max_joints: None,
    source: "glTF 2.0 §3.7.3.3: clients must support one set of four influences",
}];
