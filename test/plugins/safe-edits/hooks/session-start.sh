#!/usr/bin/env bash
set -euo pipefail
cat > /dev/null
printf '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"Files below generated/ are written by a tool. Never edit them."}}\n'
