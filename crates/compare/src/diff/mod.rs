//! Compares two versions of a rig: does the model after deform as the model before does?
//!
//! Both are transformed into one space, by the axes and units that the files state. Joints, clips and vertices are
//! matched by name and position. Then the surfaces are compared over every clip. Each difference beyond the tolerance
//! is attributed to a stage:
//!
//! | step | file |
//! |---|---|
//! | a model or a reference as joints, clips and vertices at any time | `side`, `helpers`, `attributes`, `binding`, `reference` |
//! | one space; similarities that no file states | `align` |
//! | one bind pose; nodes that move no vertex | `rebind`, `attachments` |
//! | joints, clips and vertices of one in the other | `joints`, `clips`, `vertices`, `moved` |
//! | triangles of one in the other | `triangles`, `faces`, `covers` |
//! | another time line; the times to compare at, and what can be missed between them | `timing`, `samples`, `between` |
//! | distances of surfaces, errors of joints | `measure`, `motion`, `reach`, `apart` |
//! | both models posed at those times, or at others, for pictures | `posed`, `distances` |
//! | causes | `blame`, `binds`, `weights`, `morphs`, `shapes`, `expressions`, `looks`, `tangents`, `visibility`, `findings` |
//! | the distance that no cause explains | `residual` |
//! | which differences count, and the verdict | `verdict` |
//! | what is not compared | `left_out` |

mod align;
mod apart;
mod attachments;
mod attributes;
mod between;
mod binding;
mod binds;
mod blame;
mod clips;
mod compare;
mod comparison;
mod covers;
mod difference;
mod distances;
mod expressions;
mod faces;
mod findings;
mod folders;
#[doc(hidden)]
pub mod helpers;
mod joints;
mod kinds;
mod left_out;
mod looks;
mod measure;
mod morphs;
mod motion;
mod moved;
mod nearest;
mod options;
mod posed;
mod reach;
mod rebind;
pub mod reference;
mod report;
mod residual;
mod samples;
mod shapes;
mod side;
mod takes;
mod tangents;
#[cfg(test)]
mod testing;
mod timing;
mod triangles;
mod verdict;
mod vertices;
mod visibility;
mod weights;
mod words;

#[doc(hidden)]
pub use align::Similarity;
pub use compare::{compare, compare_and_inspect};
pub use difference::Difference;
pub use distances::distances;
#[doc(hidden)]
pub use distances::of_range;
pub use folders::pair_up;
pub use kinds::{Kind, Stage};
pub use options::{Accepted, DiffError, Only, Options, Settings, Tolerance, ToleranceError};
pub use posed::{MovedNode, PosedPair, PosedPairs};
pub use report::{ErrorSample, JointError, Matched, Report, Surface, Take, WorstVertex};
#[doc(hidden)]
pub use samples::SAME_TIME;
pub use side::Source;
#[doc(hidden)]
pub use timing::SAME_RANGE;
pub use verdict::Verdict;
#[doc(hidden)]
pub use words::Lengths;
