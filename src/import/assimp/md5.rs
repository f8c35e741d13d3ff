//! Doom 3's MD5: the rate of its clips, which assimp misses.
//!
//! assimp takes the lines behind the first of the header for values of that one, up to a blank line (`MD5Parser.cpp`,
//! `ParseSection`), so that clips of all rates run at the 24 frames per second that it begins with.

use std::path::Path;

/// The frames per second that the clip of the model at `path` states, 0 if none; `None` for a file of another format, and
/// where there is no clip.
pub(super) fn frame_rate(path: &Path) -> Option<f64> {
    let extension = path.extension()?;
    let is_md5 = |known| extension.eq_ignore_ascii_case(known);
    if !["md5mesh", "md5anim"].into_iter().any(is_md5) {
        return None;
    }
    // assimp takes the clip of this name beside a mesh (`MD5Loader.cpp`, `LoadMD5AnimFile`).
    let clip = std::fs::read(path.with_extension("md5anim")).ok()?;
    Some(stated(&String::from_utf8_lossy(&clip)))
}

fn stated(clip: &str) -> f64 {
    let rate = clip.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        words.next().filter(|first| *first == "frameRate")?;
        words.next()?.parse().ok()
    });
    rate.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Importer, assimp::Assimp};

    #[test]
    fn the_rate_is_that_of_the_line_that_begins_so() {
        for (clip, rate) in [
            ("MD5Version 10\nnumFrames 2\nframeRate 30\n", 30.0),
            ("\tframeRate\t12.5 // as in the game\r\n", 12.5),
            ("frameRate -24", -24.0),
            ("commandline \"frameRate 30\"\nframeRate 0\n", 0.0),
            ("numFrames 2\n", 0.0),
            ("frameRate fast\n", 0.0),
        ] {
            assert!((stated(clip) - rate).abs() < 1e-9, "{clip:?}");
        }
    }

    #[test]
    fn a_clip_runs_at_its_own_rate() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        let folder = tempfile::tempdir().unwrap();
        let [mesh, clip] = ["figure.md5mesh", "figure.md5anim"];
        std::fs::copy(fixtures.join(mesh), folder.path().join(mesh)).unwrap();
        let text = std::fs::read_to_string(fixtures.join(clip)).unwrap();
        for (line, stated, end) in [
            ("frameRate 24\n", 24.0, 1.0),
            ("frameRate 12\n", 12.0, 2.0),
            ("frameRate 0\n", 0.0, 24.0 / 25.0),
            ("", 0.0, 24.0 / 25.0),
        ] {
            let text = text.replace("frameRate 24\n", line);
            std::fs::write(folder.path().join(clip), text).unwrap();
            let asset = Assimp.import(&folder.path().join(mesh)).unwrap();
            let walk = &asset.clips[0];
            assert_eq!(walk.rate.stated, Some(stated), "{line:?}");
            assert!((walk.end.0 - end).abs() < 1e-9, "{line:?}: {}", walk.end.0);
        }
    }
}
