#!/usr/bin/env bash
# Runs a command as on the machine of a newcomer, which has no sandbox and no browser: here, or as another user in a clone.
set -eu
cd "$(dirname "$0")/.."

[ $# = 3 ] || { echo "Usage: $0 this-user|another-user NODE-MAJOR COMMAND"; exit 2; }
user=$1 major=$2 command=$3

# The package of the npm registry that holds Node itself.
declare -A versions=([20]=20.20.2 [24]=24.21.0)
machine=$(node -p 'process.platform + "-" + process.arch')

folder=$(mktemp -d)
programs=$(.ci/hide bwrap socat chromium)
trap 'rm -rf "$folder" "$programs"' EXIT
chmod 755 "$folder"

if [ "$(node -p 'process.versions.node.split(".")[0]')" != "$major" ]; then
  npm install --silent --no-audit --no-fund --prefix "$folder" "node-$machine@${versions[$major]}"
  ln -sf "$folder/node_modules/node-$machine/bin/node" "$programs/node"
fi

echo "On Node $(PATH=$programs node --version), as $user, without a sandbox: $command"
if [ "$user" = this-user ]; then
  PATH=$programs bash -euc "$command"
  exit
fi

[ "$(id -u)" = 0 ] || { echo 'Only root can become another user; skipped.'; exit 0; }
# Below a folder named `src`, the commonest place of a clone. Without hard links, whose owner would change here, too.
git clone --quiet --no-hardlinks . "$folder/src/clone"
mkdir "$folder/home"
# What the tests installed once: hundreds of megabytes.
for installed in .cache/*/; do
  if [ -d "$installed/node_modules" ]; then mkdir -p "$folder/src/clone/.cache" && cp -r "${installed%/}" "$folder/src/clone/.cache/"; fi
done
chown -R 65534:65534 "$folder/src/clone" "$folder/home"
report=${TEST_REPORT:+$folder/home/report.json}
# What this machine says about registries and certificates.
settings=(NODE_EXTRA_CA_CERTS="${NODE_EXTRA_CA_CERTS-}")
for setting in registry cafile; do
  value=$(npm config get "$setting")
  if [ "$value" != null ]; then settings+=("npm_config_$setting=$value"); fi
done
code=0
(
  cd "$folder/src/clone"
  env -i PATH="$programs" HOME="$folder/home" LANG=C.UTF-8 CI="${CI-}" TEST_RETRIES="${TEST_RETRIES-0}" TEST_REPORT="$report" "${settings[@]}" \
    setpriv --reuid=65534 --regid=65534 --clear-groups bash -euc "$command"
) || code=$?
# The same tests as those of this clone.
if [ -n "$report" ] && [ -e "$report" ]; then
  mkdir -p "$(dirname "$TEST_REPORT")" && sed "s#$folder/src/clone#$PWD#g" "$report" >"$TEST_REPORT"
fi
exit "$code"
