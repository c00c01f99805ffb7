import { hasPrice, resolveAlias } from '../../gateway/budget/price.ts'

/** A model as the upstream lists it. */
export interface ListedModel {
  readonly id: string
  /** ISO 8601. */
  readonly created_at: string
}

/** Whether a name is that of a family of models, such as `claude-sonnet`. */
export function isFamily(model: string): boolean {
  return FAMILIES.has(model)
}

/** The newest model of a family that the upstream lists and that has a price, else the newest that has one. */
export function resolveFamily(family: string, listed: readonly ListedModel[]): string {
  const members = listed.filter(({ id }) => id.startsWith(`${family}-`) && hasPrice(id, 'anthropic-messages'))
  const [newest] = members.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
  return newest?.id ?? resolveAlias(family)
}

/** The name by which Claude Code itself knows a family; other models keep theirs. */
export function claudeCodeAlias(model: string): string {
  return isFamily(model) ? model.slice('claude-'.length) : model
}

const FAMILIES: ReadonlySet<string> = new Set(['claude-haiku', 'claude-opus', 'claude-sonnet'])
