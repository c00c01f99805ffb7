// @module-tag claude-code
// @module-tag slow
import { expect, test } from 'vitest'
import { bash, createPackage, describeEvals, runEvals, type WrittenCase } from '../support/package-run.ts'
import { claudeFolder } from '../support/other-engines.ts'
import { verdicts } from '../support/eval-project.ts'

const MOD = `
import { REFUSED } from '../lib/words.js'
export function register(on) {
  on('tool.check', { tool: 'Bash' }, async ($, e, next) =>
    e.input.command.includes('checked') ? { decision: 'deny', reason: 'not past the check' } : next(e))
  on('tool.call', { tool: 'Bash' }, async ($, e, next) => {
    if (e.command.includes('called')) return { deny: REFUSED }
    if (e.command.includes('boom')) throw new Error('the mod broke')
    const done = await next(e)
    return e.command.includes('context') ? { ...done, context: ['words of the mod'] } : done
  })
  on('prompt.submit', async ($, e, next) => next(e))
}
`

const FILES = {
  'hooks/hooks.json': JSON.stringify({
    modules: ['./register.mjs'],
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'exit 0' }] }] },
  }),
  'hooks/register.mjs': MOD,
  'lib/words.js': `export const REFUSED = 'not at the call'\n`,
}

function running(command: string, expected: WrittenCase['expected'], target = 'hook:PreToolUse'): WrittenCase {
  return { target, ...(expected === undefined ? {} : { expected }), turns: [{ tools: [bash(command)] }, 'done'] }
}

const CASES: Readonly<Record<string, WrittenCase>> = {
  'a-checked': running('echo checked', { 'agent-blocked': true, 'hook-output': { contains: 'not past the check' } }),
  'b-called': running('echo called', { 'agent-blocked': true, 'hook-output': { contains: 'not at the call' } }),
  'c-allows': running('echo fine', { 'agent-blocked': false }, 'hook:PostToolUse'),
  'd-lets-through': running('echo fine', { 'agent-blocked': true }),
  'e-blocks-too-much': running('echo called', { 'agent-blocked': false }),
  'f-breaks': running('echo boom', { 'agent-blocked': false }),
  'g-breaks-unasked': { turns: [{ tools: [bash('echo boom')] }, 'done'] },
  'h-tells': running('echo context', { 'hook-output': { contains: 'words of the mod' } }),
  'i-tells-nothing-known': running('echo fine', { 'hook-output': { contains: 'words of the mod' } }),
  'j-never-runs': { target: 'hook:PreCompact', turns: ['done'] },
}

describeEvals('a mod', () => {
  test('what it refuses, allows, tells and breaks', async () => {
    await using project = await createPackage({ cases: CASES, files: FILES })
    const { finished, report, case: caseOf } = await runEvals(project)
    expect(verdicts(report), finished.all).toEqual([
      'a-checked PASS',
      'b-called PASS',
      'c-allows PASS',
      'd-lets-through FAIL',
      'e-blocks-too-much FAIL',
      'f-breaks ERROR hook-failed-open',
      'g-breaks-unasked ERROR hook-failed-open',
      'h-tells PASS',
      'i-tells-nothing-known ERROR hook-failed-open',
      'j-never-runs FAIL',
    ])
    expect(JSON.stringify(caseOf('g-breaks-unasked'))).toContain('threw Error: the mod broke')
  })

  test('a version without mods says so at each case', async () => {
    const cases = { 'a-checked': CASES['a-checked'] ?? {}, 'b-plain': { turns: ['done'] } }
    await using project = await createPackage({ cases, files: FILES })
    const env = { AGENT_EVALS_ENGINES: await claudeFolder('2.1.150') }
    const { finished, report, case: caseOf } = await runEvals(project, env)
    expect(verdicts(report), finished.all).toEqual([
      'a-checked ERROR hook-failed-open',
      'b-plain ERROR hook-failed-open',
    ])
    expect(JSON.stringify(caseOf('b-plain'))).toContain('mods need 2.1.287 or newer')
  })
})
