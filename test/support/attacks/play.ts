import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { glob } from 'tinyglobby'
import type { Report } from '../../../src/report/report.ts'
import type { TranscriptEvent } from '../../../src/transcript/transcript.ts'
import { vitestOf } from '../another-user.ts'
import { variablesOf, type InstalledEngine } from '../conformance/matrix.ts'
import { config } from '../eval-project.ts'
import { liveTests } from '../live-sessions.ts'
import { streamTurn } from '../model-apis.ts'
import { createProject, type TestProject } from '../project.ts'
import { startRawUpstream, type RawAnswer, type RawRequest, type RawUpstream } from '../raw-upstream.ts'
import type { Files } from '../red-cases/aam.ts'
import type { FinishedProcess } from '../running-process.ts'
import { isRoot, openPlace } from '../sandbox-runtime.ts'
import type { Attack, Deed, Seen } from './attack.ts'
import { LIVE } from './deeds.ts'
import { MODELS } from './script.ts'
import { BUDGET, DEPLOY_TOKEN, OUTSIDE, REAL_KEY } from './sessions.ts'

/** Where attacks are tried. */
export interface Place {
  readonly engine: InstalledEngine
  readonly sandbox: 'bubblewrap' | 'sandbox-runtime'
  readonly user: string
}

/** What all attacks of a place left: one run of Vitest. */
export interface Played extends AsyncDisposable {
  readonly finished: FinishedProcess
  readonly reports: readonly Report[]
  readonly upstream: RawUpstream
  readonly project: TestProject
  /** What an attack or a twin left, by the name of its case. */
  seen(name: string): Seen
}

/**
 * Attacks that are tried at a place. Those that depend on no engine take turns, and in sandbox-runtime the files that
 * sessions leave are tried alone.
 */
export function attacksAt(place: Place, places: readonly Place[], attacks: readonly Attack[]): readonly Attack[] {
  const { engine, sandbox } = place
  const isPossible = ({ notAsRoot }: Attack, { user: another }: Place): boolean =>
    !(notAsRoot === true && isRoot && another === 'this user')
  if (sandbox !== 'bubblewrap') return attacks.filter((one) => one.promise === 3 && isPossible(one, place))
  const same = places.filter((one) => one.sandbox === sandbox)
  return attacks.filter((one, index) => {
    if (one.engines !== undefined) return one.engines.includes(engine.name) && isPossible(one, place)
    const possible = same.filter((other) => isPossible(one, other))
    return possible[index % possible.length] === place
  })
}

/** Names of cases, and what their sessions do. */
type Deeds = ReadonlyMap<string, Deed>

/** The case of the twin of an attack. */
export function twinOf({ name }: Pick<Attack, 'name'>): string {
  return `${name}-honest`
}

/** Plays all attacks and their twins at a place. */
export async function playAttacks(place: Place, attacks: readonly Attack[]): Promise<Played> {
  const deeds: Deeds = new Map(
    attacks.flatMap((attack): readonly (readonly [string, Deed])[] => [
      [attack.name, attack.does],
      ...(attack.twin === undefined ? [] : [[twinOf(attack), attack.twin] as const]),
    ]),
  )
  const upstream = await startRawUpstream(answerBy(deeds, place))
  mkdirSync(OUTSIDE, { recursive: true })
  writeFileSync(join(OUTSIDE, 'kept'), 'as it was')
  for (const path of [OUTSIDE, join(OUTSIDE, 'kept')]) chmodSync(path, 0o777)
  const opened = await open(place, deeds)
  const { project } = opened
  const finished = await project.run(['run', '--project', 'evals'], {
    merged: true,
    env: {
      AGENT_EVALS_ENGINE: place.engine.name,
      AGENT_EVALS_MODEL: MODELS[place.engine.name] ?? '',
      AGENT_EVALS_JUDGE: 'claude-sonnet',
      ...(await variablesOf([place.engine])),
      ...opened.env,
      ANTHROPIC_BASE_URL: upstream.url,
      OPENAI_BASE_URL: `${upstream.url}/v1`,
      ANTHROPIC_API_KEY: REAL_KEY,
      OPENAI_API_KEY: REAL_KEY,
      DEPLOY_TOKEN,
    },
  })
  const reports = await readAll(project)
  return {
    finished,
    reports,
    upstream,
    project,
    seen(name) {
      const found = reports.flatMap(({ cases }) => cases).find((one) => one.name === name)
      if (found === undefined) throw new Error(`The reports have no case ${name}.\n${finished.all}`)
      const folder = join(project.root, found.runs[0]?.folder ?? '')
      return {
        engine: place.engine.name,
        found,
        folder,
        results: resultsIn(folder),
        requests: upstream.requests.filter(({ body }) => sessionOf(body) === name),
      }
    },
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
      rmSync(OUTSIDE, { recursive: true, force: true })
    },
  }
}

