# shellcheck shell=bash
# Sourced by `lint` and `fix`: which files are ours.

# Files of this repository, tracked or new, that match the given patterns.
files() {
  git ls-files --cached --others --exclude-standard --deduplicate -- "$@" |
    while IFS= read -r file; do
      [ ! -f "$file" ] || printf '%s\n' "$file"
    done
}

cc_files() { files '*.cc' '*.h' '*.c'; }

bazel_files() { files WORKSPACE BUILD '*/BUILD' '*.bazel' '*.bzl'; }

# By name or by their first line.
shell_files() {
  {
    files '*.sh'
    files .ci tools tests | xargs grep -lE '^#!/bin/(ba)?sh' 2>/dev/null
  } | sort -u
}

# shellcheck disable=SC2034 # for those who source this
buildifier=tools/npm/node_modules/.bin/buildifier
# shellcheck disable=SC2034
buf=tools/npm/node_modules/.bin/buf
