#!/bin/bash
# Runs a Python test in namespaces of its own (processes, mounts, network), so that its processes,
# devices and folders end with it, however it ends. The gateways' folders are on its own /run.
set -euo pipefail
export PATH=$PATH:/usr/sbin:/sbin  # Bazel keeps them from tests.
export PYTHONPATH=tests/e2e        # For those that share its lab.
# shellcheck disable=SC2016 # $@ is for the inner shell
exec unshare --fork --pid --kill-child --mount --mount-proc --net \
  bash -c 'mount -t tmpfs tmpfs /run && exec python3 -B "$@"' bash "$@"
