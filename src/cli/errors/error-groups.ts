/** What an error code means, and how to fix it. */
export interface ExplainedError {
  readonly group: ErrorGroup
  readonly meaning: string
  readonly fix: string
}

/** Headings of the page on troubleshooting, in its order. */
export const ERROR_GROUPS = [
  'Recordings',
  'Engine',
  'API and cost',
  'Judge',
  'Hooks and skills',
  'Machine',
  'Files and options',
] as const

type ErrorGroup = (typeof ERROR_GROUPS)[number]
