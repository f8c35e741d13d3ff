//! The camera that fits the given points tightly.

use glam::{DMat4, DVec2, DVec3, Vec3};

use super::camera::{DepthRange, orthographic, perspective};
use super::direction::ViewAxes;
use super::{Camera, Projection, ViewDirection, Viewport};
use crate::units::Space;

/// Finds the camera that fits points tightly into the image.
///
/// It keeps only the extremes along the planes of the view, so it accepts the points of any number of frames, and one
/// camera can fit a whole clip.
#[derive(Debug, Clone)]
pub struct Framing {
    axes: ViewAxes,
    projection: Projection,
    viewport: Viewport,
    /// Half of the image inside the margin, per unit of distance; zero for a parallel projection.
    slope: DVec2,
    /// `None` until a point is included.
    content: Option<Content>,
}

/// The extremes of all points in the axes of the view.
#[derive(Debug, Clone, Copy)]
struct Content {
    least: DVec3,
    most: DVec3,
    /// Largest `x + slope.x z` and `y + slope.y z`: the planes at the right and the top of a frustum.
    beyond_most: DVec2,
    /// Largest `-x + slope.x z` and `-y + slope.y z`: the planes at the left and the bottom.
    beyond_least: DVec2,
}

/// Fraction of the image's width and height that stays empty along each edge.
const MARGIN: f64 = 0.05;

/// Half of the image inside the margin, in normalized device coordinates.
const INNER: f64 = 1.0 - 2.0 * MARGIN;

/// The least size of the content in relation to its distance from the origin.
///
/// Positions and matrices are f32. A sum of four rounded products errs by about 4 · 2⁻²⁴ of the distance, which is then
/// 1/400 of the content: less than half a pixel of a small image, and well inside the margin.
const LEAST_SIZE_PER_DISTANCE: f64 = 1e-4;

/// Sizes that leave f32 headroom for the squares and quotients of a projection.
const SIZES: std::ops::RangeInclusive<f64> = 1e-12..=1e12;

/// The nearest point is at least this fraction of the content's size away, and the longer side of the image shows at
/// least as much. Otherwise a line seen end on would move the camera into itself.
const LEAST_DISTANCE_PER_SIZE: f64 = 0.05;

/// Slack of the near and far planes in relation to the distance.
const DEPTH_SLACK: f64 = 0.1;

/// Sides of the polygon that approximates a turntable's circle; its radius is then exact to 0.2 %.
const SEGMENTS: u32 = 72;

/// The number of directions in which a framing tracks the extent of points.
const DIRECTIONS: usize = 10;

/// Points that are boxed and then skipped or included together.
const GROUP: usize = 64;

/// Far above the relative rounding of a sum of three products in f64.
const ROUNDING: f64 = 1e-14;

impl Framing {
    /// A framing without any points yet.
    ///
    /// * `space` – axes of the points.
    /// * `viewport` – only its shape matters.
    #[must_use]
    pub fn new(
        space: &Space,
        direction: ViewDirection,
        projection: Projection,
        viewport: Viewport,
    ) -> Self {
        Self {
            axes: direction.axes(space),
            projection,
            viewport,
            slope: INNER * projection.half_extent_per_distance(viewport),
            content: None,
        }
    }

    /// Makes room for `points`, in the asset's world space. Their order makes no difference to the camera.
    ///
    /// Skips points that are not finite, or more than 10¹² units away.
    pub fn include(&mut self, points: &[Vec3]) {
        let directions = self.directions();
        for group in points.chunks(GROUP) {
            if self.may_grow(&directions, group) {
                for point in group {
                    self.include_point(*point);
                }
            }
        }
    }

    /// The world-space directions whose farthest points determine the camera: the axes of the view and their opposites, and
    /// outward from the planes at the right, top, left and bottom of the frustum.
    fn directions(&self) -> [DVec3; DIRECTIONS] {
        let ViewAxes { right, up, back } = self.axes;
        let [wide, high] = [self.slope.x * back, self.slope.y * back];
        let planes = [wide + right, high + up, wide - right, high - up];
        let [a, b, c, d] = planes;
        [right, up, back, -right, -up, -back, a, b, c, d]
    }

