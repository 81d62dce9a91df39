#!/usr/bin/env bash
# Runs the checks that need no build: format, clang-tidy, include layers, docstrings, documents, prose, the budget
# of lines, the site of all pages, shell scripts, spelling. Prints each finding and how to mend it; a check that
# finds nothing prints nothing. Ends with one line and, if anything was found, with status 1.
#
#   scripts/checks.sh [CHECK...]     all of them unless given: format layers docstrings docs prose
#                                    lines site shell spelling tidy
#   scripts/checks.sh tidy-all       clang-tidy over every source; tidy alone checks those that differ from the main
#                                    branch, or, on the main branch, those that the last commit changed
#
# If a check's tool is missing and cannot be installed, the check is skipped with the reason; with CI=true it fails. The
# Debian packages come from scripts/packages.sh --test, the Python packages are installed into build/checks-venv.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

venv=build/checks-venv
tidy_limit=30  # most files that tidy checks: about four minutes on two cores

git rev-parse --is-inside-work-tree >/dev/null || { echo "checks.sh: this is no git checkout" >&2; exit 2; }

# Each check prints its findings. Its status is
#   1  if it found something;
#   3  if it was skipped, with the reason in the last line;
# 4  if it was skipped, and CI accepts the skip.

need() {  # need PROGRAM: fails if a Debian package's program is missing
  command -v "$1" >/dev/null && return 0
  echo "$1 is not installed: scripts/packages.sh --test"
  return 3
}

listed() { git ls-files -co --exclude-standard -- "$@" | sort -u | while read -r f; do [ -e "$f" ] && echo "$f"; done; }
sources() { listed '*.cpp' '*.hpp' '*.cu' '*.cuh' '*.inc' '*.h'; }

check_format() {
  scripts/checks-venv.sh || return
  local said bad
  said=$(sources | xargs -r "$venv/bin/clang-format" --dry-run 2>&1) ||
    { echo "$said" | tail -n 5; echo "clang-format itself failed"; return 1; }
  bad=$(echo "$said" | sed -n 's/^\([^: ]*\):[0-9]*:[0-9]*: warning:.*/\1/p' | sort -u)
  [ -z "$bad" ] && return 0
  echo "$bad"
  echo "To mend: $venv/bin/clang-format -i $(echo "$bad" | tr '\n' ' ')"
  return 1
}

check_layers() { scripts/check-layers.py; }

check_docstrings() {
  need doxygen || return
  scripts/check-docstrings.py && return 0
  echo "To mend: write a comment with /// above each: what it computes, shapes, types, units, errors, whether it waits."
  return 1
}

check_docs() {
  if git grep -nE '^(<{7}|>{7}) '; then
    echo "To mend: choose between the two sides of the merge, and take its marks out."
    return 1
  fi
  scripts/check-docs.py && return 0
  echo "To mend: correct the name, or the heading that it leads to; a page and its translation change together."
  return 1
}

check_prose() {
  scripts/check-prose.py && return 0
  echo "To mend: begin with the subject, one thought a sentence; break long lines of pages."
  return 1
}

check_lines() {
  scripts/check-lines.py && return 0
  echo "To mend: take out what repeats or is not used. If the lines are worth it: scripts/check-lines.py --record, and say why in the commit."
  return 1
}

check_shell() {
  need shellcheck || return
  listed '*.sh' .ci/run | xargs -r shellcheck && return 0
  echo "To mend: follow the advice above, or say with '# shellcheck disable=SC… # why' why it does not hold."
  return 1
}

check_site() {
  scripts/checks-venv.sh || return
  scripts/site.sh && return 0
  echo "To mend: correct the link. The site is build/site/index.html; scripts/site/conf.py holds its settings."
  return 1
}

check_spelling() {
  scripts/checks-venv.sh || return
  "$venv/bin/codespell" -D - -D scripts/british-spelling.txt && return 0
  echo "To mend: $venv/bin/codespell -D - -D scripts/british-spelling.txt -w FILE; a word that is right goes into .codespellrc"
  return 1
}

