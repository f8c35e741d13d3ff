//! The names of approval files.

use std::collections::BTreeSet;

use crate::shown::beginning;
use crate::units::Seconds;

/// The suffix of a model's approval folder.
pub(super) const FOLDER: &str = ".approved";

/// The numbers in such a folder.
pub(super) const NUMBERS: &str = "poses.skref";

/// The most characters of a clip's name in a file name.
const LONGEST: usize = 60;

/// A file name for each clip: portable across file systems and shells, and unique regardless of case.
pub(super) fn stems<'a>(clips: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut known = BTreeSet::new();
    let stems = clips.map(|clip| {
        let plain = plain(clip);
        let numbered = (2..).map(|number| format!("{plain}~{number}"));
        let mut all = std::iter::once(plain.clone()).chain(numbered);
        let free = all.find(|stem| known.insert(stem.to_lowercase()));
        free.expect("there are more numbers than clips")
    });
    stems.collect()
}

fn plain(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() { c } else { '_' };
    let plain: String = beginning(name, LONGEST).chars().map(safe).collect();
    if plain.is_empty() {
        return "clip".to_owned();
    }
    plain
}

/// The prefix of the names of all images of a clip that is no longer in the model.
pub(super) fn of_gone_clip(clip: &str) -> String {
    format!("{}-", plain(clip))
}

/// The prefix of the names of all images of a pose.
pub(super) fn of_pose(stem: &str, time: Seconds) -> String {
    format!("{stem}-{:.3}s-", time.0)
}

/// * `view` – as in reports.
pub(super) fn of_image(stem: &str, time: Seconds, view: &str) -> String {
    let view = view.replace(|c: char| !(c.is_ascii_alphanumeric() || c == '-'), "_");
    format!("{}{view}.png", of_pose(stem, time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_have_different_files_on_every_system() {
        let long = "\u{1d400}".repeat(60);
        let clips = [
            "Walk",
            "walk",
            "Armature|Walk",
            "../../etc",
            "",
            "Ж",
            "WALK",
            &long,
            &long,
        ];
        let stems = stems(clips.into_iter());
        let expected = [
            "Walk",
            "walk~2",
            "Armature_Walk",
            "______etc",
            "clip",
            "Ж",
            "WALK~3",
            &"\u{1d400}".repeat(40),
            &format!("{}~2", "\u{1d400}".repeat(40)),
        ];
        assert_eq!(stems, expected);
        let longest = of_image(&stems[8], Seconds(1234.5), "three-quarter");
        assert!(longest.len() < 200, "{longest}");
        let file = of_image(&stems[0], Seconds(0.5), "orbit:35,-15 weights:Hips");
        assert_eq!(file, "Walk-0.500s-orbit_35_-15_weights_Hips.png");
    }
}
