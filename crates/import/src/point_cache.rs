//! Point caches: the positions of vertices over time, as modelling programs write them from a menu.
//!
//! ufbx reads PC2 and Maya's caches (`.mc`, `.mcx`, and the `.xml` that describes them). MDD is read here: the counts of frames and
//! points, the time of each frame in seconds, and the positions, all big-endian (`export_mdd.py` of Blender 2.8 to 4.1).

use std::io::Read;
use std::path::Path;

use glam::Vec3;
use ufbx::{
    AllocatorOpts, CacheChannel, CacheInterpretation, GeometryCacheDataOpts, GeometryCacheOpts,
};

use crate::files;
use crate::paths::open_regular;
use crate::units::{Seconds, amount};

/// The positions of the vertices of one mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct PointCache {
    /// The mesh, as its program calls it; empty if the file does not say.
    pub name: String,
    /// In ascending order of time, with as many positions each. There is at least one.
    pub frames: Vec<PointFrame>,
}

/// The positions at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct PointFrame {
    /// As stored; a PC2 counts frames, which its reader's rate divides.
    pub time: Seconds,
    /// In the space and the unit of the program, which no cache states.
    pub positions: Vec<Vec3>,
}

/// Why a point cache cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PointCacheError {
    /// The file, or one that it names, is damaged or of another kind.
    #[error("it cannot be read as a point cache: {reason}; export it again")]
    Damaged {
        /// What was expected and found.
        reason: String,
    },
    /// It has no positions.
    #[error("it has no frames with positions")]
    Empty,
    /// A mesh gains or loses vertices.
    #[error(
        "the number of points of \"{name}\" changes from {before} to {after} at {time} s, which no rig does"
    )]
    Changing {
        /// The mesh.
        name: String,
        /// In the first frame.
        before: usize,
        /// In that frame.
        after: usize,
        /// Of the frame, in seconds.
        time: f64,
    },
    /// A position is NaN or infinite.
    #[error("point {point} of \"{name}\" is not finite at {time} s")]
    Nonfinite {
        /// The mesh.
        name: String,
        /// Its index.
        point: usize,
        /// In seconds.
        time: f64,
    },
}

/// How many bytes ufbx may allocate, apart from the positions.
const MEMORY: usize = 1 << 30;

/// The most bytes of an MDD.
const LARGEST: u64 = 8 << 30;

/// How an XML document of Maya describes a cache.
const ROOT: &[u8] = b"<Autodesk_Cache_File";

/// How much of a document is searched for that.
const START: u64 = 4096;

/// Whether a file is a point cache, by its extension; an `.xml` by its content.
#[must_use]
pub fn is_point_cache(path: &Path) -> bool {
    let extension = path.extension().and_then(|own| own.to_str());
    match extension.map(str::to_ascii_lowercase).as_deref() {
        Some("pc2" | "mdd" | "mc" | "mcx") => path.is_file(),
        Some("xml") => describes_cache(path),
        _ => false,
    }
}

fn describes_cache(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = open_regular(path).and_then(|file| file.take(START).read_to_end(&mut start));
    read.is_ok() && start.windows(ROOT.len()).any(|part| part == ROOT)
}

/// Reads the meshes of a point cache.
///
/// * `frames_per_second` – of a PC2, which counts frames.
///
/// # Errors
///
/// [`PointCacheError`].
pub fn read_point_cache(
    path: &Path,
    frames_per_second: f64,
) -> Result<Vec<PointCache>, PointCacheError> {
    let is_mdd = path
        .extension()
        .is_some_and(|own| own.eq_ignore_ascii_case("mdd"));
    let caches = if is_mdd {
        let bytes = files::read(path, LARGEST).map_err(|error| damaged(error.to_string()))?;
        vec![read_mdd(&bytes)?]
    } else {
        read_with_ufbx(path, frames_per_second)?
    };
    caches.iter().try_for_each(check)?;
    if caches.is_empty() {
        return Err(PointCacheError::Empty);
    }
    Ok(caches)
}

fn damaged(reason: impl Into<String>) -> PointCacheError {
    PointCacheError::Damaged {
        reason: reason.into(),
    }
}

fn check(cache: &PointCache) -> Result<(), PointCacheError> {
    let first = cache.frames.first().ok_or(PointCacheError::Empty)?;
    let before = first.positions.len();
    for frame in &cache.frames {
        let (name, time) = (cache.name.clone(), frame.time.0);
        let after = frame.positions.len();
        if before == 0 {
            return Err(PointCacheError::Empty);
        }
        if after != before {
            return Err(PointCacheError::Changing {
                name,
                before,
                after,
                time,
            });
        }
        if let Some(point) = frame.positions.iter().position(|own| !own.is_finite()) {
            return Err(PointCacheError::Nonfinite { name, point, time });
        }
    }
    let mut times = cache.frames.iter().zip(cache.frames.iter().skip(1));
    if !first.time.0.is_finite() || !times.all(|(a, b)| a.time.0 < b.time.0) {
        return Err(damaged("its times do not ascend"));
    }
    Ok(())
}

