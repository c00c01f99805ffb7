import { readFile } from 'node:fs/promises'
import { createFixture } from 'fs-fixture'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { withUnstableLines } from '../../../src/recordings/build.ts'
import { formatRecording, readRecording, recordingFile, writeRecording } from '../../../src/recordings/store.ts'
import { readJudgePart, withJudgePart, type Recording } from '../../../src/recordings/recording.ts'
import { recordingSchema } from '../../../src/recordings/schema.ts'
import {
  agentThread,
  call,
  conversationOf,
  FORM,
  mainThread,
  ours,
  record,
  turnOf,
} from '../../support/recorded-conversation.ts'

const CONVERSATION = conversationOf(
  mainThread(
    // The input's own fields look like ours, and are kept.
    turnOf({ texts: ['Be brief.'], says: [call('t1', 'Bash', { command: 'ls', results: '', given: '' })] }),
    turnOf({ results: [{ id: 't1', text: 'a\n10:01', isError: true }] }),
  ),
  agentThread('Look.', turnOf({ answer: null }), turnOf({ results: [{ id: 't2', text: '', isError: false }] })),
)
const RECORDING: Recording = withJudgePart(
  withUnstableLines(
    record(CONVERSATION, ours({ 'rules/a.md#rule': 'Be brief.' })),
    conversationOf(mainThread(turnOf({}), turnOf({ results: [{ id: 't1', text: 'a\n10:02', isError: true }] }))),
    FORM,
  ),
  { hash: { criteria: 'c', prompt: 'p', model: 'm' }, answers: [{ usage: null, results: [] }] },
)

