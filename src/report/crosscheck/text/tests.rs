use super::*;
use crate::report::crosscheck::testing::checked;

/// Without what makes colours.
fn plain(text: &str) -> String {
    let (start, rest) = text.split_once('\u{1b}').unwrap_or((text, ""));
    let after = rest.split_once('m').map(|(_, after)| plain(after));
    start.to_owned() + &after.unwrap_or_default()
}

#[test]
fn a_disagreement_is_reported_with_all_that_one_needs_to_find_it() {
    let expected = r#"hero.glb
  DISAGREE  bent pose (1 pose)  2 vertices: within 5.0e5 times of the bound, 2.5e-1 of the diagonal apart; 4,000 certain pixels: 1 wrong, 90/255 apart; 1.0 % open, 3 of them differ
    at 0.35 s: gl is wrong by the f64 reference: 0 of 2 positions in cpu, 1 in gl; apart by 5.00e-1 at most (99 % by 5.00e-1, mean 2.50e-1)
      worst: vertex 1 of mesh "Body" (Hips 0.25, Arm 0.75): cpu [1, 0, 0], gl [1.5, 0, 0], exact [1, 0, 0] within 1.0e-6
    at 0.35 s: 1 pixel wrong of 3,000 whole, 1,000 mixed and 5,000 empty ones; 40 are open
      worst: (12, 34) of mesh "Body": cpu #808080, gl #402010, 1 allowed
    see out/hero-0-bent-0.350s-expected.png, -actual.png, -difference.png
"#;
    assert_eq!(plain(&of_model(&checked())), expected);
    let summary = plain(&summary(&[checked()]));
    assert_eq!(summary, "the paths disagree in 1 of 1 pose, 1 model\n");
}

#[test]
fn a_model_without_a_mesh_proves_no_agreement() {
    let mut bare = checked();
    bare.report.takes[0].poses[0].vertices = VertexReport::default();
    bare.report.takes[0].poses[0].pixels = None;
    let reported = |checked: &[Checked]| plain(&summary(checked));
    assert_eq!(reported(&[]), "");
    let nothing = "nothing to compare in 1 model\n";
    assert_eq!(reported(std::slice::from_ref(&bare)), nothing);
    let disagree = "the paths disagree in 1 of 1 pose, 1 model\n";
    assert_eq!(reported(&[bare, checked()]), format!("{disagree}{nothing}"));
}

#[test]
fn large_numbers_are_grouped() {
    let texts = [0, 12, 999, 1000, 1_234_567].map(thousands);
    assert_eq!(texts, ["0", "12", "999", "1,000", "1,234,567"]);
    let plurals = [plural(1, "vertex"), plural(2, "vertex")];
    assert_eq!(plurals, ["1 vertex", "2 vertices"]);
}
