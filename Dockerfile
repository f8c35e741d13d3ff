# skincheck with Mesa, which the OpenGL path and the cross-checks draw with.
FROM rust:1.95-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends cmake g++ libclang-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /skincheck
# The dependencies, assimp among them, in a layer that only a change of these files builds again.
COPY .cargo .cargo
COPY Cargo.toml Cargo.lock askama.toml build.rs ./
COPY crates/rig/Cargo.toml crates/rig/
COPY crates/import/Cargo.toml crates/import/
COPY crates/draw/Cargo.toml crates/draw/
COPY crates/compare/Cargo.toml crates/compare/
COPY crates/lint/Cargo.toml crates/lint/
COPY crates/fix/Cargo.toml crates/fix/
COPY crates/laws/Cargo.toml crates/laws/
RUN for package in crates/*; do mkdir "$package/src" && touch "$package/src/lib.rs"; done \
    && mkdir src examples \
    && touch src/lib.rs examples/your_engine.rs \
    && echo 'fn main() {}' >src/main.rs \
    && cargo build --profile dist --locked
COPY docs/rules docs/rules
COPY crates crates
COPY src src
# Cargo compares times, and the copied files may be older than what was built in their place.
RUN touch src/lib.rs src/main.rs crates/*/src/lib.rs \
    && cargo build --profile dist --locked \
    && target/dist/skincheck manual /share

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends libegl1 libgl1-mesa-dri libstdc++6 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /skincheck/target/dist/skincheck /usr/local/bin/skincheck
COPY --from=build /share /usr/local/share
COPY LICENSE-APACHE LICENSE-MIT THIRD-PARTY.md /usr/local/share/doc/skincheck/
# Without privileges; --user "$(id -u)" writes reports into a mounted folder.
USER 65532:65532
ENTRYPOINT ["skincheck"]
