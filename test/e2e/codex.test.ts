import { describe, expect, test } from 'vitest'
import { codexFolder } from '../support/other-engines.ts'
import { createPackage, runEvals, type WrittenTool } from './package-run.ts'
import { verdicts } from './eval-project.ts'

function sh(cmd: string): WrittenTool {
  return { name: 'exec_command', input: { cmd } }
}

const GUARD = {
  version: 1,
  hooks: {
    'pre-tool-use': [
      { matcher: 'Bash|Write', hooks: [{ type: 'command', command: 'sh "${PACKAGE_ROOT}/hooks/guard.sh"' }] },
    ],
  },
}

describe('codex', { tags: ['codex'] }, () => {
  test('runs a package', async () => {
    await using project = await createPackage({
      cases: {
        'a-answers': { expected: { contains: ['Hello'] }, turns: ['Hello, World'] },
        'b-uses-tools': {
          expected: { 'files-created': ['out.txt'] },
          turns: [{ tools: [sh('cat .agents/skills/greet/SKILL.md'), sh('echo hi > out.txt; exit 3')] }, 'Done.'],
        },
        'c-is-blocked': {
          target: 'hook:pre-tool-use',
          expected: { 'agent-blocked': true },
          turns: [{ tools: [sh('echo forbidden > x.txt'), sh('mkdir a && rm -rf a && echo gone')] }, 'Not allowed.'],
        },
      },
      files: {
        'hooks/hooks.json': JSON.stringify(GUARD),
        'hooks/guard.sh': 'if grep -q forbidden; then echo "forbidden names are not written" >&2; exit 2; fi\n',
        'skills/greet/SKILL.md': '---\nname: greet\ndescription: Greets.\n---\n# Greet\nSay hello.\n',
      },
    })
    const run = await runEvals(project, { AGENT_EVALS_ENGINE: 'codex', AGENT_EVALS_ENGINES: await codexFolder() })
    expect(verdicts(run.report)).toEqual(['a-answers PASS', 'b-uses-tools PASS', 'c-is-blocked PASS'])
  })
})