    /// The extent of the included points along each of [`directions`](Self::directions); -∞ without points.
    fn reach(&self) -> [f64; DIRECTIONS] {
        let Some(content) = self.content else {
            return [f64::NEG_INFINITY; DIRECTIONS];
        };
        let (most, least) = (content.most, -content.least);
        let (right_top, left_bottom) = (content.beyond_most, content.beyond_least);
        [
            most.x,
            most.y,
            most.z,
            least.x,
            least.y,
            least.z,
            right_top.x,
            right_top.y,
            left_bottom.x,
            left_bottom.y,
        ]
    }

    /// Whether a point of `group` may exceed the extent, tested by the box around the points.
    fn may_grow(&self, directions: &[DVec3; DIRECTIONS], group: &[Vec3]) -> bool {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for point in group {
            // A NaN changes neither bound, and its point is skipped anyway.
            (low, high) = (point.min(low), point.max(high));
        }
        let (low, high) = (low.as_dvec3(), high.as_dvec3());
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        let farthest = |direction: &DVec3| {
            let rounding = ROUNDING * direction.abs().dot(middle.abs() + half);
            direction.dot(middle) + direction.abs().dot(half) + rounding
        };
        let mut reaches = directions.iter().zip(self.reach());
        // In this form, an overflow counts as exceeding.
        !reaches.all(|(direction, reach)| farthest(direction) <= reach)
    }

    fn include_point(&mut self, point: Vec3) {
        let ViewAxes { right, up, back } = self.axes;
        let point = point.as_dvec3();
        // In this form, NaN is skipped.
        if point.abs().cmple(DVec3::splat(*SIZES.end())).all() {
            let in_axes = DVec3::new(right.dot(point), up.dot(point), back.dot(point));
            // Adding 0 turns -0 into 0, so that the order of equal extremes makes no difference.
            self.hold(Content::of(in_axes + DVec3::ZERO, self.slope));
        }
    }

    /// Includes the points of `other`, which was made for the same view.
    pub fn merge(&mut self, other: &Self) {
        if let Some(more) = other.content {
            self.hold(more);
        }
    }

    /// Width and height of the included points along the view's axes; zero without points.
    #[must_use]
    pub fn size(&self) -> DVec2 {
        self.content.map_or(DVec2::ZERO, |content| {
            (content.most - content.least).truncate()
        })
    }

