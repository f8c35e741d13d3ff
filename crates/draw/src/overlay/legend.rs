//! Legends and captions in images.

use super::font::{INK, Size, width_of, wrapped, write};
use crate::frame::Frame;
use crate::view::Legend;

/// The least side of an image for a legend of its own, in pixels.
pub const LEAST_SIDE: u32 = 320;

/// The least side of an image for a legend in large letters, in pixels.
const LARGE: u32 = 960;

/// The least width of an image for captions in large letters, in pixels.
const LARGE_CAPTIONS: u32 = 384;

/// The most of an image's height that a legend takes: a quarter.
const MOST_OF_HEIGHT: u32 = 4;

/// Width of a gradient, over the height of a line.
const RAMP: u32 = 18;

/// Colour of the strip behind text.
pub(super) const STRIP: [u8; 3] = [24, 26, 30];

/// A legend below an image: a title, a gradient with labels, and colours in columns.
///
/// A legend with a gradient always has the same height, whichever colours it explains, so the images of a film are alike.
#[derive(Debug, Clone, Copy)]
pub struct LegendStrip {
    size: Size,
    width: u32,
    height: u32,
}

impl LegendStrip {
    /// The strip below an image of so many pixels, for a part of its height.
    ///
    /// * `legend` – `None` for a gradient whose numbers are not known yet.
    #[must_use]
    pub fn inside(legend: Option<&Legend>, [width, height]: [u32; 2]) -> Self {
        let size = Size::large_from(LARGE, width.min(height));
        let most = height / MOST_OF_HEIGHT;
        Self {
            size,
            width,
            // Even, so that two rows of views fill the rest.
            height: height_of(legend, width, size).next_multiple_of(2).min(most),
        }
    }

    /// The strip below an image of this width, as high as it needs.
    fn below(legend: &Legend, width: u32) -> Self {
        let size = Size::large_from(LARGE, width);
        let height = height_of(Some(legend), width, size);
        Self {
            size,
            width,
            height,
        }
    }

    /// In pixels.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.height
    }

    fn draw(&self, legend: &Legend, frame: &mut Frame, top: u32) {
        let &Self {
            size,
            width,
            height,
        } = self;
        paint(frame, [0, top], [width, height], STRIP);
        let margin = size.margin();
        let inner = width.saturating_sub(2 * margin);
        let first = top + margin;
        // The colours of a gradient's legend are on the line of its title, on the right.
        if !legend.ramp.is_empty() {
            let swatches = legend.swatches.iter();
            let wide = swatches.map(|swatch| swatch_width(&swatch.meaning, size));
            let title = inner.saturating_sub(wide.sum());
            write(frame, &legend.title, [margin, first], title, size);
            let end = width_of(&legend.title, size).min(title) + 2 * size.line();
            let mut x = margin + end.min(title);
            for swatch in &legend.swatches {
                let room = (margin + inner).saturating_sub(x);
                draw_swatch(
                    frame,
                    Some(swatch.color),
                    &swatch.meaning,
                    [x, first],
                    room,
                    size,
                );
                x += swatch_width(&swatch.meaning, size);
            }
            let ramp = inner.min(RAMP * size.line());
            draw_ramp(frame, legend, [margin, first + size.line()], ramp, size);
            return;
        }
        write(frame, &legend.title, [margin, first], inner, size);
        let columns = Columns::of(legend, width, size);
        let rows = (height.saturating_sub(2 * margin) / size.line()).saturating_sub(1);
        for (index, (color, text)) in (0..).zip(lines(legend, rows * columns.count)) {
            let rows = columns.rows(legend).min(rows).max(1);
            let at = [
                margin + index / rows * columns.width,
                first + (1 + index % rows) * size.line(),
            ];
            draw_swatch(frame, color, &text, at, columns.width, size);
        }
    }
}

/// Equally wide columns of colours.
struct Columns {
    count: u32,
    width: u32,
}

impl Columns {
    fn of(legend: &Legend, width: u32, size: Size) -> Self {
        let inner = width.saturating_sub(2 * size.margin()).max(1);
        let swatches = legend.swatches.iter();
        let widest = swatches.map(|swatch| swatch_width(&swatch.meaning, size));
        let width = widest.max().unwrap_or(1).clamp(1, inner);
        Self {
            count: inner / width,
            width,
        }
    }

    fn rows(&self, legend: &Legend) -> u32 {
        let swatches = u32::try_from(legend.swatches.len()).unwrap_or(u32::MAX);
        swatches.div_ceil(self.count)
    }
}

fn height_of(legend: Option<&Legend>, width: u32, size: Size) -> u32 {
    let rows = match legend {
        Some(legend) if legend.ramp.is_empty() => Columns::of(legend, width, size).rows(legend),
        _ => 2,
    };
    rows.saturating_add(1).saturating_mul(size.line()) + 2 * size.margin()
}

fn swatch_width(meaning: &str, size: Size) -> u32 {
    width_of(meaning, size) + 2 * size.line()
}

