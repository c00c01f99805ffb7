// @module-tag claude-code
// @module-tag slow
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ArmOfCase } from '../../src/report/compare/comparison-schema.ts'
import type { Report } from '../../src/report/report.ts'
import { config } from '../support/eval-project.ts'
import { initialize } from '../support/git.ts'
import { repositoryVitest } from '../support/majors.ts'
import {
  startMessagesServer,
  type MessagesServer,
  type ReceivedRequest,
  type Turn,
} from '../support/messages-server.ts'
import { describeEvals } from '../support/package-run.ts'
import { createProject } from '../support/project.ts'
import { runEvals, skill } from '../support/skill-project.ts'

const [OLD, NEW] = ['Writes harsh notes.', 'Writes kind notes.']

/** The arm that a request is of, by the description that the model sees. */
function armOf({ body }: ReceivedRequest): 'after' | 'before' | null {
  const text = JSON.stringify(body)
  return text.includes(NEW) ? 'after' : text.includes(OLD) ? 'before' : null
}

/** A model that copies what it is told of its skills, and uses the kind skill only, but for what asks for notes at any rate. */
function startModel(): Promise<MessagesServer> {
  return startMessagesServer((request): Turn => {
    const asked = nameOf(request)
    const isKind = armOf(request) === 'after'
    if (request.index === 0 && (asked === 'one' || asked === 'two'))
      return { tools: [{ name: 'Bash', input: { command: 'cat .claude/skills/*/SKILL.md > seen.txt' } }] }
    if (request.index === 0 && (asked === 'always' || (asked === 'query' && isKind)))
      return { tools: [{ name: 'Skill', input: { skill: 'notes' } }] }
    return { text: isKind ? 'Here are kind notes.' : 'Here are harsh notes.' }
  })
}

/** The case that a request is of, by its prompt. */
function nameOf({ body }: ReceivedRequest): string {
  return /Case (\w+):/.exec(JSON.stringify(body.messages))?.[1] ?? ''
}

function isQuery(name: string): boolean {
  return name === 'query' || name === 'always'
}

const live = (upstream: MessagesServer): NodeJS.ProcessEnv => ({
  ANTHROPIC_BASE_URL: upstream.url,
  ANTHROPIC_API_KEY: 'sk-ant-api03-scripted',
  AGENT_EVALS_SOURCE: 'live',
  AGENT_EVALS_MODEL: 'claude-sonnet-4-5',
  AGENT_EVALS_MAX_COST_USD: '1000',
  AGENT_EVALS_RUNS: '2',
  AGENT_EVALS_CONCURRENCY: '1',
  AGENT_EVALS_AGAINST: 'HEAD',
})

describeEvals('a live run --against', () => {
  test('runs every kind of case in both arms', async () => {
    await using upstream = await startModel()
    await using project = await createProject(repositoryVitest(), {
      'vitest.config.ts': config("{ sandbox: 'prefer' }"),
      '.gitignore': 'node_modules\n.vitest\nevals/reports\n',
      '.claude-plugin/plugin.json': '{ "name": "notes-plugin", "version": "1.0.0" }',
      'skills/notes/SKILL.md': skill('notes', OLD),
      'skills/notes/evals/evals.json': JSON.stringify({
        evals: ['one', 'two'].map((id) => ({
          id,
          prompt: `Case ${id}: write.`,
          expectations: [{ 'file-contains': { path: 'seen.txt', text: 'kind notes' } }],
        })),
      }),
      'skills/notes/evals/triggers.json': JSON.stringify(
        ['query', 'always'].map((id) => ({ id, query: `Case ${id}: notes, please.`, should_trigger: true })),
      ),
      'evals/graded/prompt.md': '---\nruns: 2\n---\nCase graded: write.\n',
      'evals/graded/graders/kind.md': '---\ntype: regex\n---\nkind\n',
      'code.eval.ts': [
        "import { expect, test } from 'vitest-agent-evals/test'",
        "test('code', async ({ agent }) => {",
        "  const run = await agent.run('Case code: write.')",
        "  expect(run).toContainOutput('kind')",
        '})',
      ].join('\n'),
    })
    initialize(project.root)
    await writeFile(join(project.root, 'skills/notes/SKILL.md'), skill('notes', NEW))
    const { report, all } = await runEvals(project, [], live(upstream))
    const better = (runs: number): string => `compared: failed 0/${runs} live, passed ${runs}/${runs} live, +1`
    expect(comparisons(report), all).toEqual({
      one: better(2),
      two: better(2),
      code: better(1),
      graded: better(2),
      'Case query: notes, please.': better(2),
      'Case always: notes, please.': 'compared: passed 2/2 live, passed 2/2 live, +0',
    })
    const sessions = upstream.requests.filter((request) => request.index === 0 && armOf(request) !== null)
    const lead = new Map<string, number>()
    for (const request of sessions) {
      const name = nameOf(request)
      lead.set(name, (lead.get(name) ?? 0) + (armOf(request) === 'after' ? 1 : -1))
    }
    expect(Object.fromEntries(lead)).toEqual({ one: 0, two: 0, code: 0, graded: 0, query: 0, always: 0 })
    // First turns of trigger queries take no place, so all runs ask at once: not those of one arm, and then the others.
    const arms = sessions.filter((request) => isQuery(nameOf(request))).map(armOf)
    expect(new Set(arms.slice(0, arms.length / 2)), arms.join()).toEqual(new Set(['after', 'before']))
  })
})

function comparisons({ against }: Report): Readonly<Record<string, string>> {
  const sideOf = (arm: ArmOfCase | null): string => `${arm?.outcome} ${arm?.passed}/${arm?.completed} ${arm?.answers}`
  return Object.fromEntries(
    (against?.result.cases ?? []).map(({ name, status, before, after, change }) => [
      name,
      `${status}: ${sideOf(before)}, ${sideOf(after)}, +${change}`,
    ]),
  )
}
