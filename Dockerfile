# One target a service: `docker build --target table -t pitstream-table .`. Built from the lock files, run as nobody,
# with a root file system that may be read-only.
ARG PYTHON=3.11-slim-bookworm

FROM rust:1.88-slim-bookworm AS rust

FROM python:${PYTHON} AS build
COPY --from=rust /usr/local/cargo /usr/local/cargo
COPY --from=rust /usr/local/rustup /usr/local/rustup
ENV PATH=/usr/local/cargo/bin:$PATH RUSTUP_HOME=/usr/local/rustup CARGO_HOME=/usr/local/cargo \
    UV_PROJECT_ENVIRONMENT=/app UV_LINK_MODE=copy UV_COMPILE_BYTECODE=1
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/* \
    && pip install --no-cache-dir uv==0.13.9
WORKDIR /src
COPY pyproject.toml uv.lock ./
COPY proto proto
COPY libs libs
COPY services services

FROM build AS build-table
RUN uv sync --locked --no-dev --no-editable --package pitstream-table
FROM build AS build-settlement
RUN uv sync --locked --no-dev --no-editable --package pitstream-settlement
FROM build AS build-progressive
RUN uv sync --locked --no-dev --no-editable --package pitstream-progressive
FROM build AS build-wallet
RUN uv sync --locked --no-dev --no-editable --package pitstream-wallet
FROM build AS build-ops
RUN uv sync --locked --no-dev --no-editable --package pitstream-ops

FROM python:${PYTHON} AS run
ENV PATH=/app/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER 65534:65534
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/health/live', timeout=2)"]

FROM run AS table
COPY --from=build-table /app /app
ENV PITSTREAM_TABLE_HOST=0.0.0.0 PITSTREAM_TABLE_PORT=8080
CMD ["python", "-m", "pitstream.services.table"]

FROM run AS settlement
COPY --from=build-settlement /app /app
ENV PITSTREAM_SETTLEMENT_HOST=0.0.0.0 PITSTREAM_SETTLEMENT_PORT=8080
CMD ["python", "-m", "pitstream.services.settlement"]

FROM run AS progressive
COPY --from=build-progressive /app /app
ENV PITSTREAM_PROGRESSIVE_HOST=0.0.0.0 PITSTREAM_PROGRESSIVE_PORT=8080
CMD ["python", "-m", "pitstream.services.progressive"]

FROM run AS wallet
COPY --from=build-wallet /app /app
ENV PITSTREAM_WALLET_HOST=0.0.0.0 PITSTREAM_WALLET_PORT=8080
CMD ["python", "-m", "pitstream.services.wallet"]

FROM run AS ops
COPY --from=build-ops /app /app
ENV PITSTREAM_OPS_HOST=0.0.0.0 PITSTREAM_OPS_PORT=8080
CMD ["python", "-m", "pitstream.services.ops"]
