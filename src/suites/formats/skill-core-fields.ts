import { ELEMENT_FIELDS, PROMPT_FIELDS } from './skill-fields.ts'

/** A slip in one of these would change what a case means; synonyms are too many to compare every label with. */
export const CORE_FIELDS: ReadonlySet<string> = new Set([
  ...PROMPT_FIELDS.slice(0, 6),
  ...ELEMENT_FIELDS.slice(0, 6),
  'must_not',
  'expected_output',
  'state_prefix',
  'files',
  'timeout',
  'runs',
  'runs_per_query',
  'disabled',
  'should_trigger',
  'should_not_trigger',
  'expected_skill',
  'expected_skills',
  'acceptable_skills',
  'threshold',
  'pass_threshold',
  'trigger_threshold',
  'eval_id',
  'eval_name',
])
