// @module-tag claude-code
// @module-tag slow
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { describeEvals } from '../support/package-run.ts'
import type { FinishedProcess } from '../support/running-process.ts'

const SETTINGS = JSON.stringify({
  hooks: { PreToolUse: [{ matcher: 'Write', hooks: [{ type: 'command', command: 'node tools/hook.mjs' }] }] },
})

const told = {
  hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: 'Notes belong into docs.\nAsk nobody.' },
}

const CASE = 'evals/cases/hook-pre-tool-use.yaml'

describeEvals('init, of the case that it wrote for a hook', () => {
  test.for<readonly [name: string, hook: string, says: string, line: string | null]>([
    ['blocks', 'process.exit(2)', 'The hook blocks. Below `expected`', 'agent-blocked: true'],
    [
      'tells the model something',
      `console.log(${JSON.stringify(JSON.stringify(told))})`,
      'The hook tells the model something. Below `expected`',
      'hook-output: { contains: "Notes belong into docs." }',
    ],
    [
      'does nothing',
      'process.exit(0)',
      'Say what the hook does, with agent-blocked, hook-output or files-created.',
      null,
    ],
    ['breaks', 'process.exit(1)', 'errored: the pre-tool-use hook failed with exit code 1', null],
  ])('which %s, says whether it can fail, and what makes it', async ([, hook, says, line]) => {
    await using project = await createProject(repositoryVitest(), {
      'package.json': '{ "private": true, "type": "module" }\n',
      '.git/HEAD': '',
      '.claude/settings.json': SETTINGS,
      'tools/hook.mjs': hook,
    })
    const run = (...argv: readonly string[]): Promise<FinishedProcess> =>
      project.agentEvals(argv, { merged: true, env: { AGENT_EVALS_SANDBOX: 'prefer' } })

    const { all, exitCode } = await run('init')
    expect(exitCode, all).toBe(0)
    expect(all).toContain(`Tested  ${CASE}: `)
    expect(all).toContain(says)
    expect(all.includes('cannot fail yet')).toBe(!says.startsWith('errored'))
    // Nobody changes what the author has by now.
    expect((await run('init')).all).not.toContain('Tested')
    if (line === null) return

    expect(all).toContain(`add \`${line}\``)
    const text = await project.files.readFile(CASE, 'utf8')
    await project.files.writeFile(CASE, text.replace('expected:\n', `expected:\n  ${line}\n`))
    const { all: after } = await run('run', '--sabotage')
    expect(after).toMatch(/1 passed/)
    expect(after).not.toContain('cannot fail')
  })
})
