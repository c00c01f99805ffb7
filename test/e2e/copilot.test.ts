import { describe, expect, test } from 'vitest'
import { copilotVariables } from '../support/other-engines.ts'
import { createPackage, runEvals, type WrittenTool } from './package-run.ts'
import { refusing, verdicts } from './eval-project.ts'

function sh(command: string): WrittenTool {
  return { name: 'bash', input: { command, description: 'Run it' } }
}

const GUARD = {
  version: 1,
  hooks: {
    'pre-tool-use': [
      { matcher: 'Bash|Write', hooks: [{ type: 'command', command: 'sh "${PACKAGE_ROOT}/hooks/guard.sh"' }] },
    ],
  },
}

describe('copilot', { tags: ['copilot'] }, () => {
  test('runs a package', async () => {
    await using project = await createPackage({
      cases: {
        'a-answers': { expected: { contains: ['Hello'] }, turns: ['Hello, World'] },
        'b-uses-tools': {
          expected: { 'files-created': ['out.txt'] },
          turns: [{ tools: [{ name: 'skill', input: { skill: 'greet' } }, sh('echo hi > out.txt; exit 3')] }, 'Done.'],
        },
        'c-is-blocked': {
          target: 'hook:pre-tool-use',
          expected: { 'agent-blocked': true },
          turns: [{ tools: [sh('echo forbidden > x.txt'), sh('mkdir a && rm -rf a && echo gone')] }, 'Not allowed.'],
        },
        'd-is-refused-all': { turns: [{ tools: [{ name: 'Bash', input: { command: 'ls' } }] }, 'Done.'] },
        'e-meets-the-sandbox': {
          target: 'hook:pre-tool-use',
          expected: { 'agent-blocked': true },
          turns: [{ tools: [sh('touch /usr/x')] }, 'I could not.'],
        },
        'f-is-refused-by-the-api': {},
        'g-is-told-to-wait': {},
      },
      files: {
        'hooks/hooks.json': JSON.stringify(GUARD),
        'evals/scenarios/f-is-refused-by-the-api.yaml': refusing(401),
        'evals/scenarios/g-is-told-to-wait.yaml': JSON.stringify({
          turns: [{ error: { status: 429, message: 'slow down', 'retry-after': 1 } }, 'Done.'],
          judge: [[{ verdict: 'pass', reason: 'It did.', quote: 'Done.' }]],
        }),
        'hooks/guard.sh': 'if grep -q forbidden; then echo "forbidden names are not written" >&2; exit 2; fi\n',
        'skills/greet/SKILL.md': '---\nname: greet\ndescription: Greets.\n---\n# Greet\nSay hello.\n',
      },
    })
    const run = await runEvals(project, { AGENT_EVALS_ENGINE: 'copilot', ...(await copilotVariables()) })
    expect(verdicts(run.report), run.finished.all).toEqual([
      'a-answers PASS',
      'b-uses-tools PASS',
      'c-is-blocked PASS',
      'd-is-refused-all ERROR engine-failed',
      'e-meets-the-sandbox FAIL',
      'f-is-refused-by-the-api ERROR upstream-failed',
      'g-is-told-to-wait PASS',
    ])
    expect(run.case('d-is-refused-all').error).toBe(
      "The run ended well, but its only call was refused: Tool 'Bash' does not exist.",
    )
    expect(run.run('b-uses-tools').skills_used).toEqual(['greet'])
    const blockers = async (name: string): Promise<readonly unknown[]> =>
      (await run.transcript(name)).flatMap((event) => (event.kind === 'tool-result' ? [event.blockedBy] : []))
    expect(await blockers('c-is-blocked')).toEqual(['hook', null])
    if (run.report.cases[0]?.sandbox?.enforced === 'bubblewrap')
      expect(await blockers('e-meets-the-sandbox')).toEqual(['sandbox'])
  })
})
