import { writePrompt, type AskedStatements, type JudgeQuestion } from './prompt.ts'
import { ANSWER_SCHEMA, readAnswer, type JudgeAnswer } from './schema.ts'
import type { JudgeForm } from './ask.ts'
import type { ShownEvidence } from './evidence/evidence-item.ts'

/** How a judge is asked for one verdict on each of some statements. */
export function criteriaForm(
  question: JudgeQuestion,
  asked: AskedStatements,
  evidence: ShownEvidence,
): JudgeForm<JudgeAnswer> {
  const { numbers } = asked
  return {
    write: (nonce, complaint) => writePrompt(question, asked, evidence, nonce, complaint),
    schema: ANSWER_SCHEMA,
    read: (reply, nonce) => readAnswer(reply, { nonce, statements: numbers }),
    maxTokens: FIXED_TOKENS + numbers.length * TOKENS_OF_ONE,
    temperature: null,
  }
}

const FIXED_TOKENS = 4096
const TOKENS_OF_ONE = 512
