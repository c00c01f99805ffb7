// @module-tag claude-code
// @module-tag slow
import { describe, expect, test } from 'vitest'
import { caseSlug } from '../../src/case/plan/plan-case.ts'
import { claudeExecutable } from '../support/engines.ts'
import { repositoryVitest } from '../support/majors.ts'
import { durableProject, type DurableProject } from '../support/durable-project.ts'

const vitest4 = repositoryVitest()
const SKILL = '---\nname: notes\ndescription: Writes notes.\n---\nWrite them.\n'
const FILES = {
  'skills/notes/SKILL.md': SKILL,
  // A file that cannot be read leaves every run unfinished.
  'evals/cases/broken.yaml': 'name: broken\n',
}

describe.skipIf(claudeExecutable() === null)('a run that is resumed', { tags: ['claude-code'] }, () => {
  test('takes over a result only while nothing that it depends on has changed', async () => {
    await using durable = await durableProject(
      vitest4,
      { 'c-1': 'quick' },
      { files: FILES, workers: 'one', engine: 'shell' },
    )
    const { files } = durable.project
    expect(await resume(durable)).toEqual(['c-1 is new'])
    expect(await resume(durable)).toEqual(['c-1 is reused'])

    const text = await files.readFile('evals/cases/c-1.yaml', 'utf8')
    await files.writeFile('evals/cases/c-1.yaml', `# A remark.\n${text}`)
    expect(await resume(durable)).toEqual(['c-1 is reused'])
    await files.writeFile('evals/cases/c-1.yaml', text.replace('echo Hello', 'echo Hello; true'))
    expect(await resume(durable)).toEqual(['c-1 is new'])
    await files.writeFile('skills/notes/SKILL.md', `${SKILL}Quickly.\n`)
    expect(await resume(durable)).toEqual(['c-1 is new'])
    expect(await resume(durable, { AGENT_EVALS_MODEL: 'claude-opus-4-1' })).toEqual(['c-1 is new'])
    expect(await resume(durable, { AGENT_EVALS_JUDGE: 'claude-opus-4-1' })).toEqual(['c-1 is new'])
    expect(await resume(durable, { AGENT_EVALS_TIMEOUT: '99' })).toEqual(['c-1 is new'])
    expect(await resume(durable, { AGENT_EVALS_RESUME: '0' })).toEqual(['c-1 is new'])
    expect(await resume(durable)).toEqual(['c-1 is reused'])
  })

  test('takes over the runs of trigger queries, however many are asked for then', async () => {
    const query = {
      id: 't-',
      prompt: 'note this',
      trigger: { skill: null, shouldTrigger: false, runs: null, threshold: null },
    }
    const files = {
      ...FILES,
      [`evals/scenarios/${caseSlug(query)}.yaml`]: 'turns:\n  - text: Noted.\n',
      'skills/notes/evals/triggers.json': JSON.stringify([{ query: 'note this', should_trigger: false }]),
    }
    await using durable = await durableProject(vitest4, {}, { files, workers: 'one' })
    const env = { AGENT_EVALS_RUNS: '2' }
    expect(await resume(durable, env)).toEqual(['note this is new'])
    expect(await resume(durable, env)).toEqual(['note this is reused'])
    expect(await resume(durable, { AGENT_EVALS_RUNS: '1' })).toEqual(['note this is reused'])
    expect(await resume(durable, { AGENT_EVALS_RUNS: '3' })).toEqual(['note this is new'])
  })
})

async function resume(durable: DurableProject, env: Record<string, string> = {}): Promise<readonly string[]> {
  await durable.start([], { AGENT_EVALS_RESUME: '1', ...env }).finished
  const report = (await durable.reports()).at(-1)
  return report!.cases
    .filter(({ outcome }) => outcome === 'passed' || outcome === 'failed')
    .map(({ name, reused_from }) => `${name} is ${reused_from === null ? 'new' : 'reused'}`)
}
