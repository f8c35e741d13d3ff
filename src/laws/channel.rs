//! What requests are sent to: a program, or a function.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::process::ExitStatus;
use std::time::Duration;

/// The longest line that is read. Requests have some nodes, vertices and times, so that a proper answer has some
/// kilobytes.
pub(super) const LONGEST_LINE: u64 = 16 << 20;

/// The most characters of a program's text in a message.
pub(super) const QUOTED: usize = 200;

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
        "the program did not answer request {id} within {} s; raise --{} if it is really that slow, and flush its \
         output after each line{}",
        limit.as_secs_f64(),
        if *id == 0 { "start-timeout" } else { "reply-timeout" },
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
        "the answer to request {id} is not one JSON object with `id` and `poses`: {reason}; it begins {line:?}"
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

/// Lines of the program's output that are not answers, such as the banner of a library.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skipped {
    /// How many.
    pub count: u64,
    /// The beginning of the first.
    pub first: String,
}

/// Answers requests, in order.
pub(super) trait Channel: fmt::Debug {
    /// Sends request `id`, without waiting for anything.
    fn send(&mut self, id: u64, line: String) -> Result<(), EngineError>;

    /// The next line that may be an answer. Others are skipped.
    ///
    /// * `id` – the request that is to be answered next.
    fn line(&mut self, id: u64, limit: Duration) -> Result<String, EngineError>;

    /// The lines that were skipped.
    fn skipped(&self) -> Skipped {
        Skipped::default()
    }
}

type Answer = dyn FnMut(&str) -> Result<String, String>;

/// A function of this process. It has no time limit.
pub(super) struct Function {
    answer: Box<Answer>,
    requests: VecDeque<String>,
}

impl Function {
    pub(super) fn new(answer: impl FnMut(&str) -> Result<String, String> + 'static) -> Self {
        Self {
            answer: Box::new(answer),
            requests: VecDeque::new(),
        }
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Function").finish_non_exhaustive()
    }
}

impl Channel for Function {
    fn send(&mut self, _: u64, line: String) -> Result<(), EngineError> {
        self.requests.push_back(line);
        Ok(())
    }

    fn line(&mut self, id: u64, _: Duration) -> Result<String, EngineError> {
        let request = self.requests.pop_front().unwrap_or_default();
        (self.answer)(&request).map_err(|message| EngineError::Refused { id, message })
    }
}
