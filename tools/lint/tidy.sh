#!/bin/bash
# clang-tidy over the sources that changed: against the branch point from main, or on main itself
# over the last ten commits. A changed header is checked through its own .cc file, else through
# one file that includes it. At most 60 files, so that CI ends in time; it says so.
# --all: over all sources, and with clang's static analyzer.
set -euo pipefail
# shellcheck source=tools/lint/files.sh
source tools/lint/files.sh
most=60

# Empty: this history is too short, all files are new.
base_commit() {
  local main base
  for main in origin/main main; do
    base=$(git merge-base HEAD "$main" 2>/dev/null) && break
  done
  if [ -z "${base:-}" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
    base=$(git rev-list -1 --skip=10 HEAD)
  fi
  printf '%s' "$base"
}

changed_files() {
  local base
  base=$(base_commit)
  if [ -z "$base" ]; then
    cc_files
  else
    git diff --name-only --diff-filter=d "$base" -- '*.cc' '*.h'
    git ls-files --others --exclude-standard -- '*.cc' '*.h'
  fi
}

# The source file through which a file is compiled.
source_of() {
  case $1 in
    *.cc) printf '%s\n' "$1" ;;
    *.h)
      if [ -f "${1%.h}.cc" ]; then
        printf '%s\n' "${1%.h}.cc"
      else
        { git grep --untracked -lF "#include \"$1\"" -- '*.cc' || true; } | sed -n 1p
      fi
      ;;
  esac
}

# compile_commands.json knows the sources; clang-tidy also needs the headers that Bazel makes.
mapfile -t generators < <(bazel query --noshow_progress \
  'kind("_protoc_gen rule|genrule rule", //...)' 2>/dev/null)
bazel build --noshow_progress --ui_event_filters=-info "${generators[@]}"
python3 tools/compile_commands.py

if [ "${1:-}" = --all ]; then
  checks='clang-analyzer-core.*,clang-analyzer-cplusplus.*,clang-analyzer-unix.*'
  mapfile -t sources < <(files '*.cc')
else
  checks=
  mapfile -t sources < <(changed_files | while IFS= read -r file; do source_of "$file"; done | sort -u)
fi
mapfile -t sources < <(printf '%s\n' "${sources[@]}" |
  grep -xFf <(sed -n 's/^ *"file": "\(.*\)",$/\1/p' compile_commands.json))
changed=${#sources[@]}
if [ -z "$checks" ] && [ "$changed" -gt $most ]; then
  mapfile -t sources < <(git log --name-only --format= | grep -xFf <(printf '%s\n' "${sources[@]}") |
    awk '!seen[$0]++' | head -$most)
fi
echo "clang-tidy: ${#sources[@]} of $changed files${checks:+, with the static analyzer}"
# Without its counts of suppressed warnings; xargs ends with 123 if one file had a warning.
printf '%s\n' "${sources[@]}" |
  xargs -r -P "$(nproc)" -n 1 clang-tidy -p . --quiet ${checks:+"--checks=$checks"} \
    2> >(grep -vE '^[0-9]+ warnings? ' >&2)
