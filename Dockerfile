# One target a service: `docker build --target table -t pitstream-table .`, for other machines too:
# `docker buildx build --platform linux/amd64,linux/arm64 --target table .`. Built from the lock files, run as nobody, with a
# root file system that may be read-only. `make test-deploy` carries these steps out in a clean folder, without Docker.
ARG DEBIAN=debian:bookworm-20251117-slim

FROM rust:1.88.0-slim-bookworm AS rust

# Debian's own Python 3.11: with the same one below, nothing but its few packages is in an image beside the service.
FROM ${DEBIAN} AS build
COPY --from=rust /usr/local/cargo /usr/local/cargo
COPY --from=rust /usr/local/rustup /usr/local/rustup
ENV PATH=/opt/uv/bin:/usr/local/cargo/bin:$PATH RUSTUP_HOME=/usr/local/rustup CARGO_HOME=/usr/local/cargo \
    UV_PROJECT_ENVIRONMENT=/app UV_LINK_MODE=copy UV_PYTHON=/usr/bin/python3.11 UV_PYTHON_DOWNLOADS=never
# hadolint ignore=DL3008  # packages of the base image's own release: their versions come and go with the mirror
RUN apt-get update && apt-get install -y --no-install-recommends binutils gcc libc6-dev python3.11 python3.11-venv \
    && rm -rf /var/lib/apt/lists/* && python3.11 -m venv /opt/uv && /opt/uv/bin/pip install --no-cache-dir uv==0.13.9
WORKDIR /src
COPY pyproject.toml uv.lock ./
COPY libs libs
COPY services services
COPY deploy/build-image.sh deploy/
# The crates become wheels here, once: uv keeps them, and each service below takes those that it needs.
RUN deploy/build-image.sh odds

FROM build AS build-table
RUN deploy/build-image.sh table
FROM build AS build-settlement
RUN deploy/build-image.sh settlement
FROM build AS build-progressive
RUN deploy/build-image.sh progressive
FROM build AS build-wallet
RUN deploy/build-image.sh wallet
FROM build AS build-ops
RUN deploy/build-image.sh ops
FROM build AS build-operator
RUN deploy/build-image.sh operator

FROM ${DEBIAN} AS run
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates python3.11-minimal libpython3.11-stdlib \
    && rm -rf /var/lib/apt/lists/*
ENV PATH=/app/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /tmp
USER 65534:65534
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=120s \
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

# An operator's own wallet, to try the seamless mode against; no service.
FROM run AS operator
USER 0:0
RUN install -d -o 65534 -g 65534 /books
USER 65534:65534
COPY --from=build-operator /app /app
HEALTHCHECK --interval=10s --timeout=3s CMD ["python", "-c", "import socket; socket.create_connection(('127.0.0.1', 8080), 2)"]
CMD ["python", "-m", "pitstream.operator", "--host", "0.0.0.0", "--port", "8080", "--books", "/books/books.sqlite", "--opening", "100000"]
