import { readdirSync, readFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { verdicts } from './eval-project.ts'
import { bash, createPackage, describeEvals, runEvals, type WrittenCase } from './package-run.ts'

const SANDBOXES = ['prefer', 'none']

describeEvals('the end of a session', () => {
  test.for(SANDBOXES)('A6 and A7: is the end of its whole tree at a timeout, sandbox %s', async (sandbox) => {
    const mark = `mark-${randomUUID()}`
    await using project = await createPackage({
      options: JSON.stringify({ sandbox, timeout: 10 }),
      cases: { 'a-hangs': hanging(mark), 'b-is-fine': { expected: { contains: ['done'] }, turns: ['done'] } },
    })
    const run = await runEvals(project, { MARK: mark })
    expect(verdicts(run.report)).toEqual(['a-hangs ERROR timed-out', 'b-is-fine PASS'])
    expect(run.case('a-hangs')).toMatchObject({
      error: 'The run did not end within its 10 s. Raise `timeout` if it needs longer.',
      runs: [{ status: 'timed-out', tool_calls: { Bash: 1 } }],
    })
    expect(processesWith(mark)).toEqual([])
  })

  test.for(SANDBOXES)('comes with Ctrl-C, sandbox %s', async (sandbox) => {
    const mark = `mark-${randomUUID()}`
    await using project = await createPackage({
      options: JSON.stringify({ sandbox }),
      cases: { 'a-hangs': hanging(mark), 'b-hangs': hanging(mark) },
    })
    const running = project.start(['run', '--project', 'evals'], { merged: true })
    await expect.poll(() => processesWith(mark).length, { timeout: 60_000 }).toBeGreaterThan(0)
    running.send('SIGINT')
    const finished = await running.finished
    expect(finished.exitCode).not.toBe(0)
    expect(processesWith(mark)).toEqual([])
  })
})

/** A case whose session leaves processes of every kind: in its group, in a session of their own, and deaf to SIGTERM. */
function hanging(mark: string): WrittenCase {
  const sleep = (seconds: number): string => `sh -c 'sleep ${seconds}; true' ${mark}`
  return {
    turns: [
      {
        tools: [
          bash(
            `${sleep(301)} & setsid ${sleep(302)} & nohup setsid sh -c 'trap "" TERM; sleep 303; true' ${mark} & ${sleep(304)}`,
          ),
        ],
      },
      'done',
    ],
  }
}

/** Processes whose command line holds the mark. */
function processesWith(mark: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        return command.includes(mark) ? [`${pid} ${command}`] : []
      } catch {
        return []
      }
    })
}
