// @module-tag claude-code
// @module-tag slow
import { describe, expect, test } from 'vitest'
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/command.ts'
import { USERS, vitestOf } from '../support/another-user.ts'
import { startModelApis, type ApiRequest } from '../support/model-apis.ts'
import type { ConformingEngine } from '../support/conformance/engines.ts'
import { installedEngines, variablesOf } from '../support/conformance/matrix.ts'
import { readReports } from '../support/eval-project.ts'
import { createPackage } from '../support/package-run.ts'

/** Variables that hold a key, how the key gets to the API, what its dummy looks like, and the model that engines are asked by. */
const CREDENTIALS = [
  {
    variable: 'ANTHROPIC_API_KEY',
    header: 'x-api-key',
    value: 'sk-ant-real-1234',
    dummy: 'sk-ant-api03-',
    model: 'claude-sonnet-4-5',
    user: USERS.at(-1)!,
  },
  {
    variable: 'ANTHROPIC_AUTH_TOKEN',
    header: 'authorization',
    value: 'Bearer at-real-1234',
    dummy: 'agent-evals-',
    model: 'claude-sonnet-4-5',
    user: USERS[0]!,
  },
  {
    variable: 'CLAUDE_CODE_OAUTH_TOKEN',
    header: 'authorization',
    value: 'Bearer oa-real-1234',
    dummy: 'sk-ant-oat01-',
    model: 'claude-sonnet-4-5',
    user: USERS.at(-1)!,
  },
  {
    variable: 'OPENAI_API_KEY',
    header: 'authorization',
    value: 'Bearer sk-real-1234',
    dummy: 'sk-proj-',
    model: 'gpt-5',
    user: USERS.at(-1)!,
  },
  {
    variable: 'ATOMIC_AGENTS_OPENAI_KEY',
    header: 'authorization',
    value: 'Bearer sk-real-1234',
    dummy: 'sk-proj-',
    model: 'gpt-5',
    user: USERS[0]!,
  },
]

const bubblewrap = await probeBubblewrap(process.env)
const installed = await installedEngines()
const RUNS = CREDENTIALS.map((credential) => ({
  ...credential,
  engines: installed.filter(({ name }) => credential.model === (name === 'codex' ? 'gpt-5' : 'claude-sonnet-4-5')),
}))

describe.skipIf(!bubblewrap.works)('a credential', { tags: ['claude-code', 'codex', 'copilot'] }, () => {
  test.for(RUNS)(
    'A4 and A5: of $variable is used for $model, and no agent finds more than its dummy, as $user',
    async ({ variable, header, value, dummy, model, user, engines }) => {
      await using apis = await startModelApis((request) => {
        const engine = engines.find((one) => isAsked(one, request))
        return engine === undefined ? ['done'] : [...looks(apis.port).map((look) => engine.shell(look)), 'done']
      })
      await using vitest = await vitestOf(user)
      await using project = await createPackage({
        major: vitest.major,
        options: JSON.stringify({
          sandbox: 'bubblewrap',
          engines: Object.fromEntries(engines.map(({ name, path }) => [name, path])),
        }),
        // What it lacks keeps the judge out, whose requests are none of the agent's.
        cases: { looks: { expected: { contains: ['absent'] } } },
      })
      vitest.own(project)
      const finished = await project.run(['run', '--project', 'evals'], {
        merged: true,
        env: {
          AGENT_EVALS_ENGINE: engines.map(({ name }) => name).join(),
          AGENT_EVALS_SOURCE: 'live',
          AGENT_EVALS_MODEL: model,
          ...(await variablesOf(engines)),
          ANTHROPIC_BASE_URL: apis.url,
          OPENAI_BASE_URL: `${apis.url}/v1`,
          [variable]: value.replace('Bearer ', ''),
        },
      })
      const reports = await readReports(project)
      expect(
        reports.flatMap(({ cases }) => cases.map(({ name, error }) => `${name}: ${error}`)).toSorted(),
        finished.all,
      ).toEqual(
        engines.map(
          ({ name }) =>
            `${engines.length === 1 ? 'looks' : `looks (${name})`}: expected the output to contain "absent" but it does not`,
        ),
      )
      for (const engine of engines) {
        const requests = apis.requests.filter((request) => isAsked(engine, request))
        expect(requests.map(({ headers }) => headers[header])).toEqual(requests.map(() => value))
        const { body } = requests.at(-1)!
        expect(body.match(/\w+-real-1234/g)).toBeNull()
        expect(body).toContain(dummy)
        expect(body).toContain('no key in 0 files')
        expect(body).toContain('only the gateway answers')
        expect(body).not.toContain('the API answers')
      }
      expect(`${JSON.stringify(reports)}${finished.all}`).not.toContain('-real-1234')
    },
  )
})

// A CLI calls itself by its engine's name, more or less; Copilot tells no name, but who it asks for.
function isAsked(engine: ConformingEngine, { headers }: ApiRequest): boolean {
  if (engine.name === 'copilot') return headers['x-initiator'] !== undefined
  return headers['user-agent']?.includes(engine.name.replace('-code', '')) === true
}

/** Commands of an agent that looks for keys and for a way around the gateway; none of them may find itself. */
function looks(port: number): readonly string[] {
  return [
    'env; cat /proc/[0-9]*/environ | tr "\\0" "\\n"',
    'echo no k""ey in $(grep -rsl "\\-rea[l]-1234" /workspace /home /tmp /run /opt /etc /var | wc -l) files',
    `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null && echo the A""PI answers || echo only the gate""way answers`,
  ]
}