fn read_with_ufbx(path: &Path, frames_per_second: f64) -> Result<Vec<PointCache>, PointCacheError> {
    let limited = || AllocatorOpts {
        memory_limit: MEMORY,
        ..AllocatorOpts::default()
    };
    let options = GeometryCacheOpts {
        temp_allocator: limited(),
        result_allocator: limited(),
        frames_per_second,
        ..GeometryCacheOpts::default()
    };
    let name = path
        .to_str()
        .ok_or_else(|| damaged("its path is not UTF-8"))?;
    let cache = ufbx::load_geometry_cache(name, options)
        .map_err(|error| damaged(error.description.to_string()))?;
    let holds_positions = |channel: &&CacheChannel| {
        matches!(
            channel.interpretation,
            CacheInterpretation::Unknown
                | CacheInterpretation::Points
                | CacheInterpretation::VertexPosition
        )
    };
    let channels = cache.channels.iter().filter(holds_positions);
    channels.map(read_channel).collect()
}

fn read_channel(channel: &CacheChannel) -> Result<PointCache, PointCacheError> {
    let frames = channel.frames.iter().map(|frame| {
        let count = frame.data_count as usize;
        let mut points = vec![ufbx::Vec3::default(); count];
        let options = GeometryCacheDataOpts::default();
        let read = ufbx::read_geometry_cache_vec3(frame, &mut points, options);
        if read < count {
            let expected = amount(count, "point");
            let reason = format!("expected {expected} at {} s, found {read}", frame.time);
            return Err(damaged(reason));
        }
        #[expect(clippy::cast_possible_truncation, reason = "files store f32")]
        let narrow = |point: ufbx::Vec3| Vec3::new(point.x as f32, point.y as f32, point.z as f32);
        Ok(PointFrame {
            time: Seconds(frame.time),
            positions: points.into_iter().map(narrow).collect(),
        })
    });
    Ok(PointCache {
        name: channel.name.to_string(),
        frames: frames.collect::<Result<_, _>>()?,
    })
}

