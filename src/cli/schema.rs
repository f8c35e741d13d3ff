//! `skincheck schema`: the JSON Schemas of the JSON output.

use clap::builder::PossibleValuesParser;

use super::output::Target;
use crate::report;

/// Print the JSON Schema of a command's JSON output
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  skincheck schema check > check.schema.json
  skincheck schema inspect | jq '.properties | keys'")]
pub(super) struct Args {
    /// Which document, by its command; `report` is the layout that check, diff, test, crosscheck and laws share
    #[arg(value_parser = PossibleValuesParser::new(report::schema_names()))]
    name: String,
}

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let schema = report::schema(&args.name).expect("the parser allows only names of schemas");
    Target::Stdout.write(schema.as_bytes())
}
