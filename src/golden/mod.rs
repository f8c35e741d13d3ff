//! Tests a project's own models against approved poses and images.
//!
//! ```text
//! skincheck.toml --plan--> cases --examine--> subject, stored --diff--> numbers --draw--> images --> report
//!                                                                                           accept --> files
//! ```
//!
//! An approval consists of *numbers*, a packed [`Reference`](crate::diff::reference::Reference) with the posed joints and
//! skinned vertices at some times of each clip, and *images* of the same poses. The numbers decide:
//! [`diff`](mod@crate::diff) compares them, so an export with another vertex order is the same. If the vertices are
//! identical, every pixel must be. Otherwise a pixel may differ as much as the measured distances of vertices and
//! normals explain; the rest is attributed to materials.

mod approve;
mod error;
mod examine;
mod images;
mod plan;
mod report;
mod stored;
mod subject;
mod tables;

pub use approve::{accept, orphans, prune};
pub use error::GoldenError;
pub use examine::{Examined, examine};
pub use plan::{Case, Limits, Plan, Request, plan};
pub use report::{
    Cause, ClipReport, IMAGE_CHANGED, ImageReport, Images, ModelReport, NOT_APPROVED, Orphan,
    Report, Summary, UNTESTED, Verdict,
};
pub use tables::ModelPattern;
