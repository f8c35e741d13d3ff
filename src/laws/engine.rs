//! Another program as the subject of the laws. It receives rigs as glTF and poses them.
//!
//! One request and one answer per line, as JSON, over the program's standard input and output:
//!
//! ```text
//! → {"schema": "skincheck/laws/1", "id": 7, "clip": 0, "time": 0.25, "gltf": {"asset": {"version": "2.0"}, …}}
//! ← {"id": 7, "nodes": [[1, 0, 0, 0, …]], "vertices": [[0, 1, 0], …]}
//! ```

use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use glam::{DMat4, DVec3, Mat3, Quat, Vec3};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::model::{rig_of_rotation, rig_of_vector};
use super::{Body, Interpolator, Posed, Poser, Skinner};
use crate::export;
use crate::rig::{Asset, Track};

/// The version of the protocol.
const SCHEMA: &str = "skincheck/laws/1";

/// The longest line that is read. Requests have a few nodes and vertices, so that a proper answer has some kilobytes.
const LONGEST_LINE: u64 = 16 << 20;

/// The most characters of a program's text in a message.
const QUOTED: usize = 200;

/// Why a program did not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The shell cannot be started.
    #[error("the program cannot be started")]
    Start(#[source] io::Error),
    /// The program ended or closed its output.
    #[error("the program ended {}before it answered request {id}{}", shown(*status), said(skipped))]
    Ended {
        /// The request.
        id: u64,
        /// Its exit status, if it has ended.
        status: Option<ExitStatus>,
        /// Lines that were no answers.
        skipped: Skipped,
    },
    /// The program did not answer in time.
    #[error(
        "the program did not answer request {id} within {} s; raise --reply-timeout if it is really that slow, and flush its \
         output after each line{}",
        limit.as_secs_f64(),
        said(skipped)
    )]
    Slow {
        /// The request.
        id: u64,
        /// The time limit.
        limit: Duration,
        /// Lines that were no answers.
        skipped: Skipped,
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
    /// A line of its output does not end.
    #[error(
        "the program answered request {id} with a line of more than {} MiB; an answer is one line",
        LONGEST_LINE >> 20
    )]
    Long {
        /// The request.
        id: u64,
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

/// What the program wrote instead of an answer.
fn said(skipped: &Skipped) -> String {
    match skipped.count {
        0 => String::new(),
        count => format!(
            "; {count} lines of its output are no JSON objects, the first is {:?}",
            skipped.first
        ),
    }
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
    /// Requests on their way to the program; `None` when there are no more.
    requests: Option<SyncSender<String>>,
    events: Receiver<Event>,
    limit: Duration,
    asked: u64,
    skipped: Skipped,
    error: Option<EngineError>,
}

/// What happens at the other end of the pipes.
#[derive(Debug)]
enum Event {
    Line(Vec<u8>),
    /// A line is longer than [`LONGEST_LINE`].
    Long,
    /// Its standard input or output is closed.
    Closed,
}

/// Lines of the program's output that are not answers, such as the banner of a library.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skipped {
    /// How many.
    pub count: u64,
    /// The beginning of the first.
    pub first: String,
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
        let mut command_line = Command::new(shell);
        command_line.args([flag, command]);
        command_line.stdin(Stdio::piped()).stdout(Stdio::piped());
        in_own_group(&mut command_line);
        let mut child = command_line.spawn().map_err(EngineError::Start)?;
        let (happened, events) = sync_channel(1);
        let (requests, to_send) = sync_channel(1);
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let running = Running {
            child,
            requests: Some(requests),
            events,
            limit,
            asked: 0,
            skipped: Skipped::default(),
            error: None,
        };
        // Pipes are served by threads: a program that neither reads nor writes must not block skincheck.
        if let (Some(input), Some(output)) = (input, output) {
            let closed = happened.clone();
            thread::Builder::new()
                .spawn(move || send(input, &to_send, &closed))
                .map_err(EngineError::Start)?;
            thread::Builder::new()
                .spawn(move || receive(output, &happened))
                .map_err(EngineError::Start)?;
        }
        Ok(Self {
            running: RefCell::new(running),
        })
    }

    /// The lines of the program's output that were not answers.
    #[must_use]
    pub fn skipped(&self) -> Skipped {
        self.running.borrow().skipped.clone()
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
        let id = self.asked;
        self.asked += 1;
        let request = Request {
            schema: SCHEMA,
            id,
            clip: time.map(|_| 0),
            time: time.unwrap_or(0.0),
            gltf: serde_json::from_str(gltf).expect("the writer makes JSON"),
        };
        let mut line = serde_json::to_string(&request).expect("a request is JSON");
        line.push('\n');
        let sent = self.requests.as_ref().map(|requests| requests.send(line));
        if !matches!(sent, Some(Ok(()))) {
            return Err(self.ended(id));
        }
        let line = self.line(id)?;
        let parsed = serde_json::from_str(&line);
        // Python's json writes NaN and Infinity, which are no JSON: they are numbers that break a law.
        let parsed = parsed
            .or_else(|error| serde_json::from_str(&with_null_for_nan(&line)).map_err(|_| error));
        let answer: Answer = parsed.map_err(|error| garbage(id, error.to_string(), &line))?;
        if answer.id != id {
            let reason = format!("its id is {}", answer.id);
            return Err(garbage(id, reason, &line));
        }
        if let Some(message) = answer.error {
            let message = message.chars().take(QUOTED).collect();
            return Err(EngineError::Refused { id, message });
        }
        Ok(answer)
    }

    /// The next line that may be an answer. Others are skipped.
    fn line(&mut self, id: u64) -> Result<String, EngineError> {
        let started = Instant::now();
        loop {
            let left = self.limit.saturating_sub(started.elapsed());
            let line = match self.events.recv_timeout(left) {
                Ok(Event::Line(line)) => String::from_utf8_lossy(&line).into_owned(),
                Ok(Event::Long) => return Err(EngineError::Long { id }),
                Err(RecvTimeoutError::Timeout) => {
                    let (limit, skipped) = (self.limit, self.skipped.clone());
                    return Err(EngineError::Slow { id, limit, skipped });
                }
                Ok(Event::Closed) | Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.ended(id));
                }
            };
            let line = line.trim();
            if line.starts_with('{') {
                return Ok(line.to_owned());
            }
            if self.skipped.count == 0 {
                self.skipped.first = line.chars().take(QUOTED).collect();
            }
            self.skipped.count += 1;
        }
    }

    /// Waits briefly for the exit status, because the output closes first.
    fn ended(&mut self, id: u64) -> EngineError {
        self.requests = None;
        thread::sleep(Duration::from_millis(50));
        let status = self.child.try_wait().ok().flatten();
        let skipped = self.skipped.clone();
        EngineError::Ended {
            id,
            status,
            skipped,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.requests = None;
        // The program has no more requests to answer, so how it and what it started end does not matter.
        kill_group(&self.child);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes the requests; ends when there are no more, or the program reads no more.
fn send(mut input: ChildStdin, requests: &Receiver<String>, closed: &SyncSender<Event>) {
    for line in requests {
        let written = input.write_all(line.as_bytes());
        if written.and_then(|()| input.flush()).is_err() {
            // The receiver is gone if the run has ended.
            let _ = closed.send(Event::Closed);
            return;
        }
    }
}

/// Reads lines until the output closes or one is too long.
fn receive(output: ChildStdout, happened: &SyncSender<Event>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let mut limited = (&mut output).take(LONGEST_LINE);
        let event = match limited.read_until(b'\n', &mut line) {
            Err(_) | Ok(0) => Event::Closed,
            Ok(_) if line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n") => Event::Long,
            Ok(_) => Event::Line(line),
        };
        let ends = !matches!(event, Event::Line(_));
        if happened.send(event).is_err() || ends {
            return;
        }
    }
}

/// Its own process group, so that everything the program starts ends with it.
#[cfg(unix)]
fn in_own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn in_own_group(_: &mut Command) {}

/// The program's shell must not have been reaped: its number could be another's by now.
#[cfg(unix)]
fn kill_group(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    // Fails only for a group that has just ended.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
}

#[cfg(not(unix))]
fn kill_group(_: &Child) {}

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

impl Poser for Engine {
    fn pose(&self, rig: &Asset, time: f64) -> Option<Posed> {
        if !can_be_sent(rig) {
            return None;
        }
        // After an error of the program the run ends, and its verdicts are dropped.
        let answer = self.ask(rig, Some(time))?;
        let matrix = |node: &Vec<Option<f64>>| DMat4::from_cols_array(&numbers(node));
        let position = |vertex: &Vec<Option<f64>>| DVec3::from_array(numbers(vertex));
        Some(Posed {
            nodes: answer.nodes.iter().map(matrix).collect(),
            vertices: answer.vertices.iter().map(position).collect(),
        })
    }
}

impl Skinner for Engine {
    fn skin(&self, body: &Body) -> Vec<Vec3> {
        let answer = self.ask(&body.to_asset(), None);
        let vertices = answer.map_or_else(Vec::new, |answer| answer.vertices);
        let position = |vertex: &Vec<Option<f64>>| DVec3::from_array(numbers(vertex)).as_vec3();
        vertices.iter().map(position).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_and_infinities_become_null_outside_of_strings() {
        let line =
            r#"{"id": 0, "error": "NaN \"NaN", "nodes": [[NaN, -Infinity, Infinity, -1.5]]}"#;
        let expected = r#"{"id": 0, "error": "NaN \"NaN", "nodes": [[null, null, null, -1.5]]}"#;
        assert_eq!(with_null_for_nan(line), expected);
    }

    #[cfg(unix)]
    fn error_of(command: &str, seconds: f64) -> String {
        let engine = Engine::start(command, Duration::from_secs_f64(seconds));
        let engine = engine.expect("there is a shell");
        let _ = engine.skin(&Body::default());
        engine.take_error().expect("it does not answer").to_string()
    }

    #[cfg(unix)]
    #[test]
    fn a_line_without_end_is_an_error_and_takes_little_memory() {
        let error = error_of("exec cat /dev/zero", 60.0);
        assert!(error.contains("a line of more than 16 MiB"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn lines_without_end_run_into_the_time_limit() {
        let error = error_of("exec yes", 0.3);
        assert!(
            error.contains("did not answer request 0 within 0.3 s"),
            "{error}"
        );
        assert!(error.contains(r#"the first is "y""#), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_long_error_of_the_program_is_cut() {
        let answer = "head -c 100000 /dev/zero | tr '\\0' x";
        let command =
            format!("read -r line; echo \"{{\\\"id\\\": 0, \\\"error\\\": \\\"$({answer})\\\"}}\"");
        let error = error_of(&command, 10.0);
        assert!(
            error.contains("with the error \"xxx") && error.len() < 300,
            "{error}"
        );
    }

    /// A program that does not read must not block the writing of a request that is larger than a pipe's buffer.
    #[cfg(unix)]
    #[test]
    fn a_program_that_reads_nothing_runs_into_the_time_limit() {
        let engine = Engine::start("exec sleep 30", Duration::from_millis(300));
        let engine = engine.expect("there is a shell");
        let body = Body {
            positions: vec![Vec3::ONE; 20_000],
            ..Body::default()
        };
        assert!(engine.skin(&body).is_empty());
        let error = engine.take_error().expect("it does not answer");
        assert!(matches!(error, EngineError::Slow { .. }), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_the_program_started_ends_with_the_run() {
        let folder = tempfile::tempdir().expect("there is room");
        let pids = folder.path().join("pids");
        let command = format!("sleep 271 & sleep 272 & echo $! > {}; wait", pids.display());
        let engine = Engine::start(&command, Duration::from_millis(300));
        let engine = engine.expect("there is a shell");
        let _ = engine.skin(&Body::default());
        drop(engine);
        let pid = std::fs::read_to_string(&pids).expect("it was started");
        let status = format!("/proc/{}/stat", pid.trim());
        let started = Instant::now();
        // A killed grandchild is reaped by the system, some time.
        while std::fs::read_to_string(&status).is_ok_and(|status| !status.contains(") Z ")) {
            assert!(
                started.elapsed() < Duration::from_secs(5),
                "{pid} is still there"
            );
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Its only answer has no line break.
    #[cfg(unix)]
    #[test]
    fn a_rotation_is_as_long_as_the_matrix_in_the_answer() {
        let matrix = "[1.5,0,0,0, 0,1.5,0,0, 0,0,1.5,0, 0,0,0,1]";
        let answer = format!("{{\"id\": 0, \"nodes\": [{matrix}], \"vertices\": []}}");
        let engine = Engine::start(
            &format!("read -r line; printf '{answer}'"),
            Duration::from_secs(10),
        );
        let track = Track::linear([(0.0, Quat::IDENTITY), (1.0, Quat::IDENTITY)]);
        let rotation: Quat = engine.expect("there is a shell").sample(&track, 0.0);
        assert!(
            rotation.abs_diff_eq(Quat::IDENTITY * 1.5, 1e-6),
            "{rotation}"
        );
    }
}
