#!/bin/bash
# clang-tidy over all sources (--all), or over those that changed: against the branch point from
# main, or on main itself over the last ten commits. A changed header is checked through its
# own .cc file, else through one file that includes it.
# Without --all at most 50 files, so that CI ends in time; it says so.
set -euo pipefail
# shellcheck source=tools/lint/files.sh
source tools/lint/files.sh
most=50

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
        git grep --untracked -lF "#include \"$1\"" -- '*.cc' | head -1
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
  mapfile -t sources < <(files '*.cc')
else
  mapfile -t sources < <(changed_files | while IFS= read -r file; do source_of "$file"; done | sort -u)
fi
mapfile -t sources < <(printf '%s\n' "${sources[@]}" |
  grep -xFf <(sed -n 's/^ *"file": "\(.*\)",$/\1/p' compile_commands.json))
echo "clang-tidy: ${#sources[@]} files"
if [ "${1:-}" != --all ] && [ ${#sources[@]} -gt $most ]; then
  echo "clang-tidy: only $most of them; all with lint --all"
  mapfile -t sources < <(git log --name-only --format= | grep -xFf <(printf '%s\n' "${sources[@]}") |
    awk '!seen[$0]++' | head -$most)
fi
# Without its counts of suppressed warnings; xargs ends with 123 if one file had a warning.
printf '%s\n' "${sources[@]}" |
  xargs -r -P "$(nproc)" -n 1 clang-tidy -p . --quiet 2> >(grep -vE '^[0-9]+ warnings? ' >&2)
