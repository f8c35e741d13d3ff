//! `C513`: rotation keys get the sign of the key before them.

use super::keys::{Interpolation, each_rotation};
use super::{Changed, Job};

pub(super) fn repair(job: &mut Job<'_>) -> Changed {
    each_rotation(job, |keys, changed| {
        match keys.interpolation {
            Interpolation::Linear => (),
            Interpolation::Step => return 0,
            Interpolation::Cubic => {
                changed.leave("on a cubic curve, another sign is another motion");
                return 0;
            }
        }
        let mut count = 0;
        for key in 1..keys.times.len() {
            let [before, own] = [keys.values[key - 1], keys.values[key]];
            let dot: f64 = before.iter().zip(own).map(|(a, b)| a * b).sum();
            if dot < 0.0 {
                keys.values[key] = own.map(|number| -number);
                count += 1;
            }
        }
        count
    })
}
