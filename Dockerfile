# skincheck with Mesa, which the OpenGL path and the cross-checks draw with.
FROM rust:1-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends cmake g++ libclang-dev libssl-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /skincheck
COPY . .
RUN cargo build --profile dist --locked

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends libegl1 libgl1-mesa-dri libstdc++6 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /skincheck/target/dist/skincheck /usr/local/bin/skincheck
# Without privileges; --user "$(id -u)" writes reports into a mounted folder.
USER 65532:65532
ENTRYPOINT ["skincheck"]
