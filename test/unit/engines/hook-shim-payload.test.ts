import { expect, test } from 'vitest'
import { touchedFile, universalCalls } from '../../../src/engines/hook-shim-payload.ts'

const PATCH = `*** Begin Patch
*** Add File: ../note.txt
+high water
*** Update File: src/app.ts
*** Move to: /etc/app.ts
@@
-a
+b
*** Delete File: old.txt
*** End Patch
`

test('a patch is told file by file, with absolute paths', () => {
  const calls = universalCalls({ tool_name: 'apply_patch', tool_input: { command: PATCH } }, '/w/workspace')
  expect(calls.map((call) => [call['toolName'], touchedFile(call)])).toEqual([
    ['Write', '/w/note.txt'],
    ['Edit', '/w/workspace/src/app.ts'],
    ['Edit', '/w/workspace/old.txt'],
    ['Write', '/etc/app.ts'],
  ])
})

test.for([{ tool_name: 'Bash', tool_input: { command: PATCH } }, { tool_name: 'apply_patch' }, {}])(
  '%j is told once, as it is',
  (payload) => {
    expect(universalCalls(payload, '/w')).toEqual([{}])
  },
)
