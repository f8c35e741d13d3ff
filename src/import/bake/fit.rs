//! One span for a piece of a curve, if one can be close enough.

use super::sample::Sample;
use crate::rig::Span;

/// Where inside a span a fit is compared with the truth: near the three places where the cubic through 0, 1/3, 2/3
/// and 1 is the farthest off, and at no fraction that periods of curves are likely to meet.
const PROBES: [f64; 3] = [0.126_873, 0.507_719, 0.871_947];

/// Further times at which a span is checked.
const THIRDS: [f64; 2] = [1.0 / 3.0, 2.0 / 3.0];

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

    fn time(&self, phase: f64) -> f64 {
        self.start + self.seconds() * phase
    }
}

/// A piece and what is known of its inside.
pub(super) struct Fit<'a, S> {
    pub(super) piece: Piece<S>,
    /// At a third and at two thirds.
    inner: [S; 2],
    at: &'a dyn Fn(f64) -> S,
}

/// A guess from the inner values.
enum Guess<S> {
    Still,
    Straight,
    /// By the derivatives at both ends, over the whole piece.
    Spline([S; 2]),
}

impl<S> Guess<S> {
    /// Where it is put to the test: a line through four points has less left to hide than a spline.
    fn probes(&self) -> &'static [f64] {
        match self {
            Self::Still | Self::Straight => &PROBES[..2],
            Self::Spline(_) => &PROBES,
        }
    }
}

impl<'a, S: Sample> Fit<'a, S> {
    /// Looks at the curve in between. Each value takes the form that continues the one before.
    pub(super) fn of(mut piece: Piece<S>, at: &'a dyn Fn(f64) -> S) -> Self {
        let first = at(piece.time(THIRDS[0])).near(&piece.from);
        let second = at(piece.time(THIRDS[1])).near(&first);
        piece.to = piece.to.near(&second);
        Self {
            piece,
            inner: [first, second],
            at,
        }
    }

    /// The simplest span that is not farther off than `tolerance` where it is examined.
    pub(super) fn span(&self, tolerance: f64) -> Option<Span<S::Key>> {
        let guess = self.guess(tolerance);
        let fits = guess.probes().iter().all(|&phase| {
            let value = (self.at)(self.piece.time(phase));
            self.holds(&guess, phase, &value, tolerance)
        });
        fits.then(|| self.as_span(&guess))
    }

    /// The span for a piece that is not cut further.
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
        let [first, second] = &self.inner;
        let known = [&self.piece.from, first, second, &self.piece.to];
        known.into_iter().all(Sample::is_finite)
    }

    fn guess(&self, tolerance: f64) -> Guess<S> {
        let suits = |guess: &Guess<S>| {
            let mut inner = THIRDS.into_iter().zip(&self.inner);
            inner.all(|(phase, value)| self.holds(guess, phase, value, tolerance))
        };
        // The simplest first. Inner values decide before probes do, since they are known already.
        let ends = self.piece.to.distance(&self.piece.from);
        if ends <= tolerance * SAME && suits(&Guess::Still) {
            Guess::Still
        } else if suits(&Guess::Straight) {
            Guess::Straight
        } else {
            Guess::Spline(self.tangents())
        }
    }

    /// Whether `value` at `phase` equals `guess`; NaN never does.
    fn holds(&self, guess: &Guess<S>, phase: f64, value: &S, tolerance: f64) -> bool {
        let Piece { from, to, .. } = &self.piece;
        match guess {
            Guess::Still => from.distance(value) <= tolerance * SAME,
            Guess::Straight => S::straight(from, to, phase)
                .is_some_and(|straight| straight.distance(value) <= tolerance),
            Guess::Spline(tangents) => {
                let spline = self.spline(tangents, phase);
                spline.distance(value) <= tolerance
            }
        }
    }

    /// Derivatives at both ends, over the whole piece, of the cubic through its ends and inner values (Lagrange).
    fn tangents(&self) -> [S; 2] {
        let [first, second] = &self.inner;
        let nodes = [&self.piece.from, first, second, &self.piece.to];
        [
            // The derivatives of the four Lagrange polynomials over 0, 1/3, 2/3 and 1, at 0 and at 1.
            S::sum([-5.5, 9.0, -4.5, 1.0], nodes),
            S::sum([-1.0, 4.5, -9.0, 5.5], nodes),
        ]
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

    fn as_span(&self, guess: &Guess<S>) -> Span<S::Key> {
        // Keys store tangents per second, fits those over the whole piece.
        let rate = [1.0 / self.piece.seconds(), 0.0, 0.0, 0.0];
        let per_second = |tangent: &S| S::sum(rate, [tangent; 4]).key();
        match guess {
            Guess::Still => Span::Step,
            Guess::Straight => Span::Linear,
            Guess::Spline([leave, arrive]) => Span::Cubic {
                leave: per_second(leave),
                arrive: per_second(arrive),
            },
        }
    }
}
