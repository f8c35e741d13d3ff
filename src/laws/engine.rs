//! Another program as the subject of the laws. It receives rigs as glTF and poses them.
//!
//! One request and one answer per line, as JSON, over the program's standard input and output:
//!
//! ```text
//! → {"schema": "skincheck/laws/1", "id": 7, "clip": 0, "time": 0.25, "gltf": {"asset": {"version": "2.0"}, …}}
//! ← {"id": 7, "nodes": [[1, 0, 0, 0, …]], "vertices": [[0, 1, 0], …]}
//! ```

use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use glam::{DMat4, Mat3, Quat, Vec3};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::model::{rig_of_rotation, rig_of_vector};
use super::{Body, Interpolator, Skinner};
use crate::export;
use crate::rig::{Asset, Track};

/// The version of the protocol.
const SCHEMA: &str = "skincheck/laws/1";

/// Why a program did not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The shell cannot be started.
    #[error("the program cannot be started")]
    Start(#[source] io::Error),
    /// The program ended or closed its output.
    #[error("the program ended {}before it answered request {id}", shown(*status))]
    Ended {
        /// The request.
        id: u64,
        /// Its exit status, if it has ended.
        status: Option<ExitStatus>,
    },
    /// The program did not answer in time.
    #[error(
        "the program did not answer request {id} within {} s; raise --reply-timeout if it is really that slow, and flush its \
         output after each line",
        limit.as_secs_f64()
    )]
    Slow {
        /// The request.
        id: u64,
        /// The time limit.
        limit: Duration,
    },
    /// The program wrote an invalid answer.
    #[error(
        "the answer to request {id} is not one JSON object with `id`, `nodes` and `vertices`: {reason}; it begins {line:?}"
    )]
    Garbage {
        /// The request.
        id: u64,
        /// The error.
        reason: String,
        /// The first characters of the line.
        line: String,
    },
    /// The program reported an error.
    #[error("the program answered request {id} with the error {message:?}")]
    Refused {
        /// The request.
        id: u64,
        /// Its message.
        message: String,
    },
}

fn shown(status: Option<ExitStatus>) -> String {
    status.map_or_else(String::new, |status| format!("({status}) "))
}

/// A running program. After its first error it receives no more requests, and every result is NaN.
#[derive(Debug)]
pub struct Engine {
    /// In a cell, because implementations under test are shared.
    running: RefCell<Running>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<io::Result<String>>,
    limit: Duration,
    requests: u64,
    error: Option<EngineError>,
}

#[derive(Serialize)]
struct Request<'a> {
    schema: &'static str,
    id: u64,
    /// `null` for the rest pose.
    clip: Option<usize>,
    /// Seconds.
    time: f64,
    gltf: &'a RawValue,
}

#[derive(Deserialize)]
struct Answer {
    id: u64,
    error: Option<String>,
    #[serde(default)]
    nodes: Vec<Vec<Option<f64>>>,
    #[serde(default)]
    vertices: Vec<Vec<Option<f64>>>,
}

