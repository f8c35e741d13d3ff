//! The binary form in which a model crosses the pipe from the importing process to its parent.
//!
//! ```text
//! offset  size  what
//!      0     8  magic, `skinwire`
//!      8     4  version of the form, little-endian
//!     12     4  fingerprint of the package's version, little-endian
//!     16     8  length of the payload in bytes, little-endian
//!     24     8  checksum of the payload, little-endian
//!     32        payload: an [`Answer`] in postcard's form
//! ```
//!
//! It lives for milliseconds between two processes of one build, so it is made for speed and for noticing damage, not
//! for keeping. Floats travel as their bits: NaNs keep their payload.

use std::mem::size_of;

use super::ImporterError;
use crate::rig::Asset;

/// What came of an import, as it crosses the pipe.
pub(super) type Answer = Result<Asset, ImporterError>;

/// Raise on every change to what the payload looks like; a test holds its bytes against it.
const VERSION: u32 = 6;

const MAGIC: [u8; 8] = *b"skinwire";

/// Tells builds apart that have the same [`VERSION`] by mistake.
const FINGERPRINT: u32 = low_half(checksum(env!("CARGO_PKG_VERSION").as_bytes()));

/// Why a stream holds no model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// Fewer bytes than a header or than the header promises.
    #[error("the stream ends after {received} of {expected} bytes")]
    Truncated {
        /// How many came.
        received: u64,
        /// How many were to come.
        expected: u64,
    },
    /// Something else than a model.
    #[error("the stream is no model: it does not start with the right eight bytes")]
    Magic,
    /// The two processes are not of one build.
    #[error(
        "the importing program is of another version of skincheck (stream {stream:?}, expected {expected:?}); \
         install one version only, or set SKINCHECK_BINARY"
    )]
    Version {
        /// Version and fingerprint in the stream.
        stream: (u32, u32),
        /// Version and fingerprint of this build.
        expected: (u32, u32),
    },
    /// More than the reader is willing to hold.
    #[error("the model takes {length} bytes and {limit} are allowed; allow the import more memory")]
    TooLong {
        /// What the header promises.
        length: u64,
        /// What the reader accepts.
        limit: u64,
    },
    /// Damaged on the way.
    #[error("the stream is damaged: its checksum is wrong")]
    Checksum,
    /// The right bytes that mean nothing.
    #[error("the stream cannot be understood")]
    Payload(#[source] postcard::Error),
}

/// What precedes the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    length: u64,
    checksum: u64,
}

impl Header {
    /// In bytes.
    pub(super) const LEN: usize = 32;

    fn of(payload: &[u8]) -> Self {
        Self {
            length: payload.len() as u64,
            checksum: checksum(payload),
        }
    }

    fn to_bytes(self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&FINGERPRINT.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.length.to_le_bytes());
        bytes[24..].copy_from_slice(&self.checksum.to_le_bytes());
        bytes
    }

    /// Reads the first [`Header::LEN`] bytes of a stream whose payload may have `limit` bytes at the most.
    ///
    /// # Errors
    ///
    /// [`WireError::Truncated`], [`WireError::Magic`], [`WireError::Version`] and [`WireError::TooLong`].
    pub(super) fn parse(bytes: &[u8], limit: u64) -> Result<Self, WireError> {
        let Some(bytes) = bytes.first_chunk::<{ Self::LEN }>() else {
            return Err(truncated(bytes.len(), Self::LEN as u64));
        };
        if bytes[..8] != MAGIC {
            return Err(WireError::Magic);
        }
        let word = |at: usize| u64::from_le_bytes(array_at(bytes, at));
        let half = |at: usize| u32::from_le_bytes(array_at(bytes, at));
        let (stream, expected) = ((half(8), half(12)), (VERSION, FINGERPRINT));
        if stream != expected {
            return Err(WireError::Version { stream, expected });
        }
        let (length, checksum) = (word(16), word(24));
        if length > limit {
            return Err(WireError::TooLong { length, limit });
        }
        Ok(Self { length, checksum })
    }

    /// How many bytes follow the header.
    pub(super) fn payload_len(&self) -> u64 {
        self.length
    }

    /// Whether the payload has its length.
    ///
    /// # Errors
    ///
    /// [`WireError::Truncated`] if it is shorter or longer.
    pub(super) fn complete(&self, received: usize) -> Result<(), WireError> {
        let is_complete = received as u64 == self.length;
        is_complete
            .then_some(())
            .ok_or_else(|| truncated(received, self.length))
    }
}

/// The whole stream, header included.
///
/// # Errors
///
/// [`WireError::Payload`] for what postcard cannot say: a path that is not Unicode.
pub(super) fn encode(answer: &Answer) -> Result<Vec<u8>, WireError> {
    let room = vec![0; Header::LEN];
    let mut stream = postcard::to_extend(answer, room).map_err(WireError::Payload)?;
    let (header, payload) = stream.split_at_mut(Header::LEN);
    header.copy_from_slice(&Header::of(payload).to_bytes());
    Ok(stream)
}

/// The reverse of [`encode`]. The model still has to be validated.
///
/// # Errors
///
/// Any [`WireError`].
#[cfg(test)]
fn decode(stream: &[u8], limit: u64) -> Result<Answer, WireError> {
    let header = Header::parse(stream, limit)?;
    decode_payload(header, &stream[Header::LEN..])
}

/// Understands the `payload` that followed `header`.
///
/// # Errors
///
/// [`WireError::Truncated`] if it is shorter or longer than promised, [`WireError::Checksum`] and [`WireError::Payload`].
pub(super) fn decode_payload(header: Header, payload: &[u8]) -> Result<Answer, WireError> {
    header.complete(payload.len())?;
    if checksum(payload) != header.checksum {
        return Err(WireError::Checksum);
    }
    let (answer, rest) = postcard::take_from_bytes(payload).map_err(WireError::Payload)?;
    if rest.is_empty() {
        Ok(answer)
    } else {
        Err(WireError::Payload(postcard::Error::DeserializeBadEncoding))
    }
}

fn truncated(received: usize, expected: u64) -> WireError {
    let received = received as u64;
    WireError::Truncated { received, expected }
}

/// FNV-1a over words of eight bytes, the last one filled with zeros: finds damage, not malice.
const fn checksum(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let (words, rest) = bytes.as_chunks::<{ size_of::<u64>() }>();
    let mut at = 0;
    while at < words.len() {
        hash = (hash ^ u64::from_le_bytes(words[at])).wrapping_mul(PRIME);
        at += 1;
    }
    let mut last = [0; size_of::<u64>()];
    let mut at = 0;
    while at < rest.len() {
        last[at] = rest[at];
        at += 1;
    }
    (hash ^ u64::from_le_bytes(last)).wrapping_mul(PRIME)
}

#[expect(clippy::cast_possible_truncation, reason = "the half that is wanted")]
const fn low_half(word: u64) -> u32 {
    word as u32
}

fn array_at<const N: usize>(bytes: &[u8; Header::LEN], at: usize) -> [u8; N] {
    std::array::from_fn(|index| bytes[at + index])
}

#[cfg(test)]
mod tests;
