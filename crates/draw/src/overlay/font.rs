//! Text in images.
//!
//! The glyphs are those of Roboto Regular 2.138 (Copyright 2011 Google Inc.; Apache License 2.0, as in LICENSE-APACHE), rasterized beforehand by
//! `font/roboto.py`: text has the same pixels on every machine. They cover ASCII, Latin-1, Greek and some punctuation.

use std::sync::LazyLock;

use crate::frame::Frame;
use crate::overlay::shapes::mix;

const ROBOTO: &[u8] = include_bytes!("font/roboto.bin");

/// Colour of text.
pub(super) const INK: [u8; 3] = [240; 3];

/// The full coverage of a pixel.
const FULL: u8 = 15;

/// A size of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    /// 13 pixels per em.
    Small,
    /// 20 pixels per em.
    Large,
}

impl Size {
    /// `Large` if a side has at least so many pixels.
    #[must_use]
    pub(super) fn large_from(least: u32, side: u32) -> Self {
        if side >= least {
            Self::Large
        } else {
            Self::Small
        }
    }

    /// The height of a line, in pixels.
    #[must_use]
    pub(super) fn line(self) -> u32 {
        u32::from(FONT.lines[self as usize])
    }

    /// The space around text, in pixels.
    pub(super) fn margin(self) -> u32 {
        self.line() / 4
    }
}

/// All glyphs in both sizes.
struct Font {
    lines: [u8; 2],
    /// By rising character.
    glyphs: Vec<(u16, [Glyph; 2])>,
}

#[derive(Clone, Copy)]
struct Glyph {
    advance: u8,
    left: i8,
    /// From the top of the line.
    top: u8,
    width: u8,
    height: u8,
    /// Two pixels a byte, row by row, the left one in the high bits.
    coverage: &'static [u8],
}

static FONT: LazyLock<Font> = LazyLock::new(|| {
    read(ROBOTO).expect("the file is the output of roboto.py, and a test reads all of it")
});

/// Reads the format that `font/roboto.py` describes.
fn read(file: &'static [u8]) -> Option<Font> {
    let (&[2, low, high, small, large], mut rest) = file.split_first_chunk()? else {
        return None;
    };
    let mut glyphs = Vec::new();
    for _ in 0..u16::from_le_bytes([low, high]) {
        let (character, after) = rest.split_first_chunk()?;
        rest = after;
        let mut next = || -> Option<Glyph> {
            let (&[advance, left, top, width, height], after) = rest.split_first_chunk()?;
            let pixels = usize::from(width) * usize::from(height);
            let (coverage, after) = after.split_at_checked(pixels.div_ceil(2))?;
            rest = after;
            let left = i8::from_le_bytes([left]);
            Some(Glyph {
                advance,
                left,
                top,
                width,
                height,
                coverage,
            })
        };
        glyphs.push((u16::from_le_bytes(*character), [next()?, next()?]));
    }
    rest.is_empty().then_some(Font {
        lines: [small, large],
        glyphs,
    })
}

/// `?` for a character that the font lacks.
fn glyph(character: char, size: Size) -> Glyph {
    let find = |character: char| {
        let point = u16::try_from(u32::from(character)).ok()?;
        let index = FONT.glyphs.binary_search_by_key(&point, |(own, _)| *own);
        Some(FONT.glyphs[index.ok()?].1[size as usize])
    };
    find(character)
        .or_else(|| find('?'))
        .expect("the font has a question mark")
}

/// Width of `text` in pixels.
pub(super) fn width_of(text: &str, size: Size) -> u32 {
    let advances = text
        .chars()
        .map(|character| u32::from(glyph(character, size).advance));
    advances.fold(0, u32::saturating_add)
}

/// `text`, or its ends around an ellipsis, no wider than `room` pixels: names are long in the middle, and numbers come last.
pub(super) fn fitted(text: &str, room: u32, size: Size) -> String {
    if width_of(text, size) <= room {
        return text.to_owned();
    }
    let Some(mut left) = room.checked_sub(width_of("…", size)) else {
        return String::new();
    };
    let (mut head, mut tail) = (String::new(), Vec::new());
    let mut characters = text.chars();
    for at_front in [true, false].into_iter().cycle() {
        let next = if at_front {
            characters.next()
        } else {
            characters.next_back()
        };
        let fits = |character: &char| {
            let rest = left.checked_sub(u32::from(glyph(*character, size).advance));
            left = rest.unwrap_or(left);
            rest.is_some()
        };
        match next.filter(fits) {
            Some(character) if at_front => head.push(character),
            Some(character) => tail.push(character),
            None => break,
        }
    }
    let tail: String = tail.into_iter().rev().collect();
    format!("{}…{}", head.trim_end(), tail.trim_start())
}

