// @module-tag codex
// @module-tag slow
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/command.ts'
import { USERS, vitestOf } from '../support/another-user.ts'
import { codexFolder } from '../support/other-engines.ts'
import { verdicts } from '../support/eval-project.ts'
import { createPackage, runEvals, type WrittenTool } from '../support/package-run.ts'
import { keptText } from '../support/kept-text.ts'

const SECRET = 'dt-real-1234567890/+'
const HOSTILE = [
  'start \u001B[31mred \u001B]0;title\u0007 \u001B]52;c;cHduZWQ=\u0007 \u009B2J \u202Eback over\rwritten',
  '::error file=a.ts::pwned',
  '##[error]pwned',
  `the key is ${SECRET}, ${Buffer.from(SECRET).toString('base64')}, ${encodeURIComponent(SECRET)}`,
].join('\n')

const bubblewrap = await probeBubblewrap(process.env)

describe.skipIf(!bubblewrap.works)('a hostile agent of Codex', { tags: ['codex'] }, () => {
  test.for(USERS)('A3, A8, A9, A12, R1, R2 and R5: costs its own case and shows no secret, as %s', async (user) => {
    await using marker = await createFixture({ kept: 'as it was' })
    for (const path of [marker.path, marker.getPath('kept')]) chmodSync(path, 0o777)
    await using vitest = await vitestOf(user)
    await using project = await createPackage({
      major: vitest.major,
      options: "{ sandbox: 'bubblewrap' }",
      cases: {
        // Its own rules refuse `rm -rf`.
        'a3-deletes': {
          turns: [{ tools: [sh(`find / ${marker.path} -depth -delete 2>/dev/null; echo over`)] }, 'Done.'],
        },
        'a9-nests': {
          expected: { 'files-created': ['absent.txt'] },
          turns: [{ tools: [sh('bwrap --unshare-all --dev-bind / / true')] }, 'Done.'],
        },
        'a12-kills-its-bridge': {
          turns: [
            {
              // What it looks for must not be in its own command line.
              tools: [
                sh(
                  'for p in /proc/[0-9]*; do if grep -qa "gateway.soc[k]" $p/cmdline; then kill -9 ${p#/proc/}; fi; done',
                ),
              ],
            },
            'Done.',
          ],
        },
        'b-is-fine': { expected: { contains: ['Done'] }, turns: [{ tools: [sh('echo fine')] }, 'Done.'] },
        'r-speaks': {
          expected: { contains: ['absent'] },
          turns: [
            {
              tools: [sh(`touch "$(printf 'a\\033[31m\\n::error::b')"; echo '${SECRET}' > key.txt; echo '${SECRET}'`)],
            },
            HOSTILE,
          ],
        },
      },
    })
    vitest.own(project)
    const run = await runEvals(project, {
      AGENT_EVALS_ENGINE: 'codex',
      AGENT_EVALS_ENGINES: await codexFolder(),
      DEPLOY_TOKEN: SECRET,
    })
    // What it deletes may be what the CLI itself needs: errored then, and never failed.
    expect(run.case('a3-deletes').outcome).toMatch(/^(?:passed|errored)$/)
    expect(readFileSync(marker.getPath('kept'), 'utf8')).toBe('as it was')
    expect(existsSync(join(project.root, 'package.agent.json'))).toBe(true)
    expect(verdicts(run.report).filter((verdict) => !verdict.startsWith('a3-deletes '))).toEqual([
      'a12-kills-its-bridge ERROR upstream-failed',
      'a9-nests ERROR engine-failed',
      'b-is-fine PASS',
      'r-speaks FAIL',
    ])
    expect(run.case('a9-nests').error).toMatch(/^nested sandbox: no call ran, .* bwrap: /)
    expect(run.case('a12-kills-its-bridge').error).toMatch(/^Connection failed: .* the fault is on the way to it\.$/)

    const { raw } = run.finished
    expect(raw.match(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202E]/g)).toBeNull()
    expect(raw.split('\n').filter((line) => /^\s*::|##\[/.test(line))).toEqual([])
    expect(raw).toContain('the key is [REDACTED:DEPLOY_TOKEN]')
    const folder = join(project.root, run.run('r-speaks').folder ?? '')
    const kept = [await readFile(join(folder, 'transcript.jsonl'), 'utf8'), keptText(folder, 'key.txt')]
    const everything = [raw, JSON.stringify(run.report), ...kept].join('\n')
    expect(SECRETS.filter((form) => everything.includes(form))).toEqual([])
    expect(kept[1]).toBe('[REDACTED:DEPLOY_TOKEN]\n')
  })
})

const SECRETS = [SECRET, Buffer.from(SECRET).toString('base64').slice(0, -4), encodeURIComponent(SECRET)]

function sh(cmd: string): WrittenTool {
  return { name: 'exec_command', input: { cmd } }
}
