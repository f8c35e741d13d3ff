//! `W110`: joint-index-out-of-range.

use crate::lint::rules::stored::declare_stored_rule;

declare_stored_rule! {
    /// ## What it does
    /// Checks that every influence names a joint that the skin has.
    ///
    /// Influences without weight count too: a vertex shader reads their matrix before it multiplies by 0.
    ///
    /// ## Why is this bad?
    /// The shader reads past the end of the palette. What lies there is another character's matrix, zeros or nothing at
    /// all: single vertices shoot off to infinity or to the origin, differently on every machine. Some loaders refuse the
    /// file, others take joint 0.
    ///
    /// ## How to fix
    /// - Blender, Maya: remove vertex groups or influences of deleted bones, and export again.
    /// - Exporters: renumber the influences whenever joints are removed from the skin or skins are split; write joint 0
    ///   where the weight is 0.
    /// - Code: check each index against the number of joints when a file is read.
    ///
    /// The model is checked on without the influence; the other influences of the vertex take its weight over.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.3; glTF-Validator `ACCESSOR_JOINTS_INDEX_OOB`.
    JointIndexOutOfRange, "W110", "joint-index-out-of-range", Error, JointIndexOutOfRange, "influence"
}