/// A square of a colour, and its meaning to the right.
fn draw_swatch(
    frame: &mut Frame,
    color: Option<[u8; 3]>,
    meaning: &str,
    [x, y]: [u32; 2],
    room: u32,
    size: Size,
) {
    let side = size.line() * 5 / 8;
    let top = y + (size.line() - side) / 2;
    if let Some(color) = color {
        paint(frame, [x, top], [side.min(room), side], color);
    }
    let indent = side + size.margin();
    let room = room.saturating_sub(indent);
    write(frame, meaning, [x + indent, y], room, size);
}

/// `image` with `legend` in a strip below, as high as it needs.
#[must_use]
pub fn with_legend(image: &Frame, legend: &Legend) -> Frame {
    with_strip(
        image,
        &LegendStrip::below(legend, image.width),
        Some(legend),
    )
}

/// `image` with a strip below; without a legend it is empty.
#[must_use]
pub fn with_strip(image: &Frame, strip: &LegendStrip, legend: Option<&Legend>) -> Frame {
    let mut out = Frame::blank(image.width, image.height + strip.height);
    out.rgba[..image.rgba.len()].copy_from_slice(&image.rgba);
    if let Some(legend) = legend {
        strip.draw(legend, &mut out, image.height);
    } else {
        let size = [strip.width, strip.height];
        paint(&mut out, [0, image.height], size, STRIP);
    }
    out
}

/// `image` with an empty strip of this height above.
#[must_use]
pub fn with_strip_above(image: &Frame, height: u32) -> Frame {
    let mut out = Frame::blank(image.width, height + image.height);
    let start = out.rgba.len() - image.rgba.len();
    out.rgba[start..].copy_from_slice(&image.rgba);
    paint(&mut out, [0, 0], [image.width, height], STRIP);
    out
}

/// One line per colour; if there are more than `room`, the last says how many are omitted.
fn lines(legend: &Legend, room: u32) -> Vec<(Option<[u8; 3]>, String)> {
    let room = room as usize;
    let all = legend.swatches.len();
    let kept = if all > room {
        room.saturating_sub(1)
    } else {
        all
    };
    let swatches = legend.swatches.iter().take(kept);
    let lines = swatches.map(|swatch| (Some(swatch.color), swatch.meaning.clone()));
    let more = (kept < all && room > 0).then(|| (None, format!("and {} more", all - kept)));
    lines.chain(more).collect()
}

/// The gradient with its labels below, the ends first; labels that would overlap are omitted.
fn draw_ramp(frame: &mut Frame, legend: &Legend, [x, y]: [u32; 2], width: u32, size: Size) {
    let line = size.line();
    let (bar, tick_height) = (line * 5 / 8, line / 4);
    for column in 0..width {
        let index = u64::from(column) * legend.ramp.len() as u64 / u64::from(width);
        let color = legend.ramp[usize::try_from(index).unwrap_or(0)];
        paint(frame, [x + column, y], [1, bar], color);
    }
    let last = legend.ticks.len().saturating_sub(1);
    let (ends, between): (Vec<_>, Vec<_>) =
        (legend.ticks.iter().enumerate()).partition(|(index, _)| *index == 0 || *index == last);
    let mut taken: Vec<[u32; 2]> = Vec::new();
    for (_, tick) in ends.into_iter().chain(between) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "inside the image"
        )]
        let at = (tick.at.clamp(0.0, 1.0) * width.saturating_sub(1) as f32) as u32;
        let text = width_of(&tick.label, size);
        let left = at.saturating_sub(text / 2).min(width.saturating_sub(text));
        let gap = size.margin();
        let is_free = taken
            .iter()
            .all(|[from, to]| left + text + gap <= *from || *to + gap <= left);
        if is_free {
            taken.push([left, left + text]);
            paint(
                frame,
                [x + at, y + bar],
                [(line / 12).max(1), tick_height],
                INK,
            );
            let below = [x + left, y + bar + tick_height];
            write(frame, &tick.label, below, width, size);
        }
    }
}

/// Most lines of a caption.
const MOST_LINES: u32 = 6;

/// The size of captions in an image of this `width`, if they have room.
fn caption_size(width: u32) -> Size {
    Size::large_from(LARGE_CAPTIONS, width)
}

/// The height of a strip of this `width` that shows all of `text`, in pixels: one line in the size that suits the width, or
/// several small ones.
#[must_use]
pub fn caption_height(text: &str, width: u32) -> u32 {
    let size = caption_size(width);
    let room = width.saturating_sub(2 * size.margin());
    if width_of(text, size) <= room {
        return size.line();
    }
    let lines = wrapped(text, room, Size::Small, MOST_LINES);
    let lines = u32::try_from(lines.len()).unwrap_or(MOST_LINES);
    (lines * Size::Small.line()).max(size.line())
}

/// The height of a strip of this `width` for two small lines or a large one, in pixels.
#[must_use]
pub fn caption_strip(width: u32) -> u32 {
    (2 * Size::Small.line()).max(caption_size(width).line())
}

