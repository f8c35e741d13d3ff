//! Close-ups of findings, beside the bind pose.
//!
//! | step | file |
//! |---|---|
//! | positions by name, as on the command line: `vertex:Body:1841` | `spot` |
//! | the pose and the subject of a finding | `subject` |
//! | the command that draws a finding | `command` |
//! | a camera that sees the subject, and the images | `draw` |

mod command;
mod draw;
mod spot;
mod subject;

pub use command::command;
pub use draw::{CloseUp, close_ups};
pub use spot::{Located, Spot, SpotError};
