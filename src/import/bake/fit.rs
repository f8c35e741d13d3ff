//! Fits one span to a piece of a curve, if one is close enough.

use super::sample::Sample;
use crate::rig::Span;

/// Phases at which a fit is compared with the curve: near the three where a cubic through 0, 1/3, 2/3 and 1 deviates most,
/// and at no simple fraction, which a periodic curve could alias with.
const PROBES: [f64; 3] = [0.126_873, 0.507_719, 0.871_947];

/// The phases of the inner values, which a fit is made from.
const THIRDS: [f64; 2] = [1.0 / 3.0, 2.0 / 3.0];

/// Spans shorter than this, in seconds, are not halved: at a vertical tangent, halving would not end.
const SHORTEST: f64 = 1e-6;

/// A fraction of the tolerance. Closer values count as equal, so that rounding does not turn a step into a slope.
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

/// A piece with its inner values.
pub(super) struct Fit<'a, S> {
    pub(super) piece: Piece<S>,
    /// The values at a third and at two thirds.
    inner: [S; 2],
    at: &'a dyn Fn(f64) -> S,
}

/// A candidate span, made from the inner values.
enum Guess<S> {
    Constant,
    Linear,
    /// A cubic with these derivatives at both ends, relative to the whole piece.
    Spline([S; 2]),
}

impl<S> Guess<S> {
    /// The phases of its test: a line already matches four points, so it has less room for error than a spline.
    fn probes(&self) -> &'static [f64] {
        match self {
            Self::Constant | Self::Linear => &PROBES[..2],
            Self::Spline(_) => &PROBES,
        }
    }
}

impl<'a, S: Sample> Fit<'a, S> {
    /// Samples the inner values. Each takes the sign that is closer to the value before.
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

    /// The simplest span that deviates by no more than `tolerance` at the probes.
    pub(super) fn span(&self, tolerance: f64) -> Option<Span<S::Key>> {
        let guess = self.guess(tolerance);
        let fits = guess.probes().iter().all(|&phase| {
            let value = (self.at)(self.piece.time(phase));
            self.holds(&guess, phase, &value, tolerance)
        });
        fits.then(|| self.as_span(&guess))
    }

    /// The span for a piece that is not halved further.
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
        // The simplest candidate first. The inner values are known already, so they reject candidates before any probe is
        // sampled.
        let ends = self.piece.to.distance(&self.piece.from);
        if ends <= tolerance * SAME && suits(&Guess::Constant) {
            Guess::Constant
        } else if suits(&Guess::Linear) {
            Guess::Linear
        } else {
            Guess::Spline(self.tangents())
        }
    }

    /// Whether `guess` matches `value` at `phase`; never for NaN.
    fn holds(&self, guess: &Guess<S>, phase: f64, value: &S, tolerance: f64) -> bool {
        let Piece { from, to, .. } = &self.piece;
        match guess {
            Guess::Constant => from.distance(value) <= tolerance * SAME,
            Guess::Linear => S::straight(from, to, phase)
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

    /// The spline at `phase`, as a sampler evaluates it (glTF 2.0, appendix C.5).
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
        // Keys store tangents per second; `Guess` has them relative to the whole piece.
        let rate = [1.0 / self.piece.seconds(), 0.0, 0.0, 0.0];
        let per_second = |tangent: &S| S::sum(rate, [tangent; 4]).key();
        match guess {
            Guess::Constant => Span::Step,
            Guess::Linear => Span::Linear,
            Guess::Spline([leave, arrive]) => Span::Cubic {
                leave: per_second(leave),
                arrive: per_second(arrive),
            },
        }
    }
}
