import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const { hook_event_name: event, tool_input: input = {}, cwd } = JSON.parse(readFileSync(0, 'utf8'))
const path = relative(process.env.CLAUDE_PROJECT_DIR ?? cwd, input.file_path ?? input.notebook_path ?? '')
if (path.startsWith('generated/')) {
  console.error(`${path} is generated; edit its source instead`)
  process.exit(2)
}
if (/(^|\/)(credentials|secrets)\./.test(path)) {
  const reason = `${path} may hold a secret`
  const hookSpecificOutput = { hookEventName: event, permissionDecision: 'deny', permissionDecisionReason: reason }
  console.log(JSON.stringify({ hookSpecificOutput }))
}
