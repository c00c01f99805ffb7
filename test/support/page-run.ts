import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { sha256 } from '../../src/lib/sha256.ts'
import { writePage } from '../../src/report/page/build-page.ts'
import { readReport } from '../../src/report/read-report.ts'
import type { ReportCase, ReportExpectation, ReportRun } from '../../src/report/report.ts'
import type { TranscriptEvent } from '../../src/transcript/transcript.ts'

/** A case of a page that a test makes. */
export interface MadeCase extends Partial<Omit<ReportCase, 'expectations' | 'runs'>> {
  readonly name: string
  readonly prompt?: string
  readonly events?: readonly TranscriptEvent[]
  readonly times?: Readonly<Record<number, number>>
  readonly expectations?: readonly Partial<ReportExpectation>[]
  readonly run?: Partial<ReportRun>
  /** Contents of its files after the run, and below `before/` before it. */
  readonly files?: Readonly<Record<string, Buffer | string>>
  readonly keepsEvidence?: boolean
  readonly runCount?: number
}

/** A page in a folder of its own, which is removed with it. */
export interface MadePage extends AsyncDisposable {
  /** Absolute path of the page. */
  readonly file: string
  readonly url: string
}

const RUN = '2026-02-22T14-30-00-000Z-abcdef'

/** Writes a report, the evidence of its runs and their page, with the code that writes those of real runs. */
export async function makePage(
  cases: readonly MadeCase[],
  report: Readonly<Record<string, unknown>> = {},
): Promise<MadePage> {
  const folder = await createFixture({})
  const runs = join(folder.path, '.vitest/agent-evals')
  const entries = []
  for (const [index, one] of cases.entries()) entries.push(await makeCase(one, index, runs))
  const whole = {
    version: 1,
    agent_evals_version: '0.2.0',
    id: 'eval-run-2026-02-22T14-30-00Z-abcdef',
    timestamp: '2026-02-22T14:30:00Z',
    status: 'complete',
    cases: entries,
    ...report,
  }
  const file = join(folder.path, 'page.html')
  writePage({ reports: [readReport(whole, 'report.json')], runsFolders: [runs] }, file)
  return { file, url: `file://${file}`, [Symbol.asyncDispose]: () => folder.rm() }
}

async function makeCase(made: MadeCase, index: number, runs: string): Promise<unknown> {
  const {
    name,
    prompt = 'Do it.',
    events = [],
    times,
    expectations = [],
    run = {},
    files = {},
    keepsEvidence = true,
    runCount = 1,
    ...rest
  } = made
  const folders = Array.from({ length: runCount }, (_, n) => `cases/case-${index}/claude-code.${n + 1}`)
  for (const folder of keepsEvidence ? folders : []) {
    const path = join(runs, RUN, folder)
    await mkdir(path, { recursive: true })
    await writeFile(join(path, 'prompt.txt'), prompt)
    await writeFile(join(path, 'transcript.jsonl'), events.map((event) => `${JSON.stringify(event)}\n`).join(''))
    if (times !== undefined) await writeFile(join(path, 'timings.json'), JSON.stringify({ version: 1, events: times }))
    const artifacts = join(path, 'artifacts')
    await mkdir(artifacts, { recursive: true })
    const kept = Object.entries(files).map(([to, content]) => {
      const bytes = Buffer.from(content)
      const [when, file] = to.startsWith('before/') ? ['before', to.slice('before/'.length)] : ['after', to]
      return { path: file, when, name: sha256(bytes), type: 'text/plain', bytes }
    })
    for (const { name: stored, bytes } of kept) await writeFile(join(artifacts, stored), bytes)
    await writeFile(join(artifacts, 'index.json'), JSON.stringify({ version: 1, files: kept }))
  }
  return {
    id: `evals/cases/${index}.yaml#${name}`,
    name,
    arm: null,
    target: 'skill:made',
    verdict: 'PASS',
    file: `evals/cases/${index}.yaml`,
    line: 1,
    engine: 'claude-code',
    source: 'live',
    duration_seconds: 1.5,
    cost_usd: 0.01,
    agent: { runtime_version: '2.1.0', model: 'claude-made' },
    ...rest,
    expectations: expectations.map((one) => ({
      text: 'It holds.',
      result: 'PASS',
      evidence: [],
      evidence_found_in: null,
      reason: null,
      agreement: { agree: 1, of: 1 },
      weak: null,
      ...one,
    })),
    runs: folders.map((folder, n) => ({
      index: n + 1,
      status: 'completed',
      duration_seconds: 1.2,
      requests: 2,
      cost_usd: 0.01,
      files: { created: [], modified: [], deleted: [], unreadable: [] },
      tool_calls: {},
      skills_used: [],
      folder: `.vitest/agent-evals/${RUN}/${folder}`,
      ...run,
    })),
  }
}
