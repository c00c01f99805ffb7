import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileTree } from 'fs-fixture'
import type { ReportCase } from '../../../src/report/report.ts'
import type { TranscriptEvent } from '../../../src/transcript/transcript.ts'
import { repositoryVitest, type VitestMajor } from '../majors.ts'
import type { TestProject } from '../project.ts'
import { readReports } from '../eval-project.ts'
import { createPackage, scenarioFile, type WrittenCase } from '../package-run.ts'
import { ENGINES, type ConformingEngine } from './engines.ts'
import { PARTS } from './package.ts'
import type { Story } from './stories.ts'

/** An engine that is installed. */
export type InstalledEngine = ConformingEngine & { readonly path: string }

/** A project in which every engine plays every story. */
export interface StoryProject extends AsyncDisposable {
  readonly project: TestProject
  readonly engines: readonly InstalledEngine[]
  /** What makes one run of all of it: variables of its environment. */
  readonly env: Readonly<Record<string, string>>
}

/** What a run of them left. */
export interface PlayedStories {
  caseOf(engine: ConformingEngine, story: Pick<Story, 'name'>): ReportCase
  transcriptOf(engine: ConformingEngine, story: Pick<Story, 'name'>): Promise<readonly TranscriptEvent[]>
}

/** What is written of a story: its case, and the turns of each engine. */
type WrittenStory = Omit<WrittenCase, 'turns'> & Pick<Story, 'name' | 'turns'>

/** Writes the stories into one project: a scenario for each engine, one case for all. */
export async function createStoryProject(
  stories: readonly WrittenStory[],
  options: object,
  major: VitestMajor = repositoryVitest(),
  files: FileTree = {},
): Promise<StoryProject> {
  const engines = await installedEngines()
  const paths = Object.fromEntries(engines.map(({ name, path }) => [name, path]))
  const variables = await variablesOf(engines)
  const project = await createPackage({
    cases: Object.fromEntries(stories.map((story) => [story.name, withoutTurns(story)])),
    options: JSON.stringify({ ...options, engines: paths }),
    major,
    workers: 'default',
    files: {
      ...PARTS,
      ...files,
      ...Object.fromEntries(
        stories.flatMap(({ name, turns }) =>
          engines.map((engine) => [`evals/scenarios/${name}.${engine.name}.yaml`, scenarioFile(turns(engine))]),
        ),
      ),
    },
  })
  return {
    project,
    engines,
    env: {
      AGENT_EVALS_ENGINE: engines.map(({ name }) => name).join(),
      AGENT_EVALS_JUDGE: 'claude-sonnet',
      ...variables,
    },
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  }
}

// Its turns are an engine's own.
function withoutTurns({ turns: _turns, ...written }: WrittenStory): WrittenCase {
  return written
}

/** Those of {@link ENGINES} whose program is or can be installed here. */
export async function installedEngines(): Promise<readonly InstalledEngine[]> {
  const paths = await Promise.all(ENGINES.map((engine) => engine.program()))
  return ENGINES.flatMap((engine, index) => {
    const path = paths[index] ?? null
    return path === null ? [] : [{ ...engine, path }]
  })
}

/** What the programs of these engines need besides. */
export async function variablesOf(
  engines: readonly Pick<ConformingEngine, 'variables'>[],
): Promise<Readonly<Record<string, string>>> {
  const all = await Promise.all(engines.map(async (engine) => (await engine.variables?.()) ?? {}))
  return Object.fromEntries(all.flatMap((variables) => Object.entries(variables)))
}

/** Reads the report of each engine. */
export async function readPlayed({ project, engines }: StoryProject, output: string): Promise<PlayedStories> {
  const cases = (await readReports(project)).flatMap((report) => report.cases)
  const caseOf: PlayedStories['caseOf'] = (engine, { name }) => {
    const wanted = engines.length === 1 ? name : `${name} (${engine.name})`
    const found = cases.filter((one) => one.name === wanted && one.engine === engine.name)
    if (found.length !== 1) throw new Error(`${wanted} is ${found.length} times in the reports.\n${output}`)
    return found[0]!
  }
  return {
    caseOf,
    async transcriptOf(engine, story) {
      const folder = caseOf(engine, story).runs[0]?.folder
      if (folder == null) return []
      const text = await readFile(join(project.root, folder, 'transcript.jsonl'), 'utf8')
      return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as TranscriptEvent]))
    },
  }
}
