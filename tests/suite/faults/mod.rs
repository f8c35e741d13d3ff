//! Classic mistakes put in one at a time: each must be caught by a check that has a name. This is how one knows that the
//! harness works.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::print_stdout,
    reason = "indices and pixels of small fixtures; a table that is printed"
)]

mod checks;
mod drawing;
mod fault;
mod import;
mod table;
mod textbook;
