#!/bin/bash
# What no compiler checks: who may include whom, and what must not be in the repository.
# Prints each offence; exits 1 if there is one.
set -uo pipefail
status=0

# offences WHAT PATTERN PATH...: lines of tracked or new files that match are offences.
offences() {
  local what=$1 pattern=$2 lines
  lines=$(git grep --untracked -nIE "$pattern" -- "${@:3}") || return 0
  printf '%s:\n%s\n' "$what" "$lines"
  status=1
}

# Bazel's visibility says the same for targets; this holds for a header that is included without
# a dependency, too.
offences "dataplane/ includes mgmt/" '#include "mgmt/' dataplane
offences "mgmt/ includes dataplane/" '#include "dataplane/' mgmt
offences "gateway/ includes what stands above it" '#include "(dataplane|mgmt|tests)/' gateway
offences "product code includes tests/" '#include "tests/' dataplane mgmt gateway
offences "a path of somebody's machine" '(^|[^a-zA-Z0-9_.}])/(work|root|home)/' . ':!tools/lint'
offences "unfinished" '\b(TODO|FIXME)\b' '*.cc' '*.h' '*.c' '*.proto' '*.py' '*.bzl' 'tools/dev*'

# git's mode: what a checkout gets.
not_executable=$(git ls-files --stage tools/dev tools/dev.d .ci | grep -v '^100755')
if [ -n "$not_executable" ]; then
  printf 'commands that are not executable:\n%s\n' "$not_executable"
  status=1
fi

generated=$(git ls-files --cached --others --exclude-standard |
  grep -E '(\.pb\.(h|cc)|\.skel\.h|\.o|\.so|\.a|\.pyc|compile_commands\.json)$|(^|/)node_modules/')
if [ -n "$generated" ]; then
  printf 'generated files:\n%s\n' "$generated"
  status=1
fi
exit $status
