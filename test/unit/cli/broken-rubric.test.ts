import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { planAsked } from '../../../src/cli/find/name-cases.ts'
import { loadSuites } from '../../../src/cli/find/search.ts'
import { resolveOptions } from '../../../src/options/resolve-options.ts'
import { CLERK, golden } from '../../support/agent-fixture.ts'

test('with a broken rubric a test that is named by its id is run, so that its file says what is broken', async () => {
  await using fixture = await createFixture({
    ...CLERK,
    'clerk/evals/rubric.md': '---\nweights: none\n---\n',
    'clerk/evals/golden/happy/001_hours.md': golden('001_hours'),
    'clerk/evals/golden/edge/002_night.md': golden('002_night', { category: 'edge' }),
  })
  const root = fixture.path.replace(/\/$/, '')
  const asked = { filters: ['clerk'], test: '001_hours', pattern: null }
  const { filters } = planAsked(asked, await loadSuites(root), resolveOptions({}, {}))
  expect(filters).toEqual([`${root}/clerk/evals/golden/happy/001_hours.md`])
})
