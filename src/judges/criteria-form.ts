import { writePrompt, type JudgeQuestion } from './prompt.ts'
import { ANSWER_SCHEMA, readAnswer, type JudgeAnswer } from './schema.ts'
import type { JudgeForm } from './ask.ts'
import type { ShownEvidence } from './evidence/evidence-item.ts'

/** How a judge is asked for one verdict on each statement. */
export function criteriaForm(question: JudgeQuestion, evidence: ShownEvidence): JudgeForm<JudgeAnswer> {
  const statements = question.statements.length
  return {
    write: (nonce, complaint) => writePrompt(question, evidence, nonce, complaint),
    schema: ANSWER_SCHEMA,
    read: (reply, nonce) => readAnswer(reply, { nonce, statements }),
    maxTokens: FIXED_TOKENS + statements * TOKENS_OF_ONE,
    temperature: null,
  }
}

const FIXED_TOKENS = 4096
const TOKENS_OF_ONE = 512
