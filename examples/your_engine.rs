//! Your engine under skincheck's laws: `cargo test --features testing --example your_engine`.
//!
//! In your own crate: `skincheck = { version = "…", default-features = false, features = ["testing"] }` as a dev-dependency, and
//! one of these tests with your own function.

fn main() {}

#[cfg(test)]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the engine computes in f32"
)]
mod tests {
    use skincheck::glam::{Quat, Vec3};
    use skincheck::laws::{Between, Body, Tolerance, testing};
    use skincheck::rig::Influence;

    #[test]
    fn slerp_of_glam_keeps_the_laws() {
        let slerp = Between(|a: Quat, b: Quat, t: f64| a.slerp(b, t as f32));
        testing::check_rotations(&slerp, &Tolerance::F32_TIME).unwrap();
    }

    #[test]
    fn lerp_of_glam_keeps_the_laws() {
        let lerp = Between(|a: Vec3, b: Vec3, t: f64| a.lerp(b, t as f32));
        testing::check_vectors(&lerp, &Tolerance::F32_TIME).unwrap();
    }

    /// An engine's normalized lerp that forgets the shortest path.
    #[test]
    fn nlerp_without_shortest_path_is_caught() {
        let nlerp = Between(|a: Quat, b: Quat, t: f64| {
            let t = t as f32;
            (a * (1.0 - t) + b * t).normalize()
        });
        let violation = testing::check_rotations(&nlerp, &Tolerance::F32_TIME).unwrap_err();
        assert_eq!(violation.law, "shortest-path");
    }

    /// An engine's weights: divided by their sum in f32.
    fn normalized(influences: &[Influence]) -> Vec<Influence> {
        let sum: f32 = influences.iter().map(|influence| influence.weight).sum();
        let usable = sum.is_finite() && sum != 0.0;
        let share = |i: &Influence| Influence {
            weight: i.weight / sum,
            ..*i
        };
        influences.iter().filter(|_| usable).map(share).collect()
    }

    #[test]
    fn weights_divided_by_their_sum_keep_the_laws() {
        testing::check_weights(&normalized).unwrap();
    }

    /// An engine's skinning: the palette is blended, then the vertex transformed.
    fn skin(body: &Body) -> Vec<Vec3> {
        let vertex = |vertex: usize| {
            let weights = normalized(body.influences.of(vertex));
            let blend = weights.iter().map(|influence| {
                let joint = influence.slot.index();
                body.joints[joint] * body.inverse_binds[joint] * influence.weight
            });
            let matrix = blend.reduce(|a, b| a + b).unwrap_or(body.node);
            matrix.transform_point3(body.positions[vertex])
        };
        (0..body.positions.len()).map(vertex).collect()
    }

    #[test]
    fn blended_matrices_keep_the_laws() {
        testing::check_skinning(&skin, &Tolerance::F32_TIME).unwrap();
    }

    #[test]
    fn a_forgotten_inverse_bind_matrix_is_caught() {
        let wrong = |body: &Body| {
            let mut body = body.clone();
            body.inverse_binds.fill(skincheck::glam::Mat4::IDENTITY);
            skin(&body)
        };
        assert!(testing::check_skinning(&wrong, &Tolerance::F32_TIME).is_err());
    }
}