/// Writes `text` on a dark strip at the given rectangle, in the largest size that has room.
///
/// * `x`, `y` – the strip's top left corner, in pixels.
/// * `width`, `height` – of the strip, in pixels.
pub fn caption(frame: &mut Frame, text: &str, [x, y]: [u32; 2], [width, height]: [u32; 2]) {
    paint(frame, [x, y], [width, height], STRIP);
    let large = caption_size(width);
    let room = width.saturating_sub(2 * large.margin());
    let fits = large.line() <= height && width_of(text, large) <= room;
    let size = if fits { large } else { Size::Small };
    let most = (height / size.line()).max(1);
    let mut top = y;
    for line in wrapped(text, room, size, most) {
        write(frame, &line, [x + large.margin(), top], room, size);
        top += size.line();
    }
}

/// Paints the part of a rectangle that is inside the image.
pub(super) fn paint(
    frame: &mut Frame,
    [x, y]: [u32; 2],
    [width, height]: [u32; 2],
    [red, green, blue]: [u8; 3],
) {
    let right = x.saturating_add(width).min(frame.width);
    let bottom = y.saturating_add(height).min(frame.height);
    for row in y..bottom {
        for column in x..right {
            let pixel = 4 * (row as usize * frame.width as usize + column as usize);
            frame.rgba[pixel..pixel + 4].copy_from_slice(&[red, green, blue, u8::MAX]);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::rig::{AssetBuilder, NodeId, Trs};
    use crate::view::{Measured, Show};

    fn ramp() -> Legend {
        let asset = AssetBuilder::new().build().expect("nothing is whole");
        let numbers = Measured {
            title: "stretch".into(),
            ticks: vec![(1.0, "1x".into()), (2.0, "2x".into())],
            ..Measured::default()
        };
        let show = Show::distance(numbers);
        show.legend(&asset).expect("it has one")
    }

    /// As many joints as vertices.
    fn swatches(count: u16) -> Legend {
        let mut rig = AssetBuilder::new();
        let joints: Vec<NodeId> = (0..count)
            .map(|index| rig.node(&format!("joint {index}"), None, Trs::IDENTITY))
            .collect();
        let mesh = rig.mesh(crate::rig::Mesh {
            positions: vec![Vec3::ZERO; usize::from(count)],
            ..crate::rig::Mesh::default()
        });
        rig.skin(mesh, joints.into_iter().map(|joint| [(joint, 1.0)]));
        let asset = rig.build().expect("it is whole");
        Show::JOINTS.legend(&asset).expect("it has one")
    }

    fn pixel(frame: &Frame, x: u32, y: u32) -> [u8; 3] {
        let start = 4 * (y * frame.width + x) as usize;
        [0, 1, 2].map(|channel| frame.rgba[start + channel])
    }

    #[test]
    fn a_legend_is_below_the_image() {
        let mut image = Frame::blank(640, 480);
        image.rgba.fill(7);
        for legend in [ramp(), swatches(100)] {
            let strip = LegendStrip::inside(Some(&legend), [640, 640]);
            assert!(strip.height() <= 160);
            let out = with_strip(&image, &strip, Some(&legend));
            assert_eq!([out.width, out.height], [640, 480 + strip.height()]);
            assert!(out.rgba[..image.rgba.len()] == image.rgba);
            assert_eq!(pixel(&out, 0, 480), STRIP);
        }
    }

    #[test]
    fn a_gradient_goes_from_the_low_colour_to_the_high_one() {
        let legend = ramp();
        let out = with_legend(&Frame::blank(200, 1), &legend);
        let row = 1 + Size::Small.margin() + Size::Small.line() + 2;
        let margin = Size::Small.margin();
        assert_eq!(pixel(&out, margin, row), legend.ramp[0]);
        let high = pixel(&out, 200 - margin - 1, row);
        assert_eq!(high, *legend.ramp.last().expect("full"));
    }

    #[test]
    fn a_gradient_takes_the_same_room_whatever_else_is_explained() {
        let measured = |values: Vec<f32>| {
            let numbers = Measured {
                ticks: vec![(0.0, "0".into()), (1.0, "1".into())],
                without: "none".into(),
                of_instances: vec![values],
                ..Measured::default()
            };
            let asset = AssetBuilder::new().build().expect("nothing is whole");
            Show::distance(numbers).legend(&asset)
        };
        let size = [512, 512];
        let height = |legend: Option<Legend>| LegendStrip::inside(legend.as_ref(), size).height();
        let without = height(measured(vec![f32::NAN]));
        assert_eq!(height(measured(vec![1.0])), without);
        assert_eq!(height(None), without);
    }

    #[test]
    fn colours_without_room_are_counted() {
        let legend = swatches(100);
        let lines = lines(&legend, 10);
        assert_eq!(lines.len(), 10);
        assert_eq!(lines[9], (None, "and 91 more".to_owned()));
    }

    #[test]
    fn no_image_is_too_small() {
        for [width, height] in [[1, 1], [8, 200], [200, 8], [40, 40]] {
            for legend in [ramp(), swatches(3)] {
                let image = Frame::blank(width, height);
                let strip = LegendStrip::inside(Some(&legend), [width, height]);
                let _ = with_strip(&image, &strip, Some(&legend));
                let _ = with_legend(&image, &legend);
            }
        }
    }
}
