import type { ModelAnswer } from '../../recordings/messages.ts'
import { listApis } from '../wires/apis.ts'

/** Which models a run may ask. */
export interface ModelRules {
  /** The run's own; `null` leaves the choice to the engine, whose first request decides. */
  readonly own: string | null
  /** Ids and aliases that its package and its engine name, such as `haiku`. */
  readonly named: readonly string[]
}

/** The models that one lease may ask. */
export interface AllowedModels {
  allows(model: string): boolean
  /** The run's own model; `null` while that is not known. */
  own(): string | null
  /** Allows the models that an answer's calls name for sub-agents. */
  readonly learn: (answer: Pick<ModelAnswer, 'content'>) => void
  /** For errors. */
  list(): string
}

/** Without rules every model may be asked. */
export function createAllowedModels(rules: ModelRules | null): AllowedModels {
  if (rules === null) return { allows: () => true, own: () => null, learn() {}, list: () => 'any' }
  let { own } = rules
  const named = new Set(rules.named)
  return {
    allows(model) {
      own ??= model
      return isNamedBy(model, own) || [...named].some((name) => isNamedBy(model, name))
    },
    own: () => own,
    learn({ content }) {
      for (const block of content)
        if (block.kind === 'tool-call' && DELEGATES.test(block.name)) {
          const model = modelIn(block.input)
          if (model !== null) named.add(model)
        }
    },
    list: () => [own ?? [], ...named].flat().join(', '),
  }
}

/** Tools by which models start sub-agents, in the names of the engines. */
const DELEGATES = /^(?:Agent|Task|task|(?:.*\.)?spawn_agent)$/

function modelIn(input: unknown): string | null {
  if (typeof input !== 'object' || input === null || !('model' in input)) return null
  return typeof input.model === 'string' ? input.model : null
}

/** Whether an id or an alias names a model: an id is one model, an alias without a number is a family of models. */
function isNamedBy(model: string, name: string): boolean {
  const [asked, given] = [plain(model), plain(name)]
  if (isSameModel(asked, given)) return true
  if (given === 'opusplan') return /(?:^|-)(?:opus|sonnet)(?:-|$)/.test(asked)
  return !/\d/.test(given) && familyOf(asked) === familyOf(given)
}

// The mark of a longer context is no part of a model's name, and some write versions with dots.
function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/\[\w+\]$/, '')
    .replaceAll('.', '-')
}

function familyOf(name: string): string {
  return name
    .split('-')
    .filter((word) => !/^(?:\d+|latest|default)$/.test(word) && !listApis().some(({ prefix }) => prefix === word))
    .join('-')
}

/** Whether two ids are one model, with or without a date behind its name. */
export function isSameModel(one: string, other: string): boolean {
  return one === other || isDated(one, other) || isDated(other, one)
}

function isDated(dated: string, id: string): boolean {
  return dated.startsWith(`${id}-`) && /^-(?:\d{8}|\d{4}-\d\d-\d\d|latest)$/.test(dated.slice(id.length))
}
