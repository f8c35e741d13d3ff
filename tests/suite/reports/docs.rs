//! docs/check.md: what it shows is true.

use std::path::Path;

use skincheck::config::Config;
use skincheck::report::FORMATS;

const PAGE: &str = include_str!("../../../docs/check.md");

#[test]
fn every_format_is_listed() {
    for format in FORMATS {
        let row = format!("| `{}` | {} |", format.name(), format.about());
        assert!(PAGE.contains(&row), "{row}");
    }
}

#[test]
fn the_configuration_that_is_shown_is_one() {
    let (_, rest) = PAGE.split_once("```toml\n").expect("there is an example");
    let (text, _) = rest.split_once("```").expect("it ends");
    let path = Path::new("docs/check.md");
    let config = Config::parse(path, path, text);
    assert!(config.is_ok(), "{}", config.expect_err("it is wrong"));
}
