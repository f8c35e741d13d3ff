//! Classic mistakes, planted one at a time. A named check must catch each, which shows that the harness works.

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
