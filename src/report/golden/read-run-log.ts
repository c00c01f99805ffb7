import { join } from 'node:path'
import { isJsonObject, tryParseJson, type JsonObject } from '../../json.ts'
import { listNames, readTextFile } from '../../files.ts'
import type { RunLogLine } from './run-log-line.ts'

/** What could be read of the logs of a folder. */
export interface ReadLog {
  readonly lines: readonly JsonObject[]
  /** Lines that are no JSON objects: half a line of a run that was killed, or not of the format. */
  readonly broken: number
}

/** Reads every `<date>.jsonl` of a folder, oldest first. A folder that is not there has none. */
export function readLogFolder(folder: string): ReadLog {
  const lines: JsonObject[] = []
  let broken = 0
  for (const name of namesIn(folder)) {
    for (const text of readTextFile(join(folder, name)).split('\n')) {
      if (text.trim() === '') continue
      const value = tryParseJson(text)
      if (isJsonObject(value)) lines.push(value)
      else broken += 1
    }
  }
  return { lines, broken }
}

/** The lines of golden tests, for reading them again. Lines of another shape are left out. */
export function readRunLog(evalsDir: string): readonly RunLogLine[] {
  const { lines } = readLogFolder(join(evalsDir, 'runs'))
  return lines.filter(isRunLogLine)
}

function isRunLogLine(line: JsonObject): line is JsonObject & RunLogLine {
  return ['ts', 'test_id', 'verdict', 'agent'].every((key) => typeof line[key] === 'string')
}

function namesIn(folder: string): readonly string[] {
  return listNames(folder)
    .filter((name) => /^\d{4}-\d\d(-\d\d)?.*\.jsonl$/.test(name))
    .toSorted()
}
