import { expect, test } from 'vitest'
import { dependsOn, type DependenceRequest } from '../../../../src/session/inputs/collect.ts'
import { createInputCache } from '../../../../src/session/inputs/input-cache.ts'
import type { Target } from '../../../../src/formats/suite.ts'
import { pluginEvalCase } from '../../../support/plugin-eval/plugin-case.ts'
import { agentPackage, AT, skillOf, suiteOf } from '../../../support/agent-package.ts'

const ROOT = '/package'
const PACKAGE = agentPackage(ROOT, {
  skills: [skillOf(ROOT, 'pdf'), skillOf(ROOT, 'mail')],
  agents: [
    {
      name: 'writer',
      description: '',
      file: `${ROOT}/agents/writer/agent.yaml`,
      promptFile: `${ROOT}/agents/writer/prompt.md`,
      prompt: '',
      skills: ['mail'],
      tools: [],
    },
  ],
})

function request(target: Target | null, more: Partial<DependenceRequest> = {}): DependenceRequest {
  const named = (path: string) => [{ from: `${ROOT}/evals/fixtures/${path}`, to: path, at: AT }]
  return {
    suite: suiteOf(ROOT),
    evalCase: {
      kind: 'task',
      target,
      files: named('in.txt'),
      workspaceFiles: [],
      overlays: [`${ROOT}/evals/overlays/base`],
    },
    package: PACKAGE,
    answers: [`${ROOT}/evals/scenarios/a.yaml`, `${ROOT}/evals/recordings/cases/a`],
    skillsUsed: new Set(),
    ...more,
  }
}

const dependences = (asked: DependenceRequest, paths: readonly string[]): readonly string[] => {
  const cache = createInputCache()
  return paths.map((path) => `${path} ${dependsOn(`${ROOT}/${path}`, asked, cache)}`)
}

const PARTS = [
  'skills/pdf/SKILL.md',
  'skills/pdf/scripts/new.sh',
  'skills/mail/SKILL.md',
  'skills/mail/scripts/send.sh',
  'agents/writer/prompt.md',
  'hooks/guard.sh',
  'rules/new/RULE.md',
  'NEW.md',
]

test('a case of a skill depends on that skill and on what every session has', () => {
  expect(dependences(request({ kind: 'skill', name: 'pdf' }), PARTS)).toEqual([
    'skills/pdf/SKILL.md true',
    'skills/pdf/scripts/new.sh true',
    'skills/mail/SKILL.md false',
    'skills/mail/scripts/send.sh false',
    'agents/writer/prompt.md false',
    'hooks/guard.sh true',
    'rules/new/RULE.md true',
    'NEW.md true',
  ])
})

test('a case of an agent depends on the skills it has, and any case on the skills it has used', () => {
  const skills = ['skills/pdf/scripts/new.sh', 'skills/mail/scripts/send.sh', 'agents/writer/prompt.md']
  expect(dependences(request({ kind: 'agent', name: 'writer' }), skills)).toEqual([
    'skills/pdf/scripts/new.sh false',
    'skills/mail/scripts/send.sh true',
    'agents/writer/prompt.md true',
  ])
  const hook = request({ kind: 'hook', name: 'pre-tool-use' }, { skillsUsed: new Set(['pdf']) })
  expect(dependences(hook, skills)).toEqual([
    'skills/pdf/scripts/new.sh true',
    'skills/mail/scripts/send.sh false',
    'agents/writer/prompt.md false',
  ])
})

test('a case without a target depends on the whole package', () => {
  expect(dependences(request(null), PARTS)).toEqual(PARTS.map((path) => `${path} true`))
})

test('a case depends on its own files, whether they exist or not, and on no others of the evals', () => {
  expect(
    dependences(request({ kind: 'skill', name: 'pdf' }), [
      'evals/cases/a.yaml',
      'evals/eval-config.json',
      'evals/fixtures/in.txt',
      'evals/fixtures/in.txt/deeper',
      'evals/overlays/base/docs/a.md',
      'evals/scenarios/a.yaml',
      'evals/recordings/cases/a/claude-code.1.json',
      'evals/cases/b.yaml',
      'evals/fixtures/other.txt',
      'evals/recordings/cases/ab/claude-code.1.json',
      'skills/pdf/tests/cases/a.yaml',
      '../elsewhere/skills/pdf/SKILL.md',
    ]),
  ).toEqual([
    'evals/cases/a.yaml true',
    'evals/eval-config.json true',
    'evals/fixtures/in.txt true',
    'evals/fixtures/in.txt/deeper true',
    'evals/overlays/base/docs/a.md true',
    'evals/scenarios/a.yaml true',
    'evals/recordings/cases/a/claude-code.1.json true',
    'evals/cases/b.yaml false',
    'evals/fixtures/other.txt false',
    'evals/recordings/cases/ab/claude-code.1.json false',
    'skills/pdf/tests/cases/a.yaml false',
    '../elsewhere/skills/pdf/SKILL.md false',
  ])
})

test('a query depends on its skill and not on those beside it, not even on one that was just added', () => {
  const skills = `${ROOT}/skills`
  const suite = {
    ...suiteOf(ROOT),
    skill: { name: 'pdf', dir: `${skills}/pdf`, projectRoot: ROOT, evalsDir: `${skills}/pdf/evals` },
  }
  const query = {
    files: [],
    workspaceFiles: [],
    target: null,
    kind: 'trigger' as const,
    trigger: { skill: 'pdf', shouldTrigger: true, runs: null, threshold: null },
  }
  const siblings = agentPackage(skills, {
    skills: [{ ...skillOf(ROOT, 'pdf') }],
  })
  const asked = request(null, { suite, evalCase: query, package: siblings })
  expect(
    dependences(asked, ['skills/pdf/run.sh', 'skills/new/SKILL.md', 'skills/new/run.sh', 'hooks/guard.sh']),
  ).toEqual(['skills/pdf/run.sh true', 'skills/new/SKILL.md false', 'skills/new/run.sh false', 'hooks/guard.sh false'])
})

test('a plugin eval depends on its folder, the mocks above it and every plugin that it loads', () => {
  const pluginEval = pluginEvalCase({
    caseDir: `${ROOT}/evals/group/one`,
    evalsDir: `${ROOT}/evals`,
    pluginDirs: [ROOT, '/package/further'],
  })
  const asked = request(null)
  const paths = [
    'evals/group/one/graders/new.md',
    'evals/mocks/tracker/create.md',
    'evals/group/mocks/.replay/tracker/a.json',
    'further/skills/bye/SKILL.md',
    'evals/group/two/prompt.md',
  ]
  expect(dependences({ ...asked, evalCase: { ...asked.evalCase, kind: 'plugin-eval', pluginEval } }, paths)).toEqual([
    'evals/group/one/graders/new.md true',
    'evals/mocks/tracker/create.md true',
    'evals/group/mocks/.replay/tracker/a.json true',
    'further/skills/bye/SKILL.md true',
    'evals/group/two/prompt.md false',
  ])
})
