const DIMENSIONS = [
  'persona_fidelity',
  'memory_recall',
  'output_quality',
  'factual_accuracy',
  'scope_discipline',
  'format_adherence',
]

/** What a judge of golden tests answers: 5 for each dimension of the default rubric, apart from what is given. */
export function atomicScores(given: Readonly<Record<string, number | null>> = {}): Readonly<Record<string, unknown>> {
  return Object.fromEntries(DIMENSIONS.map((name) => [name, given[name] === undefined ? 5 : given[name]]))
}
