import { expect, test } from 'vitest'
import { resolveConfig } from 'vitest/node'
import { showsAttachments } from '../../../../src/vitest/plugin/serve-run.ts'

test.for([
  [{}, false],
  [{ ui: true }, true],
  [{ reporters: ['default', 'html'] }, true],
  [{ reporters: [['html', { outputFile: 'a.html' }]] }, true],
  [{ reporters: ['default', 'junit'] }, false],
] as const)('Vitest with %j has something that shows attachments: %s', async ([options, expected]) => {
  const { vitestConfig } = await resolveConfig({ config: false, ...structuredClone(options) } as object)
  expect(showsAttachments(vitestConfig)).toBe(expected)
})