describe('the file of a recording', () => {
  const place = {
    packageRoot: '/package',
    format: 'aam',
    suite: 'evals/cases/pdf.yaml',
    caseId: 'pdf',
    engine: 'claude-code',
    arm: 'with_skill',
    run: 1,
  } as const

  test.for([
    [{}, 'cases/pdf/claude-code.1.json'],
    [{ run: 3, arm: 'without_skill' }, 'cases/pdf/claude-code.without_skill.3.json'],
    [{ format: 'evals-json', suite: 'evals/evals.json', caseId: '2' }, 'evals/2/claude-code.1.json'],
    [{ format: 'plugin-eval', suite: 'evals/pdf/prompt.md' }, 'evals/pdf/claude-code.1.json'],
    [{ format: 'plugin-eval', suite: 'evals/group/pdf/case.yaml' }, 'group/pdf/claude-code.1.json'],
    [{ format: 'plugin-eval', suite: 'evals/evals/pdf/case.yaml' }, 'evals/evals/pdf/claude-code.1.json'],
    [{ format: 'plugin-eval', suite: 'evals/evals/evals/pdf/case.yaml' }, 'evals/evals/evals/pdf/claude-code.1.json'],
    [{ format: 'typescript', suite: 'test/pdf.eval.ts', caseId: 'reads' }, 'test/pdf.eval/reads/claude-code.1.json'],
    [{ caseId: 'Größe & mehr' }, 'cases/Gr-e-mehr-9a6c0b/claude-code.1.json'],
    [{ caseId: '../up' }, 'cases/up-26c6b1/claude-code.1.json'],
  ] as const)('%j is %s', ([other, path]) => {
    const file = recordingFile({ ...place, ...other }).replace(/-[0-9a-f]{6}\//, '-<hash>/')
    expect(file).toBe(`/package/evals/recordings/${path.replace(/-[0-9a-f]{6}\//, '-<hash>/')}`)
  })
})

test('a recording is written for review and read back the same', async () => {
  await using fixture = await createFixture()
  const file = fixture.getPath('evals/recordings/cases/a/claude-code.1.json')
  writeRecording(file, RECORDING)
  expect(readRecording(file)).toEqual(RECORDING)
  expect(await fixture.readdir('evals/recordings/cases/a')).toEqual(['claude-code.1.json'])
  expect(await readFile(file, 'utf8')).toMatchInlineSnapshot(`
    "{
      "version": 2,
      "recordedAt": "2026-11-22T01:02:03.000Z",
      "origin": "claude-opus-5-5",
      "engine": { "name": "claude-code", "version": "2.1.330" },
      "platform": "linux-x64",
      "credential": "api-key",
      "model": { "asked": "claude-opus-5-5", "observed": "claude-opus-5-5" },
      "usage": null,
      "costUsd": null,
      "inputs": [{ "path": "skills/a/SKILL.md", "role": "package", "hash": "before" }],
      "lanes": [
        {
          "lane": "main",
          "turns": [
            {
              "sees": [{ "path": "rules/a.md", "part": "rule", "hash": "213c22ed7234" }],
              "answer": {
                "content": [
                  {
                    "kind": "tool-call",
                    "id": "t1",
                    "name": "Bash",
                    "input": { "command": "ls", "results": "", "given": "" }
                  }
                ],
                "stopReason": "end-turn"
              }
            },
            {
              "results": [{ "id": "t1", "isError": true, "lines": ["a", "10:01"], "unstable": [2] }],
              "answer": { "content": [{ "kind": "text", "text": "Done." }], "stopReason": "end-turn" }
            }
          ]
        },
        {
          "lane": "agent",
          "given": "Look.",
          "turns": [
            {
              "results": [{ "id": "t2" }],
              "answer": { "content": [{ "kind": "text", "text": "Done." }], "stopReason": "end-turn" }
            }
          ]
        }
      ],
      "judge": { "hash": { "criteria": "c", "prompt": "p", "model": "m" }, "answers": [{ "usage": null, "results": [] }] }
    }
    "
  `)
})

test('nothing there is no recording', async () => {
  await using fixture = await createFixture({ 'file.json': '' })
  expect(readRecording(fixture.getPath('none.json'))).toBeNull()
  expect(readRecording(fixture.getPath('file.json/below.json'))).toBeNull()
})

test.for([
  ['', 'Unexpected end of JSON input'],
  ['<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n', 'it contains the marks of a merge conflict'],
  ['[]', ': Invalid input: expected object, received array'],
  ['{"version":1}', 'it has version 1, and this program knows version 2'],
  ['{"version":2}', 'recordedAt: Invalid input: expected string, received undefined'],
] as const)('%j cannot be played', async ([text, why]) => {
  await using fixture = await createFixture({ 'a.json': text })
  const file = fixture.getPath('a.json')
  expect(() => readRecording(file)).toThrow(
    expect.objectContaining({
      code: 'recording-invalid',
      message: `${file} is not a valid recording: ${why}.`,
      remedy: 'Record it again.',
    }),
  )
})

test('a folder in its place cannot be played, and a file in place of its folder cannot be written', async () => {
  await using fixture = await createFixture({ 'a.json/file': '', taken: '' })
  expect(() => readRecording(fixture.getPath('a.json'))).toThrow(expect.objectContaining({ code: 'recording-invalid' }))
  expect(() => writeRecording(fixture.getPath('taken/a.json'), RECORDING)).toThrow(
    expect.objectContaining({ code: 'recording-unwritable' }),
  )
})

test('the judge is kept apart, and holds only while it is asked the same', () => {
  const hash = { criteria: 'c', prompt: 'p', model: 'm' }
  expect(readJudgePart(RECORDING, hash)).toBe(RECORDING.judge)
  for (const part of ['criteria', 'prompt', 'model'])
    expect(readJudgePart(RECORDING, { ...hash, [part]: 'x' })).toBeNull()
  expect(readJudgePart(withJudgePart(RECORDING, null), hash)).toBeNull()
})

test('the published schema is that of the program and takes what it writes', async () => {
  const { $schema, ...rest } = z.toJSONSchema(recordingSchema, { io: 'input' })
  await expect(`${JSON.stringify({ $schema, ...rest }, null, 2)}\n`).toMatchFileSnapshot(
    '../../../schemas/recording.schema.json',
  )
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile({ $schema, ...rest })
  expect(validate(JSON.parse(formatRecording(RECORDING))), JSON.stringify(validate.errors)).toBe(true)
})
