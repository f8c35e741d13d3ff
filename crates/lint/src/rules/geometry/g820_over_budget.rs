//! `G820`: over-budget.

use crate::core::numbers::as_f64;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::rig::Location;
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// The number of triangles of a main character on current consoles and computers.
const TRIANGLES: Limit = Limit::new("triangles", 100_000.0, LimitRange::whole(1.0, 1e9))
    .about("maximum number of triangles of the model");

/// As many draw calls, before shadows and outlines.
const MATERIALS: Limit = Limit::new("materials", 16.0, LimitRange::WHOLE)
    .about("maximum number of parts of meshes with a material of their own");

const TRIANGLE_COUNT: Gauge = Gauge::new("triangles", ReadingUnit::Count);

const PART_COUNT: Gauge = Gauge::new("parts with a material", ReadingUnit::Count);

declare_rule! {
    OverBudget, "G820", "over-budget", Warning, Proved, on_request = true, limits = &[TRIANGLES, MATERIALS]
}

impl Rule for OverBudget {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let instances = cx.asset.instances.iter();
        let counts = instances.map(|instance| cx.asset.mesh_of(instance).triangles.len());
        let parts: Vec<usize> = counts.filter(|count| *count > 0).collect();
        let triangles = parts.iter().sum();
        let counts = [
            (triangles, TRIANGLES, TRIANGLE_COUNT),
            (parts.len(), MATERIALS, PART_COUNT),
        ];
        let over: Vec<(f64, f64, String)> = counts
            .into_iter()
            .filter_map(|(count, limit, gauge)| {
                let limit = cx.limit(&Self::META, &limit);
                let value = as_f64(count);
                out.measure(gauge, [value, limit], || Location::FILE);
                let message = || format!("{count} {}, limit {limit}", gauge.name);
                (value > limit).then(|| (value, limit, message()))
            })
            .collect();
        let Some((value, limit, _)) = over.first() else {
            return;
        };
        let group = Location::FILE;
        out.add(Offence::above(&group, "model", *value, *limit), |subject| {
            let each = over.iter().map(|(_, _, message)| message.as_str());
            (subject, each.collect::<Vec<_>>().join("; "))
        });
    }
}
