//! The `skincheck` command.

fn main() {}