/// `text` in lines of `room` pixels, broken between words where there are any. What does not fit in `most` lines is left out in
/// the middle of the last.
pub(super) fn wrapped(text: &str, room: u32, size: Size, most: u32) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text;
    for _ in 1..most {
        if width_of(rest, size) <= room {
            break;
        }
        let ends = rest
            .char_indices()
            .map(|(at, letter)| at + letter.len_utf8());
        let fitting = ends.take_while(|end| width_of(&rest[..*end], size) <= room);
        let Some(end) = fitting.last() else { break };
        let words = if rest[end..].starts_with(' ') {
            Some(end)
        } else {
            rest[..end].rfind(' ').filter(|at| *at > 0)
        };
        let (line, after) = rest.split_at(words.unwrap_or(end));
        lines.push(line.to_owned());
        rest = after.trim_start();
    }
    lines.push(fitted(rest, room, size));
    lines
}

/// Writes `text` over the image, with an ellipsis in it if it is wider than `room` pixels.
///
/// * `at` – the top left corner of the line, in pixels.
pub(super) fn write(frame: &mut Frame, text: &str, [x, y]: [u32; 2], room: u32, size: Size) {
    let mut x = x;
    for character in fitted(text, room, size).chars() {
        let glyph = glyph(character, size);
        draw(frame, &glyph, [x, y]);
        x += u32::from(glyph.advance);
    }
}

fn draw(frame: &mut Frame, glyph: &Glyph, [x, y]: [u32; 2]) {
    let (width, height) = (u32::from(glyph.width), u32::from(glyph.height));
    let pixels = (0..height).flat_map(|row| (0..width).map(move |column| [column, row]));
    for (index, [column, row]) in pixels.enumerate() {
        let pair = glyph.coverage[index / 2];
        let coverage = if index % 2 == 0 { pair >> 4 } else { pair & 15 };
        let column = (x + column).checked_add_signed(glyph.left.into());
        let row = y + u32::from(glyph.top) + row;
        let Some(column) = column.filter(|column| *column < frame.width && row < frame.height)
        else {
            continue;
        };
        if coverage > 0 {
            let coverage = f64::from(coverage) / f64::from(FULL);
            mix(frame, column, row, INK, coverage);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The coordinates of the pixels that `text` covers.
    fn inked(text: &str) -> Vec<[u32; 2]> {
        let mut frame = Frame::blank(40, 20);
        write(&mut frame, text, [0, 0], 40, Size::Small);
        let pixels = (0..).zip(frame.rgba.as_chunks::<4>().0);
        let ink = pixels.filter(|(_, pixel)| pixel[3] > 0);
        ink.map(|(index, _)| [index % 40, index / 40]).collect()
    }

    #[test]
    fn the_file_is_read_to_its_end() {
        let font = read(ROBOTO).expect("it is whole");
        assert!(font.glyphs.is_sorted_by_key(|(character, _)| *character));
        let inside = |glyph: &Glyph, line: u8| glyph.top + glyph.height <= line + 1;
        for (_, glyphs) in &font.glyphs {
            assert!(inside(&glyphs[0], font.lines[0]) && inside(&glyphs[1], font.lines[1]));
        }
        assert!(read(&ROBOTO[..ROBOTO.len() - 1]).is_none());
    }

    #[test]
    fn letters_are_upright_and_read_from_left_to_right() {
        // The stem of an L is on its left, its foot at the bottom.
        let ink = inked("L");
        let lowest = ink.iter().map(|[_, y]| *y).max().expect("it has a foot");
        let in_row = |row: u32| ink.iter().filter(|[_, y]| *y == row).count();
        assert!(in_row(lowest - 4) < in_row(lowest), "{ink:?}");
        let start = width_of("LL", Size::Small);
        assert!(inked("LLL").iter().any(|[x, _]| *x >= start));
    }

    #[test]
    fn a_long_text_keeps_its_ends_inside_its_room() {
        let room = width_of("Run…4 s", Size::Small);
        assert_eq!(fitted("Running 0.4 s", room, Size::Small), "Run…4 s");
        assert_eq!(fitted("Run", room, Size::Small), "Run");
        assert_eq!(fitted("walking", 3, Size::Small), "");
        for size in [Size::Small, Size::Large] {
            for room in 0..100 {
                let fitted = fitted("walking and running", room, size);
                assert!(width_of(&fitted, size) <= room, "{room}");
            }
        }
    }

    #[test]
    fn a_text_wraps_between_words_and_keeps_its_end() {
        let size = Size::Small;
        let room = width_of("edge to vertex 1", size);
        let text = "edge to vertex 1 stretches to 9.3 times its length";
        let all = wrapped(text, room, size, 9);
        assert_eq!(all.join(" "), text);
        assert!(all.len() > 2 && all[0] == "edge to vertex 1", "{all:?}");
        let two = wrapped(text, room, size, 2);
        assert!(two.len() == 2 && two[1].ends_with("length"), "{two:?}");
        for room in 0..200 {
            for text in [text, "OneVeryLongNameOfAClip: 12 s", "漢字漢字 漢字", ""] {
                let lines = wrapped(text, room, size, 3);
                assert!(lines.len() <= 3, "{lines:?}");
                assert!(lines.iter().all(|line| width_of(line, size) <= room));
            }
        }
    }

    #[test]
    fn a_character_without_a_glyph_becomes_a_question_mark() {
        assert_eq!(inked("漢"), inked("?"));
        assert_ne!(inked("é"), inked("?"));
        assert_ne!(inked("µ"), inked("?"));
    }
}
