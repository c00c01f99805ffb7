import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { findStale } from '../../../src/recordings/stale.ts'
import { conversationOf, mainThread, ours, record, turnOf } from '../../support/recorded-conversation.ts'
import type { PackageTexts } from '../../../src/recordings/visible-texts.ts'

const BODY = 'Read the file first.\nThen run scripts/extract.sh on it.\nNever guess what it holds.'

test.for([
  ['below a front matter', '---\nname: a\ndescription: Extracts.\n---\n\n', 8],
  ['at the top', '', 3],
] as const)('the line of an edit counts from the file: %s', async ([, front, line]) => {
  const edited = BODY.replace('guess', 'invent')
  await using fixture = await createFixture({ 'SKILL.md': `${front}${edited}\n` })
  const withFile = (body: string): PackageTexts => {
    const { texts, ...rest } = ours({ 'SKILL.md#body': body })
    return { ...rest, texts: texts.map((text) => ({ ...text, file: fixture.getPath('SKILL.md') })) }
  }
  const session = conversationOf(mainThread(turnOf({ texts: [BODY] })))
  const recording = record(session, withFile(BODY))
  const stale = findStale(recording, {
    conversation: conversationOf(mainThread(turnOf({ texts: [edited] }))),
    ours: withFile(edited),
    inputs: [{ path: 'SKILL.md', role: 'skill', hash: 'after' }],
    engineVersion: '2.1.330',
  })
  expect(stale).toMatchObject([{ path: 'SKILL.md', part: 'body', line, why: 'changed' }])
})