fn read_mdd(bytes: &[u8]) -> Result<PointCache, PointCacheError> {
    let (words, rest) = bytes.as_chunks::<4>();
    let count = |index: usize| {
        let word = words
            .get(index)
            .ok_or_else(|| damaged("it has no header"))?;
        Ok(u64::from(u32::from_be_bytes(*word)))
    };
    let (frames, points) = (count(0)?, count(1)?);
    let expected = frames
        .checked_mul(1 + 3 * points)
        .and_then(|words| words.checked_add(2));
    if expected != Some(words.len() as u64) || !rest.is_empty() {
        let reason = format!(
            "its header states {frames} frames of {points} points, and the file has {} bytes",
            bytes.len()
        );
        return Err(damaged(reason));
    }
    let numbers = words[2..].iter().copied().map(f32::from_be_bytes);
    let numbers: Vec<f32> = numbers.collect();
    // Both are at most as many as the words of the file.
    let [frames, points] = [frames, points].map(|count| usize::try_from(count).unwrap_or(0));
    let (times, positions) = numbers.split_at(frames);
    let mut positions = positions.as_chunks::<3>().0.chunks(points.max(1));
    let frame = |time: &f32| PointFrame {
        time: Seconds(f64::from(*time)),
        positions: positions
            .next()
            .unwrap_or_default()
            .iter()
            .copied()
            .map(Vec3::from_array)
            .collect(),
    };
    Ok(PointCache {
        name: String::new(),
        frames: times.iter().map(frame).collect(),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Two frames of three points, at the times of these frames at 24 per second.
    const FRAMES: [(u8, [[f32; 3]; 3]); 2] = [
        (6, [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.5]]),
        (7, [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.5]]),
    ];

    fn pc2() -> Vec<u8> {
        let mut file = b"POINTCACHE2\0".to_vec();
        file.extend([1, 3_u32].map(u32::to_le_bytes).concat());
        file.extend([6.0, 1.0_f32].map(f32::to_le_bytes).concat());
        file.extend(2_u32.to_le_bytes());
        for (_, points) in FRAMES {
            file.extend(points.concat().into_iter().flat_map(f32::to_le_bytes));
        }
        file
    }

    fn mdd() -> Vec<u8> {
        let mut file = [2, 3_u32].map(u32::to_be_bytes).concat();
        file.extend(
            FRAMES
                .iter()
                .flat_map(|(frame, _)| (f32::from(*frame) / 24.0).to_be_bytes()),
        );
        for (_, points) in FRAMES {
            file.extend(points.concat().into_iter().flat_map(f32::to_be_bytes));
        }
        file
    }

    /// A tag, the length of what follows, and that, padded to four bytes.
    fn block(tag: &str, content: &[u8]) -> Vec<u8> {
        let length = u32::try_from(content.len()).expect("it is small");
        let padding = vec![0; content.len().next_multiple_of(4) - content.len()];
        [tag.as_bytes(), &length.to_be_bytes(), content, &padding].concat()
    }

    /// Times are in ticks of 1/6000 s.
    fn mc() -> Vec<u8> {
        let ticks = |frame: u8| (250 * u32::from(frame)).to_be_bytes();
        let head = [
            b"CACH".to_vec(),
            block("VRSN", b"0.1\0"),
            block("STIM", &ticks(6)),
            block("ETIM", &ticks(7)),
        ];
        let mut file = block("FOR4", &head.concat());
        for (frame, points) in FRAMES {
            let numbers = points.concat().into_iter().flat_map(f32::to_be_bytes);
            let parts = [
                b"MYCH".to_vec(),
                block("TIME", &ticks(frame)),
                block("CHNM", b"BodyShape\0"),
                block("SIZE", &3_u32.to_be_bytes()),
                block("FVCA", &numbers.collect::<Vec<u8>>()),
            ];
            file.extend(block("FOR4", &parts.concat()));
        }
        file
    }

    const XML: &str = r#"<?xml version="1.0"?>
<Autodesk_Cache_File>
  <cacheType Type="OneFile" Format="mcc"/>
  <time Range="1500-1750"/>
  <cacheTimePerFrame TimePerFrame="250"/>
  <cacheVersion Version="2.0"/>
  <Channels>
    <channel0 ChannelName="BodyShape" ChannelType="FloatVectorArray" ChannelInterpretation="positions"
      SamplingType="Regular" SamplingRate="250" StartTime="1500" EndTime="1750"/>
  </Channels>
</Autodesk_Cache_File>
"#;

    fn read(files: &[(&str, &[u8])]) -> Result<Vec<PointCache>, PointCacheError> {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        let path = folder.path().join(files[0].0);
        assert!(is_point_cache(&path));
        read_point_cache(&path, 24.0)
    }

    fn expected(name: &str) -> PointCache {
        let frames = FRAMES.map(|(frame, points)| PointFrame {
            time: Seconds(f64::from(frame) / 24.0),
            positions: points.map(Vec3::from_array).to_vec(),
        });
        PointCache {
            name: name.to_owned(),
            frames: frames.to_vec(),
        }
    }

    #[test]
    fn all_formats_hold_the_same_positions_and_times() {
        let named = [
            ("a.pc2", pc2(), ""),
            ("a.mc", mc(), "BodyShape"),
            ("a.mdd", mdd(), ""),
        ];
        for (file, bytes, name) in named {
            let mut caches = read(&[(file, &bytes)]).unwrap();
            let expected = expected(name);
            for (frame, expected) in caches[0].frames.iter_mut().zip(&expected.frames) {
                let off = (frame.time.0 - expected.time.0).abs();
                assert!(off < 1e-7, "{file}: {:?}", frame.time);
                frame.time = expected.time;
            }
            assert_eq!(caches, [expected], "{file}");
        }
        let described = read(&[("a.xml", XML.as_bytes()), ("a.mc", &mc())]).unwrap();
        assert_eq!(described, read(&[("a.mc", &mc())]).unwrap());
    }

    #[test]
    fn a_damaged_cache_says_what_is_wrong() {
        for (name, whole) in [("a.pc2", pc2()), ("a.mdd", mdd()), ("a.mc", mc())] {
            for len in (0..whole.len()).step_by(3) {
                let error = read(&[(name, &whole[..len])]).err();
                assert!(error.is_some(), "{name} of {len} bytes");
            }
        }
        let short = read(&[("a.mdd", &mdd()[..40])]).unwrap_err().to_string();
        let expected = "it cannot be read as a point cache: its header states 2 frames of 3 points, and the file has 40 bytes; \
                        export it again";
        assert_eq!(short, expected);
        let mut nan = mdd();
        let last = nan.len() - 4;
        nan[last..].copy_from_slice(&f32::NAN.to_be_bytes());
        let error = read(&[("a.mdd", &nan)]).unwrap_err().to_string();
        assert!(
            error.starts_with("point 2 of \"\" is not finite"),
            "{error}"
        );
    }

    #[test]
    fn sizes_beyond_the_file_are_refused() {
        for (name, mut file, at) in [
            ("a.pc2", pc2(), 16),
            ("a.pc2", pc2(), 28),
            ("a.mdd", mdd(), 0),
            ("a.mdd", mdd(), 4),
        ] {
            file[at..at + 4].copy_from_slice(&[255; 4]);
            assert!(read(&[(name, &file)]).is_err(), "{name} at {at}");
        }
    }
}
