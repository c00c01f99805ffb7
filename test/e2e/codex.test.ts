import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { codexFolder } from '../support/other-engines.ts'
import { bash, createPackage, runEvals, type WrittenTool } from './package-run.ts'
import { readReports, refusing, verdicts } from './eval-project.ts'

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
    const run = await runEvals(project, { AGENT_EVALS_ENGINE: 'codex', AGENT_EVALS_ENGINES: await codexFolder() })
    expect(verdicts(run.report)).toEqual([
      'a-answers PASS',
      'b-uses-tools PASS',
      'c-is-blocked PASS',
      'd-is-refused-all ERROR engine-failed',
      'e-meets-the-sandbox FAIL',
      'f-is-refused-by-the-api ERROR upstream-failed',
      'g-is-told-to-wait PASS',
    ])
    expect(run.case('d-is-refused-all').error).toBe(
      'The run ended well, but its only call was refused: unsupported call: Bash',
    )
    expect(run.run('b-uses-tools').skills_used).toEqual(['greet'])
    const blockers = async (name: string): Promise<readonly unknown[]> =>
      (await run.transcript(name)).flatMap((event) => (event.kind === 'tool-result' ? [event.blockedBy] : []))
    expect(await blockers('c-is-blocked')).toEqual(['hook', null])
    if (run.report.cases[0]?.sandbox?.enforced === 'bubblewrap')
      expect(await blockers('e-meets-the-sandbox')).toEqual(['sandbox'])
  })

  test('runs the same cases beside another engine, and an engine of the user’s own', async () => {
    const turns = (call: WrittenTool): string =>
      JSON.stringify({
        turns: [{ tools: [call] }, 'Done.'],
        judge: [[{ verdict: 'pass', reason: 'It did.', quote: 'Done.' }]],
      })
    await using project = await createPackage({
      cases: { writes: { expected: { 'files-created': ['out.txt'] } } },
      options: "{ sandbox: 'prefer', engines: { mine: { module: './mine.mjs', executable: './mine.sh' } } }",
      files: {
        'evals/scenarios/writes.yaml': turns(bash('echo hi > out.txt')),
        'evals/scenarios/writes.codex.yaml': turns(sh('echo hi > out.txt')),
        'evals/scenarios/writes.mine.yaml': JSON.stringify({
          turns: ['Done.'],
          judge: [[{ verdict: 'pass', reason: 'It did.', quote: 'Done.' }]],
        }),
        'mine.mjs': OWN_ENGINE,
        'mine.sh': '#!/bin/sh\ncat > /dev/null\necho hi > out.txt\necho Done.\n',
      },
    })
    await chmod(join(project.root, 'mine.sh'), 0o755)
    const finished = await project.run(['run', '--project', 'evals', '--reporter', 'verbose'], {
      env: {
        AGENT_EVALS_ENGINE: 'claude-code,codex,mine',
        AGENT_EVALS_ENGINES: await codexFolder(),
        AGENT_EVALS_JUDGE: 'claude-sonnet',
      },
    })
    const reports = (await readReports(project)).toSorted((a, b) =>
      (a.config.engine ?? '') < (b.config.engine ?? '') ? -1 : 1,
    )
    expect(
      reports.map(({ config, cases }) => [
        config.engine,
        cases.map(({ name, verdict, error }) => [name, verdict, error]),
      ]),
      finished.all,
    ).toEqual([
      ['claude-code', [['writes (claude-code)', 'PASS', null]]],
      ['codex', [['writes (codex)', 'PASS', null]]],
      ['mine', [['writes (mine)', 'PASS', null]]],
    ])
  })
})

/** The smallest engine: a program that is given the prompt and prints what it has to say. */
const OWN_ENGINE = `
export default {
  name: 'mine',
  executable: 'mine.sh',
  wire: 'openai-chat',
  reaches: 'tcp',
  runtimeFiles: () => [],
  versionArguments: [],
  parseVersion: () => '1.0.0',
  install: ({ paths }) => ({
    files: [], copies: [], configFiles: [], hookPlan: { packageRoot: paths.packageRoot, hooks: [] }, warnings: [],
  }),
  command: ({ prompt, env }) => ({ arguments: [], env, stdin: prompt }),
  createReader() {
    const lines = []
    return {
      line(text) {
        lines.push(text)
        return [{ kind: 'message', agent: null, text }]
      },
      end: () => ({
        status: lines.length === 0 ? null : 'completed', problem: null, version: null, sessionId: null, model: null,
        output: lines.join('\\n'), finalMessage: lines.at(-1) ?? '', skills: null, hooksWithoutVerdict: 0,
      }),
    }
  },
}
`
