//! The engines in the documentation, with their sources.

use std::fmt::Write as _;

use crate::support::assert_generated;
use skincheck::engines::ENGINES;
use skincheck::report::statements;

const START: &str = "<!-- engines: made by cargo test --test suite the_page_of_engines -->\n";
const END: &str = "<!-- end -->\n";

#[test]
fn the_page_of_engines_is_what_sources_say() {
    let page = include_str!("../../../docs/target-engines.md");
    let (head, rest) = page.split_once(START).expect("the page has the start");
    let (_, tail) = rest.split_once(END).expect("the page has the end");
    let page = format!("{head}{START}{}{END}{tail}", tables());
    assert_generated("docs/target-engines.md", &page);
}

fn tables() -> String {
    let mut text = String::new();
    let took_all = "a string takes all text";
    for engine in ENGINES.iter() {
        write!(
            text,
            "\n### {}\n\n{} {}.\n\n| | | source |\n|---|---|---|\n",
            engine.name, engine.title, engine.version
        )
        .expect(took_all);
        for statement in statements(engine) {
            let (what, value, source) = (statement.what, statement.value, statement.source);
            writeln!(text, "| {what} | {value} | {source} |").expect(took_all);
        }
        for option in engine.options {
            let (name, values) = (option.choice.name(), option.choice.values());
            writeln!(text, "| option `{name}` | {values} | {} |", option.source).expect(took_all);
        }
    }
    text + "\n"
}
