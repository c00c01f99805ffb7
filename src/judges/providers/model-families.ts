/** A model as the upstream lists it. */
export interface ListedModel {
  readonly id: string
  /** ISO 8601. */
  readonly created_at: string
}

/** Whether a name is that of a family of models, such as `claude-sonnet`. */
export function isFamily(model: string): boolean {
  return model in NEWEST_KNOWN
}

/** The newest model of a family that the upstream lists, else the newest that was known when this was written. */
export function resolveFamily(family: string, listed: readonly ListedModel[]): string {
  const members = listed.filter(({ id }) => id.startsWith(`${family}-`))
  const [newest] = members.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
  return newest?.id ?? NEWEST_KNOWN[family] ?? family
}

/** The name by which Claude Code itself knows a family; other models keep theirs. */
export function claudeCodeAlias(model: string): string {
  return isFamily(model) ? model.slice('claude-'.length) : model
}

const NEWEST_KNOWN: Readonly<Record<string, string>> = {
  'claude-haiku': 'claude-haiku-5-5',
  'claude-opus': 'claude-opus-5-5',
  'claude-sonnet': 'claude-sonnet-5-5',
}
