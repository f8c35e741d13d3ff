//! One span for a piece of a curve, if one can be close enough.

use super::sample::Sample;
use crate::rig::Span;

/// Where inside of a span a fit is compared with the truth: near the three places where the cubic through 0, 1/3, 2/3
/// and 1 is the farthest off, and at no fraction that periods of curves are likely to meet.
const PROBES: [f64; 3] = [0.126_873, 0.507_719, 0.871_947];

/// Spans shorter than this, in seconds, are not cut any more: a curve with a vertical tangent has no end of it.
const SHORTEST: f64 = 1e-6;

/// In parts of the tolerance: what is closer is the same, so that rounding does not make a step a slope.
const SAME: f64 = 1e-3;

/// A piece of a curve without a jump.
#[derive(Clone)]
pub(super) struct Piece<S> {
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) from: S,
    pub(super) to: S,
}

impl<S> Piece<S> {
    fn seconds(&self) -> f64 {
        self.end - self.start
    }
}

/// A piece and what is known of its inside.
pub(super) struct Fit<S> {
    pub(super) piece: Piece<S>,
    /// At a third and at two thirds.
    inner: [S; 2],
    /// At [`PROBES`].
    probes: [S; 3],
}

impl<S: Sample> Fit<S> {
    /// Looks at the curve in between. Each value takes the form that continues the one before.
    pub(super) fn of(mut piece: Piece<S>, at: &dyn Fn(f64) -> S) -> Self {
        let inside = |phase: f64| at(piece.start + piece.seconds() * phase);
        let first = inside(1.0 / 3.0).near(&piece.from);
        let second = inside(2.0 / 3.0).near(&first);
        let probes = PROBES.map(inside);
        piece.to = piece.to.near(&second);
        Self {
            piece,
            inner: [first, second],
            probes,
        }
    }

    /// The simplest span that is nowhere farther off than `tolerance`.
    pub(super) fn span(&self, tolerance: f64) -> Option<Span<S::Key>> {
        if self.is_still(tolerance * SAME) {
            return Some(Span::Step);
        }
        if self.is_straight(tolerance) {
            return Some(Span::Linear);
        }
        let tangents = self.tangents();
        self.follows(&tangents, tolerance)
            .then(|| self.cubic(&tangents))
    }

    /// What is said of a piece that is not cut, come what may.
    pub(super) fn fallback(&self) -> Span<S::Key> {
        if self.is_finite() {
            Span::Linear
        } else {
            Span::Step
        }
    }

    pub(super) fn can_be_cut(&self) -> bool {
        self.is_finite() && self.piece.seconds() > SHORTEST
    }

    fn is_finite(&self) -> bool {
        let ends = [&self.piece.from, &self.piece.to];
        let inside = self.inner.iter().chain(&self.probes);
        ends.into_iter().chain(inside).all(Sample::is_finite)
    }

    fn is_still(&self, tolerance: f64) -> bool {
        let from = &self.piece.from;
        let inside = self.inner.iter().chain(&self.probes);
        inside
            .chain([&self.piece.to])
            .all(|value| value.distance(from) <= tolerance)
    }

    fn is_straight(&self, tolerance: f64) -> bool {
        let inner = [1.0 / 3.0, 2.0 / 3.0].into_iter().zip(&self.inner);
        let probes = PROBES.into_iter().zip(&self.probes);
        inner.chain(probes).all(|(phase, value)| {
            let straight = S::straight(&self.piece.from, &self.piece.to, phase);
            straight.is_some_and(|straight| straight.distance(value) <= tolerance)
        })
    }

    /// Derivatives at both ends, over the whole piece, of the cubic through its ends and inner values (Lagrange).
    fn tangents(&self) -> [S; 2] {
        let [first, second] = &self.inner;
        let nodes = [&self.piece.from, first, second, &self.piece.to];
        [
            S::sum([-5.5, 9.0, -4.5, 1.0], nodes),
            S::sum([-1.0, 4.5, -9.0, 5.5], nodes),
        ]
    }

    fn follows(&self, tangents: &[S; 2], tolerance: f64) -> bool {
        let mut probes = PROBES.into_iter().zip(&self.probes);
        probes.all(|(phase, value)| {
            let spline = self.spline(tangents, phase);
            spline.distance(value) <= tolerance
        })
    }

    /// As a sampler does it (glTF 2.0, appendix C.5).
    fn spline(&self, [leave, arrive]: &[S; 2], phase: f64) -> S {
        let (squared, cubed) = (phase * phase, phase * phase * phase);
        let weights = [
            2.0 * cubed - 3.0 * squared + 1.0,
            cubed - 2.0 * squared + phase,
            3.0 * squared - 2.0 * cubed,
            cubed - squared,
        ];
        S::sum(weights, [&self.piece.from, leave, &self.piece.to, arrive]).settled()
    }

    fn cubic(&self, tangents: &[S; 2]) -> Span<S::Key> {
        let per_second = |tangent: &S| {
            let rate = 1.0 / self.piece.seconds();
            let nothing = [rate, 0.0, 0.0, 0.0];
            S::sum(nothing, [tangent; 4]).key()
        };
        let [leave, arrive] = tangents;
        Span::Cubic {
            leave: per_second(leave),
            arrive: per_second(arrive),
        }
    }
}
