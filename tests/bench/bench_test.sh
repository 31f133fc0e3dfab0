#!/bin/bash
# Each scenario runs, ends, and writes JSON that names its figures.
set -euo pipefail
json=$TEST_TMPDIR/figures.json
tests/bench/bench --rounds 1 --json "$json"
for name in idle_port forward; do
  grep -q "\"scenario\": \"$name\"" "$json"
done
grep -q '"unit": "ns"' "$json"
