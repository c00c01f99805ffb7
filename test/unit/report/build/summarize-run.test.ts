import { expect, test } from 'vitest'
import { createRedactor } from '../../../../src/gateway/redact.ts'
import { snippetOf } from '../../../../src/report/build/summarize-run.ts'

test('the snippet of an output is its first 500 characters, without secrets', () => {
  const redactor = createRedactor({ API_KEY: 'hunter2-hunter22' })
  expect(snippetOf('short', redactor)).toBe('short')
  expect(snippetOf('x'.repeat(600), redactor)).toBe('x'.repeat(500))
  expect(snippetOf(`hunter2-hunter22${'x'.repeat(600)}`, redactor)).toBe(`[REDACTED:API_KEY]${'x'.repeat(482)}`)
})
