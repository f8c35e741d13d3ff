//! What a check looked at, in words: how much moved, and what came nearest to a limit.

use super::super::words::thousands;
use crate::check::FileReport;
use crate::lint::{Coverage, Reading};
use crate::shown::path;
use crate::units::amount;

/// What was looked at in all files together, and the value that came nearest to its limit.
pub(super) fn lines(files: &[FileReport]) -> Vec<String> {
    let nearest = files.iter().filter_map(|file| Some((file, nearest(file)?)));
    let nearest = nearest.reduce(|a, b| if b.1.nearness > a.1.nearness { b } else { a });
    let nearest = nearest.map(|(file, reading)| match files {
        [_] => format!("nearest to a limit: {reading}"),
        _ => format!("nearest to a limit: {}: {reading}", path(&file.path)),
    });
    let coverages: Vec<&Coverage> = files
        .iter()
        .filter_map(|own| own.coverage.as_ref())
        .collect();
    coverage(&coverages).into_iter().chain(nearest).collect()
}

/// What was looked at in a file, and a table of what the rules measured, the nearest to its limit first.
pub(super) fn table(file: &FileReport) -> Vec<String> {
    let coverages: Vec<&Coverage> = file.coverage.iter().collect();
    let mut readings: Vec<&Reading> = file.measures.iter().collect();
    readings.sort_by(|a, b| b.nearness.total_cmp(&a.nearness));
    let rows = readings.iter().map(|own| {
        [
            own.rule.to_string(),
            own.name.clone(),
            own.value_text(),
            own.limit_text(),
            own.place.to_string(),
        ]
    });
    let rows: Vec<[String; 5]> = rows.collect();
    let width = |column: usize| {
        let widths = rows.iter().map(|row| row[column].chars().count());
        widths.max().unwrap_or(0)
    };
    let [name, value, limit] = [1, 2, 3].map(width);
    let rows = rows.iter().map(|[rule, what, own, most, place]| {
        format!("{rule}  {what:name$}  {own:>value$} {most:limit$}  {place}")
    });
    coverage(&coverages).into_iter().chain(rows).collect()
}

/// The value of a file that is nearest to its limit, of the rules whose findings are shown. A value beyond its limit is a finding.
fn nearest(file: &FileReport) -> Option<&Reading> {
    let is_near = |own: &&Reading| {
        let is_within = own.nearness > 0.0 && !own.is_beyond();
        is_within && own.is_gradual() && file.checked.contains(&own.rule)
    };
    let readings = file.measures.iter().filter(is_near);
    readings.max_by(|a, b| a.nearness.total_cmp(&b.nearness))
}

/// The poses of models and what they moved, and how many models have nothing to pose.
fn coverage(models: &[&Coverage]) -> Option<String> {
    let (rigs, props): (Vec<&Coverage>, Vec<&Coverage>) =
        models.iter().copied().partition(|model| model.is_rig);
    let props = match (props.len(), rigs.len()) {
        (0, _) => None,
        (_, 0) => Some(format!("nothing to pose: {NOTHING}")),
        (count, _) => Some(format!("{} with nothing to pose", amount(count, "file"))),
    };
    let posed = (!rigs.is_empty()).then(|| posed(&rigs));
    let parts: Vec<String> = posed.into_iter().chain(props).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Why nothing moves in a prop.
const NOTHING: &str = "no skeleton, no clip, no morph target";

fn posed(rigs: &[&Coverage]) -> String {
    let sum = |of: &dyn Fn(&Coverage) -> usize| rigs.iter().map(|own| of(own)).sum::<usize>();
    let clips = sum(&|own| own.clips.iter().filter(|clip| clip.poses > 0).count());
    let (in_clips, in_range) = (sum(&Coverage::clip_poses), sum(&|own| own.range_of_motion));
    let mut poses = Vec::new();
    if clips > 0 {
        let (count, clips) = (amount(in_clips, "pose"), amount(clips, "clip"));
        poses.push(format!("{count} of {clips}"));
    }
    if in_range > 0 {
        let count = match clips {
            0 => amount(in_range, "pose"),
            _ => in_range.to_string(),
        };
        poses.push(format!("{count} of the range of motion"));
    }
    let poses = match poses.as_slice() {
        [] => "no pose".to_owned(),
        poses => poses.join(", "),
    };
    let (joints, moved_joints) = (sum(&|own| own.joints.all), sum(&|own| own.joints.moved));
    let (vertices, moved) = (sum(&|own| own.vertices.all), sum(&|own| own.vertices.moved));
    let of_vertices = format!("{} of {} vertices", thousands(moved), thousands(vertices));
    match (joints, vertices) {
        (_, 0) => format!("{poses}; no mesh"),
        (0, _) => format!("{poses}; {of_vertices} move"),
        _ => format!("{poses}; {moved_joints} of {joints} joints move {of_vertices}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Code;
    use crate::lint::{CheckedClip, Place, ReadingUnit, Share};

    fn reading(name: &str, nearness: f64) -> Reading {
        Reading {
            rule: Code("D602"),
            name: name.to_owned(),
            unit: ReadingUnit::Times,
            value: 2.1,
            limit: 4.0,
            nearness,
            place: Place {
                mesh: Some("Body".to_owned()),
                ..Place::default()
            },
        }
    }

    fn rig() -> Coverage {
        Coverage {
            joints: Share { all: 23, moved: 22 },
            vertices: Share {
                all: 4210,
                moved: 4200,
            },
            clips: vec![CheckedClip {
                name: "Walk".to_owned(),
                poses: 41,
                moves: true,
            }],
            range_of_motion: 138,
            is_rig: true,
        }
    }

    fn file(coverage: Coverage, measures: Vec<Reading>) -> FileReport {
        FileReport {
            path: "a.glb".into(),
            coverage: Some(coverage),
            measures,
            checked: [Code("D602")].into(),
            ..FileReport::default()
        }
    }

    #[test]
    fn what_moved_is_counted_and_the_nearest_value_is_named() {
        let measures = vec![
            reading("stretch", 0.4),
            reading("gap", 0.2),
            Reading {
                value: 4.6,
                ..reading("beyond it", 1.2)
            },
        ];
        let expected = [
            "41 poses of 1 clip, 138 of the range of motion; 22 of 23 joints move 4,200 of 4,210 vertices",
            "nearest to a limit: stretch 2.1\u{d7} of 4\u{d7} (mesh \"Body\")",
        ];
        let own = file(rig(), measures);
        assert_eq!(lines(std::slice::from_ref(&own)), expected);
        let two = lines(&[own.clone(), file(Coverage::default(), Vec::new())]);
        assert!(
            two[0].ends_with("vertices; 1 file with nothing to pose"),
            "{two:?}"
        );
        assert!(
            two[1].starts_with("nearest to a limit: a.glb: stretch"),
            "{two:?}"
        );
        let table = table(&own);
        assert_eq!(
            table[1],
            "D602  beyond it  4.6\u{d7} of 4\u{d7}  mesh \"Body\""
        );
        assert_eq!(table.len(), 4);
    }

    #[test]
    fn a_prop_says_that_it_has_nothing_to_pose() {
        let prop = file(Coverage::default(), Vec::new());
        let expected = ["nothing to pose: no skeleton, no clip, no morph target"];
        assert_eq!(lines(&[prop]), expected);
    }
}
