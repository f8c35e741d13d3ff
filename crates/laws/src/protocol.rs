//! The protocol between the laws and an engine: over a program's standard input and output, one request and one answer per
//! line, as JSON.
//!
//! ```text
//! → {"schema": "skincheck/laws/2", "id": 7, "clip": 0, "times": [0.25], "gltf": {"asset": {"version": "2.0"}, …}}
//! ← {"id": 7, "poses": [{"nodes": [[1, 0, 0, 0, …]], "meshes": [[[0, 1, 0], …]]}]}
//! ```

use glam::{DMat4, DVec3};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::channel::{EngineError, cut};
use super::{Capabilities, Posed};

/// The version of the protocol.
const SCHEMA: &str = "skincheck/laws/2";

#[derive(Serialize)]
struct Request<'a> {
    schema: &'static str,
    id: u64,
    /// `null` for the rest pose.
    clip: Option<usize>,
    /// Seconds.
    times: &'a [f64],
    gltf: &'a RawValue,
}

#[derive(Deserialize)]
pub(super) struct Answer {
    id: u64,
    error: Option<String>,
    pub(super) unsupported: Option<String>,
    pub(super) capabilities: Option<Capabilities>,
    #[serde(default)]
    pub(super) poses: Vec<Pose>,
}

#[derive(Deserialize)]
pub(super) struct Pose {
    nodes: Vec<Vec<Option<f64>>>,
    #[serde(default)]
    meshes: Vec<Vec<Vec<Option<f64>>>>,
}

/// The line that asks for the poses of a rig at `times`: of its clip, or else of its rest pose.
pub(super) fn request(id: u64, clip: bool, times: &[f64], gltf: &str) -> String {
    let request = Request {
        schema: SCHEMA,
        id,
        clip: clip.then_some(0),
        times,
        gltf: serde_json::from_str(gltf).expect("the writer makes JSON"),
    };
    let mut line = serde_json::to_string(&request).expect("a request is JSON");
    line.push('\n');
    line
}

impl Answer {
    /// The answer to request `id` in a line of the program's output.
    ///
    /// # Errors
    ///
    /// It is not one, the program could not answer, or it has another number of poses than `times`.
    pub(super) fn parse(id: u64, line: &str, times: usize) -> Result<Self, EngineError> {
        let parsed = serde_json::from_str(line);
        // Python's json writes NaN and Infinity, which are no JSON: they are numbers that break a law.
        let parsed = parsed
            .or_else(|error| serde_json::from_str(&with_null_for_nan(line)).map_err(|_| error));
        let answer: Self = parsed.map_err(|error| garbage(id, error.to_string(), line))?;
        if answer.id != id {
            let reason = format!("its id is {}", answer.id);
            return Err(garbage(id, reason, line));
        }
        if let Some(message) = &answer.error {
            let message = cut(message);
            return Err(EngineError::Refused { id, message });
        }
        let declared = answer.capabilities.as_ref();
        if let Some(problem) = declared.and_then(Capabilities::problem) {
            return Err(garbage(id, problem.to_owned(), line));
        }
        if answer.unsupported.is_none() && answer.poses.len() != times {
            let reason = format!("it has {} poses for {times} times", answer.poses.len());
            return Err(garbage(id, reason, line));
        }
        Ok(answer)
    }
}

impl Pose {
    pub(super) fn posed(&self) -> Posed {
        let matrix = |node: &Vec<Option<f64>>| DMat4::from_cols_array(&numbers(node));
        let position = |vertex: &Vec<Option<f64>>| DVec3::from_array(numbers(vertex));
        let mesh = |mesh: &Vec<Vec<Option<f64>>>| mesh.iter().map(position).collect();
        Posed {
            nodes: self.nodes.iter().map(matrix).collect(),
            meshes: self.meshes.iter().map(mesh).collect(),
        }
    }
}

/// The line with `null` for `NaN` and infinities outside of strings.
fn with_null_for_nan(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let (mut rest, mut in_string) = (line, false);
    while let Some(first) = rest.chars().next() {
        let number = ["NaN", "Infinity", "-Infinity"]
            .into_iter()
            .find(|number| !in_string && rest.starts_with(number));
        if let Some(number) = number {
            text += "null";
            rest = &rest[number.len()..];
            continue;
        }
        let length = match first {
            '\\' if in_string => rest.chars().take(2).map(char::len_utf8).sum(),
            _ => first.len_utf8(),
        };
        in_string ^= first == '"';
        text += &rest[..length];
        rest = &rest[length..];
    }
    text
}

fn garbage(id: u64, reason: String, line: &str) -> EngineError {
    let line = line.chars().take(60).collect();
    EngineError::Garbage { id, reason, line }
}

fn numbers<const N: usize>(list: &[Option<f64>]) -> [f64; N] {
    std::array::from_fn(|index| list.get(index).copied().flatten().unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::with_null_for_nan;

    #[test]
    fn nan_and_infinities_become_null_outside_of_strings() {
        let line =
            r#"{"id": 0, "error": "NaN \"NaN", "nodes": [[NaN, -Infinity, Infinity, -1.5]]}"#;
        let expected = r#"{"id": 0, "error": "NaN \"NaN", "nodes": [[null, null, null, -1.5]]}"#;
        assert_eq!(with_null_for_nan(line), expected);
    }
}
