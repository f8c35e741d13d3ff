//! Close-ups: the image of a finding, at its place and in its pose.
//!
//! | step | file |
//! |---|---|
//! | positions by name, as on the command line: `vertex:Body:1841` | `spot` |
//! | the bind pose where the model rests | `bound` |
//! | the part, pose and colours that show a finding | `subject` |
//! | the command that draws a finding | `command` |
//! | the surface that shows it, and its marks | `surface` |
//! | from where it is seen, and what hides it | `focus` |
//! | the camera that faces it | `sight` |
//! | the images of a list of findings | `close_up` |

mod bound;
mod close_up;
mod command;
mod focus;
mod sight;
mod spot;
mod subject;
mod surface;

#[cfg(test)]
mod tests;

#[cfg(feature = "cli")]
pub(crate) use close_up::close_ups_and_sights;
pub use close_up::{CloseUp, close_ups};
pub use command::{Shot, command};
pub(crate) use focus::about;
#[cfg(feature = "cli")]
pub(crate) use focus::{cut, mix};
#[cfg(feature = "cli")]
pub(crate) use sight::Sight;
pub(crate) use sight::TRIAL;
pub use spot::{Located, Spot, SpotError};
#[cfg(feature = "cli")]
pub(crate) use subject::{Colors, Posing, shows_in_still};
