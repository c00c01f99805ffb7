/** Lists of entries in a file. */
export const CONTAINERS = [
  'evals',
  'cases',
  'queries',
  'test_cases',
  'trigger_evals',
  'triggers',
  'trigger_cases',
  'trigger_queries',
  'eval_cases',
  'tests',
  'scenarios',
  'prompts',
  'examples',
  'items',
  'entries',
  'evaluations',
  'eval_set',
] as const

/** Lists of queries that say by their name what is expected of each. */
export const DIRECTED_LISTS: Readonly<Record<string, boolean>> = {
  should_trigger: true,
  should_not_trigger: false,
  should: true,
  should_not: false,
  positive: true,
  negative: false,
  positives: true,
  negatives: false,
  positive_cases: true,
  negative_cases: false,
  positive_triggers: true,
  negative_triggers: false,
  should_trigger_queries: true,
  should_not_trigger_queries: false,
  positive_examples: true,
  negative_examples: false,
  should_activate: true,
  should_not_activate: false,
  should_fire: true,
  should_not_fire: false,
}

/** Objects that hold such lists. */
export const LIST_HOLDERS = ['trigger', 'triggers', 'trigger_tests', 'trigger_evals', 'trigger_queries'] as const

/** Lists of queries that are close to those of a skill, and another one's or none's. */
export const NEAR_LISTS = ['near', 'near_misses', 'near_miss', 'near_neighbor', 'near_neighbors'] as const

/** Names of lists that are kept and no longer run, or hold what came out of a run. */
export const RETIRED_LISTS: RegExp = /archive|deprecated|disabled|draft|history|removed|result|retired|^runs$|skipped/i
