//! Everything that a finding concerns, in words.

use super::words::seconds;
use crate::finding::Affected;
use crate::shown::printable;
use crate::units::{Seconds, amount};

/// The most times of a clip that are listed; JSON has all.
const MOST_TIMES: usize = 8;

/// One line per kind: `3 vertices: 0-1, 7`, `2 joints: …`, `clip "Run": 0.1 s, 0.2 s`, `pose rom:Elbow:x:+30`. Empty if the
/// location of the finding says it all.
pub(super) fn lines(affected: &Affected) -> Vec<String> {
    let mut lines = Vec::new();
    let is_one = affected.meshes.len() == 1;
    for mesh in affected
        .meshes
        .iter()
        .filter(|mesh| !is_one || mesh.vertices.len() > 1)
    {
        let count = amount(mesh.vertices.len(), "vertex");
        let of = if is_one {
            String::new()
        } else {
            format!(" of instance {}", mesh.instance)
        };
        lines.push(format!("{count}{of}: {}", ranges(&mesh.vertices)));
    }
    if affected.joints.len() > 1 {
        let names: Vec<String> = affected.joints.iter().map(|name| quoted(name)).collect();
        let count = amount(names.len(), "joint");
        lines.push(format!("{count}: {}", names.join(", ")));
    }
    let times = |times: &[Seconds]| match times {
        [first, .., last] if times.len() > MOST_TIMES => {
            let count = amount(times.len(), "time");
            format!("{count} from {} to {}", seconds(*first), seconds(*last))
        }
        _ => {
            let times: Vec<String> = times.iter().map(|time| seconds(*time)).collect();
            times.join(", ")
        }
    };
    let clips = affected.clips.iter();
    let is_single = affected.clips.len() == 1 && affected.clips[0].times.len() <= 1;
    lines.extend(clips.filter(|_| !is_single).map(|clip| {
        let name = quoted(&clip.name);
        if clip.times.is_empty() {
            format!("clip {name}")
        } else {
            format!("clip {name}: {}", times(&clip.times))
        }
    }));
    if affected.poses.len() > 1 {
        let poses = affected.poses.iter();
        let poses: Vec<String> = poses.map(|pose| printable(&pose.to_string())).collect();
        lines.push(format!(
            "{}: {}",
            amount(poses.len(), "pose"),
            poses.join(", ")
        ));
    }
    lines
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", printable(name))
}

/// Ascending numbers, with runs as `first-last`.
fn ranges(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|a, b| a.checked_add(1) == Some(*b));
    let runs = runs.map(|run| match run {
        [first, .., last] => format!("{first}-{last}"),
        [one] => one.to_string(),
        [] => String::new(),
    });
    runs.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{InstanceId, PoseName};

    #[test]
    fn every_vertex_joint_and_time_is_listed() {
        let mut affected = Affected {
            joints: vec!["Hips".into(), "He\u{1b}ad".into()],
            poses: vec![PoseName::REST],
            ..Affected::default()
        };
        affected.vertices(InstanceId(0), [0, 1, 2, 7, 9, 10]);
        affected.clip(("Run", None), [Seconds(0.1), Seconds(0.25)]);
        affected.clip(("Walk", None), []);
        affected.clip(("Idle", None), (0..9).map(|time| Seconds(f64::from(time))));
        let expected = [
            "6 vertices: 0-2, 7, 9-10",
            "2 joints: \"Hips\", \"He\\u{1b}ad\"",
            "clip \"Run\": 0.1 s, 0.25 s",
            "clip \"Walk\"",
            "clip \"Idle\": 9 times from 0 s to 8 s",
        ];
        assert_eq!(lines(&affected), expected);
    }

    #[test]
    fn vertices_of_meshes_with_one_name_are_apart() {
        let mut affected = Affected::default();
        affected.vertices(InstanceId(0), [3, 4]);
        affected.vertices(InstanceId(2), [3]);
        let expected = ["2 vertices of instance 0: 3-4", "1 vertex of instance 2: 3"];
        assert_eq!(lines(&affected), expected);
    }

    #[test]
    fn what_the_location_says_is_not_repeated() {
        let mut affected = Affected::default();
        affected.vertices(InstanceId(0), [7]);
        affected.clip(("Run", None), [Seconds(0.1)]);
        assert!(lines(&affected).is_empty());
    }
}