impl Engine {
    /// Starts `command` in a shell.
    ///
    /// * `limit` – how long it may take to answer a request.
    ///
    /// # Errors
    ///
    /// [`EngineError::Start`] if there is no shell.
    pub fn start(command: &str, limit: Duration) -> Result<Self, EngineError> {
        let [shell, flag] = if cfg!(windows) {
            ["cmd", "/C"]
        } else {
            ["sh", "-c"]
        };
        let mut child = Command::new(shell)
            .args([flag, command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(EngineError::Start)?;
        let (sender, lines) = channel();
        if let Some(output) = child.stdout.take() {
            let forward = move || {
                for line in BufReader::new(output).lines() {
                    if sender.send(line).is_err() {
                        return;
                    }
                }
            };
            thread::Builder::new()
                .spawn(forward)
                .map_err(EngineError::Start)?;
        }
        let running = Running {
            input: child.stdin.take(),
            child,
            lines,
            limit,
            requests: 0,
            error: None,
        };
        Ok(Self {
            running: RefCell::new(running),
        })
    }

    /// The first error since the last call of this function.
    #[must_use]
    pub fn take_error(&self) -> Option<EngineError> {
        self.running.borrow_mut().error.take()
    }

    /// Requests a pose; `None` after an error, and for a rig that glTF cannot represent.
    fn ask(&self, rig: &Asset, time: Option<f64>) -> Option<Answer> {
        let gltf = export::to_gltf_line(rig).ok()?;
        let mut running = self.running.borrow_mut();
        if running.error.is_some() {
            return None;
        }
        match running.ask(&gltf, time) {
            Ok(answer) => Some(answer),
            Err(error) => {
                running.error = Some(error);
                None
            }
        }
    }
}

impl Running {
    fn ask(&mut self, gltf: &str, time: Option<f64>) -> Result<Answer, EngineError> {
        let id = self.requests;
        self.requests += 1;
        let request = Request {
            schema: SCHEMA,
            id,
            clip: time.map(|_| 0),
            time: time.unwrap_or(0.0),
            gltf: serde_json::from_str(gltf).expect("the writer makes JSON"),
        };
        let mut line = serde_json::to_string(&request).expect("a request is JSON");
        line.push('\n');
        let sent = self.input.as_mut().map(|input| {
            input.write_all(line.as_bytes())?;
            input.flush()
        });
        if !matches!(sent, Some(Ok(()))) {
            return Err(self.ended(id));
        }
        let line = match self.lines.recv_timeout(self.limit) {
            Ok(Ok(line)) => line,
            Err(RecvTimeoutError::Timeout) => {
                let limit = self.limit;
                return Err(EngineError::Slow { id, limit });
            }
            Ok(Err(error)) => return Err(garbage(id, error.to_string(), "")),
            Err(RecvTimeoutError::Disconnected) => return Err(self.ended(id)),
        };
        let answer: Answer =
            serde_json::from_str(&line).map_err(|error| garbage(id, error.to_string(), &line))?;
        if answer.id != id {
            let reason = format!("its id is {}", answer.id);
            return Err(garbage(id, reason, &line));
        }
        if let Some(message) = answer.error {
            return Err(EngineError::Refused { id, message });
        }
        Ok(answer)
    }

    /// Waits briefly for the exit status, because the output closes first.
    fn ended(&mut self, id: u64) -> EngineError {
        self.input = None;
        thread::sleep(Duration::from_millis(50));
        let status = self.child.try_wait().ok().flatten();
        EngineError::Ended { id, status }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.input = None;
        // The program has no more requests to answer, so how it ends does not matter.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn garbage(id: u64, reason: String, line: &str) -> EngineError {
    let line = line.chars().take(60).collect();
    EngineError::Garbage { id, reason, line }
}

fn numbers<const N: usize>(list: &[Option<f64>]) -> [f64; N] {
    std::array::from_fn(|index| list.get(index).copied().flatten().unwrap_or(f64::NAN))
}

impl Engine {
    /// `world_from_node` of the only node of a rig.
    fn node(&self, rig: &Asset, time: f64) -> DMat4 {
        let answer = self.ask(rig, Some(time));
        let node = answer.as_ref().and_then(|answer| answer.nodes.first());
        DMat4::from_cols_array(&numbers(node.map_or(&[], Vec::as_slice)))
    }
}

/// Whether glTF can represent the rig.
fn can_be_sent(rig: &Asset) -> bool {
    export::to_gltf_line(rig).is_ok()
}

impl Interpolator<Quat> for Engine {
    fn accepts(&self, track: &Track<Quat>) -> bool {
        can_be_sent(&rig_of_rotation(track))
    }

    /// From the node's matrix, scaled by its longest axis: the matrix of a quaternion that is not normalized is not
    /// orthonormal.
    fn sample(&self, track: &Track<Quat>, time: f64) -> Quat {
        let matrix = self.node(&rig_of_rotation(track), time).as_mat4();
        let axes = Mat3::from_mat4(matrix);
        let lengths = [axes.x_axis, axes.y_axis, axes.z_axis].map(Vec3::length);
        let farthest = lengths.into_iter().fold(1.0_f32, |worst, length| {
            if (length - 1.0).abs() > (worst - 1.0).abs() {
                length
            } else {
                worst
            }
        });
        let columns = [axes.x_axis, axes.y_axis, axes.z_axis];
        let [x, y, z] = [0, 1, 2].map(|at| columns[at] / lengths[at]);
        Quat::from_mat3(&Mat3::from_cols(x, y, z)) * farthest
    }
}

impl Interpolator<Vec3> for Engine {
    fn accepts(&self, track: &Track<Vec3>) -> bool {
        can_be_sent(&rig_of_vector(track))
    }

    fn sample(&self, track: &Track<Vec3>, time: f64) -> Vec3 {
        let matrix = self.node(&rig_of_vector(track), time);
        matrix.w_axis.truncate().as_vec3()
    }
}

impl Skinner for Engine {
    fn skin(&self, body: &Body) -> Vec<Vec3> {
        let answer = self.ask(&body.to_asset(), None);
        let vertices = answer.map_or_else(Vec::new, |answer| answer.vertices);
        let position =
            |vertex: &Vec<Option<f64>>| glam::DVec3::from_array(numbers(vertex)).as_vec3();
        vertices.iter().map(position).collect()
    }
}
