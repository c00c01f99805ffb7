import { appendFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { decodeEntry, encodeEntry, openJournal } from '../../../../src/report/results/journal.ts'
import { readJournals } from '../../../../src/report/results/read-journal.ts'
import { createRedactor } from '../../../../src/gateway/redact.ts'
import { caseResult, ended, plannedCase, started } from '../../../support/case-result.ts'

test('reads back what it wrote, in order', async () => {
  await using folder = await createFixture()
  await using journal = openJournal(folder.path)
  journal.plan(plannedCase('a'))
  journal.collected(plannedCase('a'))
  journal.start(plannedCase('a'))
  await journal.end(caseResult('a', { agent_output_snippet: 'line\u2028separator \n 🧪' }))
  await Promise.all(['b', 'c', 'd'].map((name) => journal.end(caseResult(name))))

  const { entries, skipped } = readJournals(folder.path)
  expect(
    entries.map((entry) =>
      entry.kind === 'case-start' || entry.kind === 'file-collected'
        ? `${entry.kind} ${entry.id}`
        : entry.kind === 'case-plan'
          ? `plan ${entry.planned.name}`
          : `end ${entry.result.name}`,
    ),
  ).toEqual([
    'plan a',
    'file-collected evals/cases/a.yaml#a',
    'case-start evals/cases/a.yaml#a',
    'end a',
    'end b',
    'end c',
    'end d',
  ])
  expect(entries[3]).toMatchObject({ result: caseResult('a', { agent_output_snippet: 'line\u2028separator \n 🧪' }) })
  expect(skipped).toEqual({ corrupt: 0, 'unknown-version': 0 })
  expect(readdirSync(folder.path)).toEqual([`journal.${process.pid}-0.jsonl`])
})

test('takes secrets out before they reach the disk', async () => {
  await using folder = await createFixture()
  await using journal = openJournal(folder.path, { redactor: createRedactor({ API_KEY: 'hunter2-hunter22' }) })
  await journal.end(caseResult('a', { agent_output_snippet: 'the key is hunter2-hunter22' }))
  const [file] = readdirSync(folder.path)
  expect(readFileSync(join(folder.path, file ?? ''), 'utf8')).not.toContain('hunter2-hunter22')
})

test('R8: skips torn, damaged and foreign lines and counts them', async () => {
  const whole = encodeEntry(ended(1, caseResult('a')))
  const future = encodeEntry({ ...started(2, plannedCase('b')), v: 1000 } as never)
  const unknownKind = encodeEntry({ ...started(2, plannedCase('b')), kind: 'judge-vote' } as never)
  await using folder = await createFixture({
    'journal.1-0.jsonl': `${whole}${whole.replace('passed', 'failed')}\n{}\nnull\n${future}${unknownKind}${whole.slice(0, 200)}`,
    'journal.2-0.jsonl': Buffer.concat([Buffer.from([0, 255, 10]), Buffer.from(whole)]),
    'journal.3-0.jsonl': '',
    'other.jsonl': 'no',
  })
  const { entries, skipped } = readJournals(folder.path)
  expect(entries).toHaveLength(2)
  expect(skipped).toEqual({ corrupt: 5, 'unknown-version': 2 })
})

test('R8: a line that was torn does not swallow the next one', async () => {
  await using folder = await createFixture()
  const file = join(folder.path, `journal.${process.pid}-0.jsonl`)
  writeFileSync(file, encodeEntry(ended(1, caseResult('a'))))
  appendFileSync(file, encodeEntry(ended(1, caseResult('torn'))).slice(0, 300))
  await using journal = openJournal(folder.path)
  await journal.end(caseResult('b'))
  const { entries, skipped } = readJournals(folder.path)
  expect(entries.flatMap((entry) => (entry.kind === 'case-end' ? [entry.result.name] : []))).toEqual(['a', 'b'])
  expect(skipped.corrupt).toBe(1)
})

test('reads lines that are longer than one piece', async () => {
  const long = caseResult('long', { agent_output_snippet: 'ü'.repeat(1_000_000) })
  const text = ['a', 'b'].map((name) => encodeEntry(ended(1, caseResult(name))))
  await using folder = await createFixture({
    'journal.1-0.jsonl': `${text[0]}${encodeEntry(ended(2, long))}${text[1]}`,
  })
  const { entries } = readJournals(folder.path)
  expect(entries.map((entry) => entry.kind === 'case-end' && entry.result.name)).toEqual(['a', 'long', 'b'])
  expect(entries).toContainEqual(expect.objectContaining({ result: long }))
})

test('R8: keeps the order of a worker when the clock jumps back', async () => {
  const text = [ended(100, caseResult('a')), ended(5, caseResult('b'))].map(encodeEntry).join('')
  await using folder = await createFixture({
    'journal.1-0.jsonl': text,
    'journal.2-0.jsonl': encodeEntry(ended(50, caseResult('c'))),
  })
  const names = readJournals(folder.path).entries.map((entry) => entry.kind === 'case-end' && entry.result.name)
  expect(names).toEqual(['c', 'a', 'b'])
})

test('a line survives its own encoding', () => {
  const entry = ended(1, caseResult('a'))
  expect(decodeEntry(encodeEntry(entry).trimEnd())).toEqual({ v: 3, ...entry })
})
