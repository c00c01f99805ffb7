/** Fields that hold what the agent is asked, in the order in which one is chosen. */
export const PROMPT_FIELDS = [
  'prompt',
  'query',
  'question',
  'input',
  'q',
  'instruction',
  'user_prompt',
  'user_query',
  'user_input',
  'user_message',
  'message',
  'request',
  'utterance',
  'task',
  'user_request',
  'brief',
  'text',
] as const

/** Fields that name a case, in the order in which one is chosen. */
export const ID_FIELDS = ['id', 'eval_id', 'slug', 'case_id', 'test_id', 'eval_name'] as const

/** Fields that list what has to hold, in the order in which they are merged. */
export const ELEMENT_FIELDS = [
  'expectations',
  'assertions',
  'expected_behavior',
  'rubric',
  'checks',
  'graders',
  'expected_behaviors',
  'expected_outcomes',
  'success_criteria',
  'acceptance_criteria',
  'pass_criteria',
  'grading_criteria',
  'evaluation_criteria',
  'criteria',
  'scorers',
  'must',
  'must_do',
  'should',
  'required_actions',
  'required_behavior',
  'required_behaviors',
  'expected_actions',
  'expected_behaviour',
  'expected_behaviours',
  'expected_points',
  'key_points',
  'must_include',
  'must_have',
  'must_contain',
  'must_mention',
  'should_include',
  'expectedBehavior',
  'expectedBehaviors',
  'successCriteria',
  'acceptanceCriteria',
] as const

/** Those that list what the result has to include. */
export const INCLUDED_FIELDS = ['must_include', 'must_have', 'must_contain', 'must_mention', 'should_include'] as const

/** Fields that list what must not be the case. */
export const FORBIDDEN_FIELDS = [
  'must_not',
  'must_not_do',
  'must_not_have',
  'must_not_contain',
  'must_not_include',
  'should_not_include',
  'must_avoid',
  'forbidden',
  'forbidden_actions',
  'prohibited',
  'forbidden_behavior',
  'forbidden_behaviors',
  'should_not',
  'negative_expectations',
  'unexpected_behavior',
  'unexpected_behaviors',
  'unacceptable_behavior',
  'fail',
  'fail_if',
] as const

/** Fields that describe a good result as a whole. */
export const CONTEXT_FIELDS = [
  'expected_output',
  'ground_truth',
  'expected_outcome',
  'expected_result',
  'expected_response',
  'expected_answer',
  'reference_answer',
  'expectedOutput',
  'expectedResult',
  'groundTruth',
] as const

/** Fields that list files which have to exist at the end. */
export const ARTIFACT_FIELDS = [
  'artifacts',
  'expected_files',
  'expected_artifacts',
  'expected_file',
  'expected_artifact',
  'required_files',
  'required_artifacts',
] as const

/** Fields that say whether the skill should be used: true, false. */
export const DIRECTION_FIELDS = [
  'should_trigger',
  'should_not_trigger',
  'positive',
  'should_fire',
  'should_activate',
  'expected_trigger',
  'expect_trigger',
  'expected_activation',
  'should_invoke',
  'shouldTrigger',
  'expectTrigger',
  'expects_trigger',
  'expect_activation',
  'expected_invocation',
  'expected_to_trigger',
  'must_trigger',
  'should_invoke_skill',
  'should_load',
  'should_load_skill',
  'should_match',
  'should_route',
  'should_trigger_skill',
  'should_use_skill',
] as const

/** Fields that name one skill or a list of them of which one has to be used; `null` and an empty list are none. */
export const ROUTE_FIELDS = [
  'expected_skill',
  'expect_skill',
  'expectedSkill',
  'expected_primary',
  'primary_skill',
  'expect',
  'expected',
] as const

/** Fields that list skills which all have to be used; an empty list is none. */
export const EACH_FIELDS = ['expected_skills', 'expectedSkills', 'expect_selected', 'required_skills'] as const

/** Fields that list other skills whose use is as good. */
export const ACCEPTED_FIELDS = ['acceptable_skills', 'acceptable_alternates', 'alternate_skills'] as const

/** Fields that list skills which may be used as well, and need not. */
export const PERMITTED_FIELDS = ['allowed_skills', 'optional_skills'] as const

/** Fields that list skills which must not be used; `must_not_trigger` may also be a direction. */
export const AVOIDED_FIELDS = [
  'forbidden_skills',
  'forbiddenSkills',
  'forbid',
  'avoid_skill',
  'avoid_skills',
  'excluded',
  'excluded_skills',
  'unexpected_skills',
  'unexpectedSkills',
  'disallowed_skills',
  'expect_not_selected',
] as const

/** Fields of \`FORBIDDEN_FIELDS\` that name skills where each of their words is the name of one. */
export const SKILLS_OR_SENTENCES = ['forbidden', 'must_avoid', 'prohibited'] as const

/** Labels that say a direction by a word, in entries that say nothing else of it. */
export const WORD_FIELDS = ['polarity', 'expected_action', 'label', 'type', 'kind'] as const

/** Fields that name the skill which an entry is about. */
export const SUBJECT_FIELDS = ['skill', 'skills', 'skill_name', 'skillName', 'target_skill', 'owner_skill'] as const

/** Fields that take a case out of the run. */
export const DISABLED_FIELDS = ['disabled', 'skip', 'skipped', 'enabled'] as const

/** Fields that say why. */
export const REASON_FIELDS = ['disabled_reason', 'skip_reason'] as const

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
