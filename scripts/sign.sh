#!/usr/bin/env bash
# Signs the checksums of a release's files: SHA256SUMS.asc beside SHA256SUMS, by GnuPG.
#
#   scripts/sign.sh FOLDER              by the key that `git config user.signingkey` names, which also signs the tag
#   scripts/sign.sh --rehearse FOLDER   by a key that is made for the call and forgotten; only checks that signing works
set -euo pipefail

fail() { echo "sign.sh: $*" >&2; exit 1; }
rehearse=
if [ "${1:-}" = --rehearse ]; then rehearse=1; shift; fi
[ $# = 1 ] || fail "needs one folder; scripts/package.sh makes build/packages"
sums=$1/SHA256SUMS
[ -e "$sums" ] || fail "$1 has no SHA256SUMS: scripts/package.sh makes it"
command -v gpg >/dev/null || fail "gpg is missing; on Debian: apt install gnupg"
(cd "$1" && sha256sum --quiet -c SHA256SUMS) || fail "a file of $1 differs from its checksum"

signature=$sums.asc
if [ -n "$rehearse" ]; then
  GNUPGHOME=$(mktemp -d)
  export GNUPGHOME
  trap 'gpgconf --kill gpg-agent; rm -rf "$GNUPGHOME"' EXIT
  signature=$GNUPGHOME/SHA256SUMS.asc
  key=rehearsal@warpwise.invalid
  gpg --batch --quiet --passphrase '' --quick-generate-key "$key" ed25519 sign 1d 2>/dev/null || fail "gpg could not make a key"
else
  key=$(git config user.signingkey) || fail "git config user.signingkey names no key"
  rm -f "$signature"
fi
gpg --batch --quiet --local-user "$key" --armor --output "$signature" --detach-sign "$sums"
gpg --batch --quiet --verify "$signature" "$sums" 2>/dev/null || fail "the signature of $sums is not valid"
echo "${rehearse:+rehearsed by a key for this call: }$sums is signed"
