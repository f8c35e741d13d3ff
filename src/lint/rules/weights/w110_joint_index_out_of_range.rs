//! `W110`: joint-index-out-of-range.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that every influence names a joint that the skin has.
    ///
    /// Influences with weight 0 count too: a vertex shader reads their matrix before it multiplies by 0.
    ///
    /// ## Why is this bad?
    /// The shader reads past the end of the palette, where it finds another character's matrix, zeros, or nothing at
    /// all. Single vertices shoot off to infinity or to the origin, differently on every machine. Some loaders refuse
    /// the file; others use joint 0.
    ///
    /// ## How to fix
    /// - Remove influences of joints that the skin does not have, and export again.
    /// - Blender, Maya: remove vertex groups or influences of deleted bones, and export again.
    /// - Exporters: renumber influences whenever joints are removed from the skin or skins are split. Write joint 0
    ///   where the weight is 0.
    /// - Code: check each index against the joint count when reading a file.
    ///
    /// The remaining checks run without the influence; the vertex's other influences take over its weight.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.3; glTF-Validator `ACCESSOR_JOINTS_INDEX_OOB`.
    JointIndexOutOfRange, "W110", "joint-index-out-of-range", Error, JointIndexOutOfRange, "influence"
}
