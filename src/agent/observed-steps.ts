import { isJsonObject } from '../json.ts'
import type { Observed, ObservedStep } from '../engines/engine.ts'
import type { Conversation, ObservedThread } from '../conversation/conversation.ts'

type Call = Extract<ObservedStep, { kind: 'call' }>

/** What a session's requests show, for an engine whose own stream hides some of it. */
export function observedSteps({ threads }: Conversation): Observed {
  const main = threads.filter(({ thread }) => thread === 'main')
  const steps = main.flatMap((thread) => stepsOf(thread, null))
  const delegated = threads.filter(({ thread }) => thread === 'agent')
  const taken = new Set<string>()
  return {
    steps: [...steps, ...delegated.flatMap((thread) => stepsOf(thread, nameOf(thread, steps, taken)))],
    shown: main.flatMap(({ turns }) => turns.flatMap(({ texts }) => texts)),
  }
}

function stepsOf({ turns }: ObservedThread, agent: string | null): readonly ObservedStep[] {
  const results = new Map(turns.flatMap((turn) => turn.results.map((result) => [result.id, result])))
  return turns.flatMap(({ answer }) =>
    (answer?.content ?? []).flatMap((block): readonly ObservedStep[] => {
      if (block.kind === 'text') return block.text === '' ? [] : [{ kind: 'message', agent, text: block.text }]
      if (block.kind !== 'tool-call') return []
      const result = results.get(block.id) ?? null
      return [{ kind: 'call', agent, id: block.id, tool: block.name, input: block.input, result }]
    }),
  )
}

/** A sub-agent by its type and the call that started it, which is the same in every replay. */
function nameOf({ given }: ObservedThread, steps: readonly ObservedStep[], taken: Set<string>): string {
  const isOrigin = (step: ObservedStep): step is Call =>
    step.kind === 'call' && !taken.has(step.id) && given !== null && textsOf(step).includes(given)
  const call = steps.find(isOrigin)
  if (call === undefined) return 'agent'
  taken.add(call.id)
  const type = isJsonObject(call.input) ? call.input['agent_type'] : undefined
  return `${typeof type === 'string' ? type : 'agent'}#${call.id}`
}

function textsOf({ input }: Call): readonly string[] {
  if (!isJsonObject(input)) return []
  return Object.values(input).flatMap((value) => (typeof value === 'string' ? [value.trim()] : []))
}
