#!/usr/bin/env bash
# A stranger's first minutes: installs a tarball of `npm pack` into an empty folder, with the Node.js and npm in the PATH, and
# plays the demo, the help, completion, and `init`, `plan` and `sync` against a board of its own. Runs on bash 3.2, too.
#
#     npm pack && test/package/first-hour.sh boardsync-*.tgz
set -euo pipefail

if [[ $# -ne 1 || ! -f $1 ]]; then
  echo "Give the tarball that \`npm pack\` has made." >&2
  exit 2
fi
tarball="$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"
folder="$(mktemp -d)"
served=""

leave() {
  local code=$?
  if [[ -n $served ]]; then
    kill "$served" 2>/dev/null || true
    wait "$served" 2>/dev/null || true
  fi
  rm -rf "$folder"
  if [[ $code -eq 0 ]]; then echo "The first hour went well on Node.js $(node --version)."; else echo "It failed with $code." >&2; fi
}
trap leave EXIT

step() {
  echo "+ $*"
  "$@"
}

# The words must stand in what the command before the pipe prints.
expect() {
  local text
  text="$(cat)"
  printf '%s\n' "$text"
  if ! grep -qF -- "$1" <<<"$text"; then
    echo "This does not contain: $1" >&2
    exit 1
  fi
}

# One value of what `demo --serve --json` has printed.
value() {
  node -p 'process.argv[1].split(".").reduce((value, name) => value[name], JSON.parse(require("fs").readFileSync("served.json", "utf8")))' "$1"
}

cd "$folder"
step npm install --prefix . --no-audit --no-fund --prefer-offline --loglevel error "$tarball"
# Never from a registry: what runs is what was installed.
boardsync=(npx --no-install boardsync)

step "${boardsync[@]}" --version
step "${boardsync[@]}" --help | expect "boardsync [options] [command]"
step "${boardsync[@]}" completion bash | expect "complete -o default -F _boardsync boardsync"
step "${boardsync[@]}" schema | expect "https://json-schema.org" >schema.json
step "${boardsync[@]}" demo </dev/null

echo "+ ${boardsync[*]} demo --serve --json &"
# Not by npx, so that it is the program that gets the signal.
node_modules/.bin/boardsync demo --serve --json >served.json &
served=$!
until [[ -s served.json ]]; do
  kill -0 "$served"
  sleep 0.1
done
BOARD_API_KEY="$(value environment.BOARD_API_KEY)"
GITHUB_TOKEN="$(value environment.GITHUB_TOKEN)"
export BOARD_API_KEY GITHUB_TOKEN BOARDSYNC_CONFIG=own.yaml BOARDSYNC_STATE=own.db

step "${boardsync[@]}" init --board-url "$(value board)" --github-url "$(value github)" --project acme-app=acme/app </dev/null
step "${boardsync[@]}" plan | expect "acme-app"
step "${boardsync[@]}" sync | expect "acme-app"
step "${boardsync[@]}" status | expect "acme-app"

echo "+ kill $served"
kill "$served"
wait "$served" && code=0 || code=$?
served=""
# 143: a command that a signal ends.
[[ $code -eq 0 || $code -eq 143 ]]
