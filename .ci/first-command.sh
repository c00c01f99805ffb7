#!/usr/bin/env bash
# Runs the README's first command as on the machine of a newcomer: without a sandbox, and as another user.
set -eu
cd "$(dirname "$0")/.."

# The first of the README's two set-up commands; a test keeps them two.
command=$(grep -m1 '^npm ci && ' README.md || true)
[ -n "$command" ] || { echo 'README.md holds no first command.'; exit 1; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"

# A PATH with links to everything but the programs of a sandbox.
mkdir "$folder/programs"
IFS=:
for entry in $PATH; do
  for program in "$entry"/*; do
    case ${program##*/} in bwrap | socat) ;; *) [ -e "$folder/programs/${program##*/}" ] || ln -s "$program" "$folder/programs/" ;; esac
  done
done
unset IFS

case ${1:-} in
  bare)
    echo "On a machine without a sandbox: $command"
    PATH="$folder/programs" bash -euc "$command"
    ;;
  user)
    [ "$(id -u)" = 0 ] || { echo 'Only root can become another user; skipped.'; exit 0; }
    echo "As another user, in a clone of its own: $command"
    git clone --quiet . "$folder/clone"
    mkdir "$folder/home"
    chown -R 65534:65534 "$folder/clone" "$folder/home"
    cd "$folder/clone"
    env -i PATH="$PATH" HOME="$folder/home" LANG=C.UTF-8 CI="${CI-}" npm_config_registry="${npm_config_registry-}" \
      setpriv --reuid=65534 --regid=65534 --clear-groups bash -euc "$command"
    ;;
  *) echo "Usage: $0 bare|user"; exit 2 ;;
esac
