import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { REPOSITORY } from '../repository.ts'
import { CHILD, folderOf, PARITY_CASES, paritySuite } from './suite.ts'
import type { FileTree } from 'fs-fixture'
import type { Turn } from '../messages-server.ts'
import { turnsOf, type ParityCase } from './parity-case.ts'

/** The committed plugin whose evals replay without a model. */
export const EXAMPLE_PLUGIN = join(REPOSITORY, 'example-plugin')

/**
 * Cases of the suite that have a recording: those whose answers depend on nothing but the case, and that a scenario plays
 * alike: it has no empty answers, and tells sub-agents apart.
 */
export const EXAMPLE_CASES: readonly string[] = Object.entries(PARITY_CASES).flatMap(([name, one]) => {
  const turns = JSON.stringify(one.turns)
  const isPlayable = !turns.includes('${') && !turns.includes('"text":""') && name !== 'sub-agent'
  return one.differs === undefined && isPlayable ? [name] : []
})

/** The files of that plugin, without recordings and scenarios. */
export function exampleSuite(): Record<string, FileTree[string]> {
  const left = Object.keys(PARITY_CASES).filter((name) => !EXAMPLE_CASES.includes(name))
  const files = Object.entries(paritySuite()).filter(
    ([path]) => !path.startsWith('extra/') && !left.some((name) => path.startsWith(`${folderOf(name)}/`)),
  )
  return Object.fromEntries(files)
}

/** Scenarios that say in each arm what the model of the comparison says; recordings are made from them. */
export function exampleScenarios(): Record<string, string> {
  return Object.fromEntries(
    EXAMPLE_CASES.flatMap((name) => {
      const one = PARITY_CASES[name]
      if (one === undefined) return []
      const place = `evals/scenarios/${(one.folder ?? name).replace(/[^/]*$/, name)}`
      return [
        [`${place}.yaml`, scenarioOf(turnsOf(one.turns, true), one)],
        [`${place}.without_skill.yaml`, scenarioOf(turnsOf(one.turns, false), one)],
      ]
    }),
  )
}

/** Which files of the committed plugin are not those of the suite. */
export async function changedExampleFiles(): Promise<readonly string[]> {
  const files = Object.entries(exampleSuite())
  const texts = await Promise.all(
    files.map(([path]) => readFile(join(EXAMPLE_PLUGIN, path)).catch(() => Buffer.from(''))),
  )
  return files.flatMap(([path, content], index) =>
    texts[index]?.equals(Buffer.from(content as Buffer | string)) === true ? [] : [path],
  )
}

function scenarioOf(turns: readonly Turn[], { graders }: ParityCase): string {
  const judge = Object.entries(graders)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, [, criteria = '']]) => votesOf(criteria))
  const scenario = { turns: turns.map(scenarioTurn), ...(judge.length === 0 ? {} : { judge }) }
  return `${JSON.stringify(scenario, null, 2)}\n`
}

function scenarioTurn({ text, tools }: Turn): object {
  return {
    ...(text === undefined ? {} : { text }),
    ...(tools === undefined
      ? {}
      : {
          tools: tools.map((tool) =>
            tool.name === 'Agent' ? { ...tool, turns: CHILD.map((turn) => scenarioTurn(turn)) } : tool,
          ),
        }),
  }
}

function votesOf(criteria: string): readonly object[] {
  const votes = /^VOTES:([PF]{3}) /.exec(criteria)?.[1] ?? ''
  return votes.split('').map((vote) => [{ verdict: vote === 'P' ? 'pass' : 'fail', reason: 'As written.', quote: '' }])
}
