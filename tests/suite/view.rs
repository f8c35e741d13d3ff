//! Options of a view, as users write them.

use skincheck::rig::NodeId;
use skincheck::view::{Background, Samples, Show, ViewDirection, ViewError, Viewport};

use crate::support::in_group;

/// The message for each invalid text.
fn messages<T>(
    option: &str,
    texts: &[&str],
    parse: impl Fn(&str) -> Result<T, ViewError>,
) -> String {
    let message = |text: &&str| match parse(text) {
        Ok(_) => panic!("{option} {text} is fine"),
        Err(error) => format!("{option} {text:?}\n    {error}\n"),
    };
    texts.iter().map(message).collect()
}

fn show(text: &str) -> Result<Show, ViewError> {
    Show::parse(text, |_| Ok::<_, ViewError>(vec![NodeId(0)]))
}

#[test]
fn a_malformed_view_is_refused_with_the_valid_ones() {
    let directions = ["frnt", "behind", "orbit:30", "orbit:a,b", ""];
    let sizes = ["big", "0x100", "20000x1", "16384x16384", "-3x4"];
    let backgrounds = ["#12", "#gggggg", "orange", "transparant"];
    let all = [
        messages("--camera", &directions, str::parse::<ViewDirection>),
        messages("--size", &sizes, str::parse::<Viewport>),
        messages("--background", &backgrounds, str::parse::<Background>),
        messages("--show", &["normal", "weights", "weights:", "bones"], show),
        messages("--samples", &["2", "four"], str::parse::<Samples>),
    ];
    in_group("view", || insta::assert_snapshot!("messages", all.concat()));
}
