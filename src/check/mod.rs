//! A run of the rules over many files: the files, the settings of each, and the accepted findings.
//!
//! ```no_run
//! use skincheck::check::{self, Request};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let request = Request {
//!     files: vec!["assets".into()],
//!     ..Request::default()
//! };
//! let outcome = check::run(&check::plan(request)?, &|_| {});
//! for file in &outcome.report.files {
//!     println!("{}: {} findings", file.path.display(), file.findings.len());
//! }
//! # Ok(())
//! # }
//! ```

pub mod baseline;
pub mod config;

mod accepted;
mod cache;
mod changes;
mod plan;
pub(crate) mod record;
mod report;
mod run;
mod shards;
mod task;
mod walk;
mod without_effect;

pub use accepted::{Acceptance, AcceptedError, NewBaseline};
pub use cache::Cache;
pub use changes::{Changes, GitError, ListError};
pub use plan::{ConfigChoice, Plan, PlanError, Request, plan};
pub use record::RecordError;
pub use report::{Accepted, AcceptedFinding, CloseUpImage, FileReport, Idle, Report, Summary};
pub use run::{Outcome, check_loaded, run, run_until, threads};
pub use shards::{RunIdentity, RunPart, Shard, ShardError, split};
pub use walk::{BadPattern, Below, WalkError, files_below, is_model, models_of};
