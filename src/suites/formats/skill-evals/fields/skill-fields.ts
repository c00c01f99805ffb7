/** Whether an entry has one of these fields. It has a few, and they are many. */
export function hasAny(entry: object, fields: ReadonlySet<string>): boolean {
  return Object.keys(entry).some((name) => fields.has(name))
}

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

/** Fields that hold the text which the prompt speaks of. */
export const MATERIAL_FIELDS = ['source_text', 'input_text', 'original_text', 'draft_text', 'source_material'] as const

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
  'acceptance',
  'scorers',
  'assert',
  'asserts',
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
  'assert_not',
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
  'veto',
  'vetoes',
] as const

/** Those whose sentences may deny what must not be the case themselves: "Does not guess". */
export const DENYING_FIELDS = ['negative_expectations'] as const

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
  'distractors',
  'unexpected_skills',
  'unexpectedSkills',
  'disallowed_skills',
  'expect_not_selected',
] as const

/** Fields of `FORBIDDEN_FIELDS` that name skills where each of their words is the name of one. */
export const SKILLS_OR_SENTENCES = ['forbidden', 'must_avoid', 'prohibited'] as const

/** Labels that say a direction by a word, in entries that say nothing else of it. */
export const WORD_FIELDS = ['polarity', 'expected_action', 'label', 'type', 'kind'] as const

/** Fields that name the skill which an entry is about. */
export const SUBJECT_FIELDS = ['skill', 'skills', 'skill_name', 'skillName', 'target_skill', 'owner_skill'] as const

/** Fields that take a case out of the run. */
export const DISABLED_FIELDS = ['disabled', 'skip', 'skipped', 'enabled'] as const

/** Fields that say why. */
export const REASON_FIELDS = ['disabled_reason', 'skip_reason'] as const
