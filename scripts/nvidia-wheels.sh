# shellcheck shell=bash
# Sourced by get-nvrtc.sh, get-cupti.sh and get-arm64-cuda.sh. Downloads NVIDIA's wheels from PyPI into the user's cache,
# ${XDG_CACHE_HOME:-~/.cache}/warpwise.

cache=${XDG_CACHE_HOME:-$HOME/.cache}/warpwise
fail() { echo "$(basename "$0"): $*" >&2; exit 1; }

# fetch_wheels VERSION NAME...: downloads the wheels nvidia-NAME; $made is then the folder with their lib and include.
# They are for this machine, or for $platform.
fetch_wheels() {
  local version=$1 name wheel wheels=()
  shift
  [[ $version =~ ^13\.[0-9]+$ ]] || fail "'$version' is no version such as 13.0 (12.x has other wheel names)"
  command -v python3 >/dev/null || fail "python3 is needed"
  python3 -m pip --version >/dev/null 2>&1 || fail "Python's pip is needed (Debian: python3-pip)"

  mkdir -p "$cache"
  work=$(mktemp -d "$cache/.get-wheels-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  for name in "$@"; do wheels+=("nvidia-$name==$version.*"); done
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: ${platform:+--platform "$platform"} \
      --dest "$work/wheels" "${wheels[@]}" >"$work/pip.log" 2>&1 ||
    { tail -n 5 "$work/pip.log" >&2; fail "pip could not download nvidia-$*"; }
  for wheel in "$work"/wheels/*.whl; do python3 -m zipfile -e "$wheel" "$work/unpacked"; done
  made=$work/unpacked/nvidia/cu13
}

# keep_wheels FOLDER WHAT FILE...: replaces FOLDER of the cache by the downloaded files, if they include each FILE.
keep_wheels() {
  local folder=$cache/$1 what=$2 file info
  shift 2
  for file in "$@"; do
    [ -e "$made/$file" ] || fail "there is no $file in $(cd "$work/wheels" && echo *)"
  done
  mkdir "$made/licenses"
  for info in "$work"/unpacked/*.dist-info; do
    find "$info" -iname 'license*' -type f -exec cp {} "$made/licenses/$(basename "$info" .dist-info).txt" \;
  done
  rm -rf "$folder"
  mv "$made" "$folder"
  echo "$what is in $folder ($(du -sh "$folder" | cut -f1))"
}