changed() {  # prints the sources that clang-tidy checks, for tidy without "all"
  local main base name found
  for main in origin/main main; do git rev-parse -q --verify "$main" >/dev/null && break; done
  base=$(git merge-base HEAD "$main" 2>/dev/null)
  # On the main branch itself, clang-tidy checks the files that the last commit changed.
  if [ -z "$base" ] || { [ "$base" = "$(git rev-parse HEAD)" ] && git diff --quiet HEAD; }; then base=HEAD~1; fi
  git rev-parse -q --verify "$base^{commit}" >/dev/null || return 1
  { git diff --name-only "$base" -- '*.cpp' '*.hpp'; git ls-files -o --exclude-standard -- '*.cpp' '*.hpp'; } |
    while read -r name; do
    case $name in
      # clang-tidy sees a header through a source: the source of the same name, or else one that includes the header.
      *.hpp) found=${name%.hpp}.cpp
             [ -e "$found" ] || found=$(git grep -lF "#include \"$name\"" -- '*.cpp' | head -n 1)
             echo "$found" ;;
      *) echo "$name" ;;
    esac
  done | sort -u | while read -r name; do
    if [ -n "$name" ] && [ -e "$name" ]; then echo "$name"; fi
  done
}

check_tidy() {  # check_tidy [all]
  scripts/checks-venv.sh || return
  local all known
  if [ "${1:-}" = all ]; then
    all=$(listed '*.cpp')
  elif ! all=$(changed); then
    echo "this clone has no history to compare with; scripts/checks.sh tidy-all reads all sources"
    return 4
  fi
  [ -z "$all" ] && return 0
  # Configures the preset without CUDA, which takes seconds and needs no CUDA compiler.
  if ! cmake --preset cpu -B build/checks -DWARPWISE_TESTS=ON -DWARPWISE_UNITY_BUILD=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >build/checks-configure.log 2>&1; then
    tail -n 5 build/checks-configure.log
    echo "CMake could not configure build/checks (build/checks-configure.log)"
    return 3
  fi
  known=$(echo "$all" | while read -r f; do grep -qF "\"file\": \"$PWD/$f\"" build/checks/compile_commands.json && echo "$f"; done)
  if [ "${1:-}" != all ] && [ "$(echo "$known" | wc -l)" -gt "$tidy_limit" ]; then
    echo "checks.sh: clang-tidy reads $tidy_limit of $(echo "$known" | wc -l) changed sources; scripts/checks.sh tidy-all reads all" >&2
    known=$(echo "$known" | head -n "$tidy_limit")
  fi
  [ -z "$known" ] && return 0
  echo "$known" | xargs -P "$(nproc)" -n 1 "$venv/bin/clang-tidy" -p build/checks --quiet \
    --warnings-as-errors='*' --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-error 2>/dev/null && return 0
  echo "To mend: follow the advice above; .clang-tidy says why each check is there. Where one is wrong: // NOLINT(check): why"
  return 1
}

checks=("$@")
[ ${#checks[@]} -gt 0 ] || checks=(format layers docstrings docs prose lines site shell spelling tidy)
start=$SECONDS
failed=() skipped=()
mkdir -p build
for check in "${checks[@]}"; do
  case $check in
    tidy-all) output=$(check_tidy all) ;;
    format | layers | docstrings | docs | prose | lines | site | shell | spelling | tidy) output=$("check_$check") ;;
    *) echo "checks.sh: no check is called $check" >&2; exit 2 ;;
  esac
  status=$?
  [ "$status" = 0 ] && continue
  if [ "$status" = 4 ] || { [ "$status" = 3 ] && [ "${CI:-}" != true ]; }; then
    skipped+=("$check")
    echo "$check: skipped, $(echo "$output" | tail -n 1)"
  else
    failed+=("$check")
    printf '%s:\n%s\n\n' "$check" "$output"
  fi
done

summary="Checks: $((${#checks[@]} - ${#failed[@]} - ${#skipped[@]})) of ${#checks[@]} found nothing"
[ ${#skipped[@]} -gt 0 ] && summary+=", skipped: ${skipped[*]}"
[ ${#failed[@]} -gt 0 ] && summary+=", FAILED: ${failed[*]}"
echo "$summary ($((SECONDS - start)) s)"
[ ${#failed[@]} = 0 ]