/** Answers as the model of a session does, unless its deed has an answer of its own. */
function answerBy(deeds: Deeds, { engine }: Place): (request: RawRequest) => RawAnswer {
  let count = 0
  return (request) => {
    const name = sessionOf(request.body)
    const deed = deeds.get(name)
    const own = deed?.answer?.(request) ?? null
    if (own !== null) return own
    const command = deed?.command?.(name, engine)
    const turns = [...(command === undefined ? [] : [engine.shell(command)]), `${name} is done`]
    const path = request.target.split('?')[0] ?? ''
    return { type: 'text/event-stream', body: streamTurn({ path, body: request.body }, turns, ++count) }
  }
}

function sessionOf(body: string): string {
  return /This is session ([a-z-]+)\./.exec(body)?.[1] ?? ''
}

interface Opened extends AsyncDisposable {
  readonly project: TestProject
  readonly env: Readonly<Record<string, string>>
}

/** Makes the project that holds all cases, and gives it to the user. */
async function open({ engine, sandbox, user }: Place, deeds: Deeds): Promise<Opened> {
  const options = {
    sandbox,
    concurrency: 8,
    timeout: 120,
    ablation: 'none',
    readOnlyFixtures: true,
    maxCostUsd: 1000,
    maxCostUsdPerCase: BUDGET,
    engines: { [engine.name]: engine.path },
  }
  const live = [...deeds].flatMap(([name, { folder }]) => (folder === LIVE ? [name] : []))
  const files: Files = {
    ...(live.length === 0 ? {} : { [`${LIVE}/evals/sessions.eval.ts`]: liveTests(live) }),
    'vitest.config.ts': config(JSON.stringify(options)),
    ...Object.fromEntries(
      [...deeds].flatMap(([name, deed]) =>
        Object.entries(deed.files(name, engine)).map(([path, text]) => [`${deed.folder}/${path}`, text]),
      ),
    ),
  }
  if (sandbox === 'sandbox-runtime') return openPlace((major) => createProject(major, files, 'default'))

  const vitest = await vitestOf(user)
  const project = await createProject(vitest.major, files, 'default')
  vitest.own(project)
  return {
    project,
    env: {},
    async [Symbol.asyncDispose]() {
      await project[Symbol.asyncDispose]()
      await vitest[Symbol.asyncDispose]()
    },
  }
}

async function readAll({ root, files }: TestProject): Promise<readonly Report[]> {
  const names = await glob('*/evals/reports/*.json', { cwd: root })
  return Promise.all(names.map(async (name) => JSON.parse(await files.readFile(name, 'utf8')) as Report))
}

/** What the tools of a session answered. */
function resultsIn(folder: string): string {
  const file = join(folder, 'transcript.jsonl')
  if (!existsSync(file)) return ''
  const lines = readFileSync(file, 'utf8').split('\n')
  const events = lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line) as TranscriptEvent]))
  return events.flatMap((event) => (event.kind === 'tool-result' ? [event.text] : [])).join('\n')
}
