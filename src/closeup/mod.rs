//! Close-ups of findings, beside the bind pose.
//!
//! | step | file |
//! |---|---|
//! | positions by name, as on the command line: `vertex:Body:1841` | `spot` |
//! | the pose and the subject of a finding | `subject` |
//! | the triangles that show it | `marked` |
//! | the view that shows the most of them | `angle` |
//! | one image before it is drawn | `view` |
//! | the images of a finding | `renderer` |
//! | the close-ups of all findings | `close_up` |
//! | the numbers of a clip over time | `plot` |

mod angle;
mod close_up;
mod marked;
mod plot;
mod renderer;
mod spot;
mod subject;
mod view;

#[cfg(test)]
mod tests;

#[cfg(feature = "cli")]
pub(crate) use close_up::close_ups_and_sights;
pub use close_up::{CloseUp, close_ups};
pub use plot::Plot;
#[cfg(feature = "cli")]
pub(crate) use renderer::Sight;
pub use spot::{Located, Spot, SpotError, command};
#[cfg(feature = "cli")]
pub(crate) use subject::{Colors, Posing};
