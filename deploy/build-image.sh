#!/bin/sh
# What the Dockerfile's build stages run: one package with all that it needs, from the lock file, as files below
# $UV_PROJECT_ENVIRONMENT; then without what only a compiler, a type checker or a debugger reads, which is a third of it.
set -eu
uv sync --locked --no-dev --no-editable --compile-bytecode --package "pitstream-$1"
find "$UV_PROJECT_ENVIRONMENT" -type f \( -name '*.pyx' -o -name '*.pxd' -o -name '*.pyi' -o -name '*.c' -o -name '*.h' \) -delete
find "$UV_PROJECT_ENVIRONMENT" -type f -name '*.so*' -exec strip --strip-unneeded {} +
