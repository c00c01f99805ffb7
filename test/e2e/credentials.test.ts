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

/** Of each API: a variable that holds its key, how the key gets there, and what its dummy looks like. */
const ROWS = [
  {
    anthropic: {
      variable: 'ANTHROPIC_API_KEY',
      header: 'x-api-key',
      value: 'sk-ant-real-1234',
      dummy: 'sk-ant-api03-',
    },
    openai: { variable: 'OPENAI_API_KEY', header: 'authorization', value: 'Bearer sk-real-1234', dummy: 'sk-proj-' },
    user: USERS.at(-1)!,
  },
  {
    anthropic: {
      variable: 'ANTHROPIC_AUTH_TOKEN',
      header: 'authorization',
      value: 'Bearer at-real-1234',
      dummy: 'agent-evals-',
    },
    openai: {
      variable: 'ATOMIC_AGENTS_OPENAI_KEY',
      header: 'authorization',
      value: 'Bearer sk-real-1234',
      dummy: 'sk-proj-',
    },
    user: USERS[0]!,
  },
  {
    anthropic: {
      variable: 'CLAUDE_CODE_OAUTH_TOKEN',
      header: 'authorization',
      value: 'Bearer oa-real-1234',
      dummy: 'sk-ant-oat01-',
    },
    openai: { variable: 'OPENAI_API_KEY', header: 'authorization', value: 'Bearer sk-real-1234', dummy: 'sk-proj-' },
    user: USERS.at(-1)!,
  },
]

const bubblewrap = await probeBubblewrap(process.env)
const installed = await installedEngines()
// A model is asked of all engines of a run.
const GROUPS = [...new Set(installed.map(({ liveModel }) => liveModel))].map((model) => {
  const engines = installed.filter(({ liveModel }) => liveModel === model)
  return { model, engines, who: engines.map(({ name }) => name).join(' and ') }
})
const RUNS = ROWS.flatMap((row) => GROUPS.map((group) => ({ ...row, ...group })))

describe.skipIf(!bubblewrap.works)('a credential', { tags: ['claude-code', 'codex', 'copilot'] }, () => {
  test.for(RUNS)(
    'A4 and A5: of $anthropic.variable and $openai.variable is used by $who, and no agent finds more than its dummy, as $user',
    async ({ anthropic, openai, user, engines, model }) => {
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
          ...(model === null ? {} : { AGENT_EVALS_MODEL: model }),
          ...(await variablesOf(engines)),
          ANTHROPIC_BASE_URL: apis.url,
          OPENAI_BASE_URL: `${apis.url}/v1`,
          [anthropic.variable]: anthropic.value.replace('Bearer ', ''),
          [openai.variable]: openai.value.replace('Bearer ', ''),
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
        const { header, value, dummy } = requests[0]?.path.endsWith('/messages') === true ? anthropic : openai
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