    /// The same framing for points `factor` times as far from the origin: a change of unit.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        if let Some(content) = &mut self.content {
            content.least *= factor;
            content.most *= factor;
            content.beyond_most *= factor;
            content.beyond_least *= factor;
        }
        self
    }

    fn hold(&mut self, more: Content) {
        self.content = Some(match self.content {
            Some(content) => content.union(&more),
            None => more,
        });
    }

    /// Points around the upright cylinder that contains all included points. A camera that orbits the model and fits them keeps
    /// its distance and never cuts the model. Empty without points.
    ///
    /// This framing must look from the horizon, as [`ViewDirection::Front`] does.
    #[must_use]
    pub fn turntable(&self) -> Vec<Vec3> {
        let Some(Content { least, most, .. }) = self.content else {
            return Vec::new();
        };
        let ViewAxes { right, up, back } = self.axes;
        let middle = (least + most) / 2.0;
        let radius = (most - least).with_y(0.0).length() / 2.0;
        let rim = (0..SEGMENTS).flat_map(|segment| {
            let (sin, cos) =
                libm::sincos(std::f64::consts::TAU * f64::from(segment) / f64::from(SEGMENTS));
            let (x, z) = (middle.x + radius * sin, middle.z + radius * cos);
            [least.y, most.y].map(|y| (right * x + up * y + back * z).as_vec3())
        });
        rim.collect()
    }

    /// The camera that fits all points, centred, with 5 % of the image free along each edge.
    ///
    /// It touches the margin on two opposite sides. Its near and far planes enclose all points with slack. A single
    /// point is framed as if it were one unit wide. Without points, the origin is framed the same way.
    #[must_use]
    pub fn camera(&self) -> Camera {
        let nothing = Content::of(DVec3::ZERO, self.slope);
        let content = self.content.unwrap_or(nothing);
        let size = content.size();
        let content = content.grown_to(size, self.slope);
        match self.projection {
            Projection::Perspective { .. } => self.fit_frustum(&content, size),
            Projection::Orthographic => self.fit_box(&content, size),
        }
    }

    fn fit_frustum(&self, content: &Content, size: f64) -> Camera {
        // A plane through the eye at (x, z) holds all points where x + slope z >= beyond_most; likewise on the other
        // side with -x. Half of the sum of both is the distance, half of the difference the centre.
        let distances = 0.5 * (content.beyond_most + content.beyond_least) / self.slope;
        let least = content.most.z + LEAST_DISTANCE_PER_SIZE * size;
        let z = distances.max_element().max(least);
        let centre = 0.5 * (content.beyond_most - content.beyond_least);
        let depth = DepthRange {
            near: (1.0 - DEPTH_SLACK) * (z - content.most.z),
            far: (1.0 + DEPTH_SLACK) * (z - content.least.z),
        };
        self.camera_at(centre.extend(z), perspective(self.slope / INNER, depth))
    }

    fn fit_box(&self, content: &Content, size: f64) -> Camera {
        let half = 0.5 * (content.most - content.least).truncate();
        let aspect = self.viewport.aspect();
        let least = 0.5 * LEAST_DISTANCE_PER_SIZE * size / aspect.max(1.0);
        let half_height = half.y.max(half.x / aspect).max(least) / INNER;
        let centre = 0.5 * (content.most + content.least).truncate();
        let slack = DEPTH_SLACK * size;
        let z = content.most.z + 2.0 * slack;
        let depth = DepthRange {
            near: slack,
            far: z - content.least.z + slack,
        };
        let extent = DVec2::new(half_height * aspect, half_height);
        self.camera_at(centre.extend(z), orthographic(extent, depth))
    }

    /// * `eye` – in the axes of the view.
    fn camera_at(&self, eye: DVec3, clip_from_view: DMat4) -> Camera {
        let ViewAxes { right, up, back } = self.axes;
        let rows = [
            right.extend(-eye.x),
            up.extend(-eye.y),
            back.extend(-eye.z),
            glam::DVec4::W,
        ];
        let view_from_world = DMat4::from_cols(rows[0], rows[1], rows[2], rows[3]).transpose();
        Camera {
            view_from_world: view_from_world.as_mat4(),
            clip_from_view: clip_from_view.as_mat4(),
        }
    }
}

impl Content {
    fn of(point: DVec3, slope: DVec2) -> Self {
        let (position, advance) = (point.truncate(), slope * point.z);
        Self {
            least: point,
            most: point,
            beyond_most: advance + position,
            beyond_least: advance - position,
        }
    }

    fn union(&self, other: &Self) -> Self {
        Self {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            beyond_most: self.beyond_most.max(other.beyond_most),
            beyond_least: self.beyond_least.max(other.beyond_least),
        }
    }

    /// The longest side of the content, but no less than f32 resolves at its position.
    fn size(&self) -> f64 {
        let distance = self.least.abs().max(self.most.abs()).max_element();
        let size = match (self.most - self.least).max_element() {
            0.0 => 1.0,
            size => size,
        };
        size.max(LEAST_SIZE_PER_DISTANCE * distance)
            .max(*SIZES.start())
    }

    /// Grows every point to a ball of the same radius, so that the whole has size `size`.
    fn grown_to(&self, size: f64, slope: DVec2) -> Self {
        let radius = 0.5 * (size - (self.most - self.least).max_element());
        // Along the direction (1, slope), a ball extends its radius times the length of that vector.
        let reach = |slope: f64| radius * (1.0 + slope * slope).sqrt();
        let reach = DVec2::new(reach(slope.x), reach(slope.y));
        Self {
            least: self.least - radius,
            most: self.most + radius,
            beyond_most: self.beyond_most + reach,
            beyond_least: self.beyond_least + reach,
        }
    }
}

#[cfg(test)]
mod tests;
