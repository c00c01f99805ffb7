import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keepEvidence } from '../report/results/case-folder.ts'
import type { EvidenceText } from '../judges/evidence/evidence-item.ts'
import type { RecordedJudge } from '../recordings/recording.ts'
import type { Redactor } from '../gateway/redact.ts'
import type { AgentRun } from '../transcript/transcript.ts'
import type { TestRun } from './result/build-test-result.ts'
import { readTextFile } from '../lib/files.ts'

/** A run of a test in TypeScript as stored beside its evidence, so that a resumed run can take it over. */
export interface StoredTestRun extends Pick<TestRun, 'notices' | 'recorded' | 'run' | 'source'> {
  /** Texts that it created or modified. */
  readonly files: readonly EvidenceText[]
  /** The answers of judges about it. */
  readonly judges: readonly RecordedJudge[]
}

/** Where a run is kept. */
export interface TestRunStore {
  /**
   * Says whether the run was kept: not where something is secret in it, since what is stored would not be what the test
   * has seen, nor where it is large or the disk full.
   */
  write(): Promise<boolean>
  /** Adds a judge's answers; `null` when there is none that is new. */
  add(judge: RecordedJudge | null): Promise<void>
}

/** Keeps a run in the folder of its evidence, which holds its transcript. `folder` is an absolute path. */
export function storeTestRun(folder: string, first: StoredTestRun, redactor: Redactor): TestRunStore {
  let stored = first
  const write = async (): Promise<boolean> => {
    const text = JSON.stringify(stored)
    if (text.length > MOST || JSON.stringify(redactor.values(stored)) !== text) return false
    const { transcript: _, ...run } = stored.run
    const content = `${JSON.stringify({ ...stored, run })}\n`
    return (await keepEvidence(() => writeFileSync(join(folder, FILE), content))).length === 0
  }
  return {
    write,
    async add(judge) {
      if (judge === null) return
      stored = { ...stored, judges: [...stored.judges, judge] }
      await write()
    },
  }
}

/** Reads a run that was kept; `null` where it is gone. */
export function readTestRun(folder: string): StoredTestRun | null {
  try {
    const stored = JSON.parse(readTextFile(join(folder, FILE))) as StoredTestRun
    const lines = readTextFile(join(folder, 'transcript.jsonl')).split('\n')
    const transcript = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Event)
    return { ...stored, run: { ...stored.run, transcript } }
  } catch {
    return null
  }
}

type Event = AgentRun['transcript'][number]

const FILE = 'run.json'
/** Characters. */
const MOST = 4 * 1024 ** 2
