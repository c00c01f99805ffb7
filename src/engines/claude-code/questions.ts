import { objectOf, objectsOf, stringOf, tryParseJson, type JsonObject, type JsonValue } from '../../lib/json.ts'
import type { AskedQuestion, UserQuestions } from '../engine.ts'

/**
 * What the CLI asks on its stdout with `--permission-prompt-tool=stdio`: answers to `AskUserQuestion`, and leave for calls
 * that nothing has allowed. Without the flag it refuses such calls by itself, so they are refused here.
 */
export const questions: UserQuestions = {
  deciders: ['permission-request'],
  read(line) {
    if (!line.includes('"control_request"')) return null
    const parsed = objectOf(tryParseJson(line))
    const id = stringOf(parsed['request_id'])
    if (parsed['type'] !== 'control_request' || id === '') return null
    const request = objectOf(parsed['request'])
    const isQuestion = request['subtype'] === 'can_use_tool' && request['tool_name'] === 'AskUserQuestion'
    const asked = isQuestion ? objectsOf(objectOf(request['input'])['questions']).map(toQuestion) : []
    return { id, questions: asked, request }
  },
  reply({ id, request, questions: asked }, answers) {
    if (request['subtype'] !== 'can_use_tool') return respond(id, { subtype: 'error', error: 'There is no user.' })
    if (answers === null) {
      const message = asked.length > 0 ? 'Nobody is there to answer.' : refusal(request)
      return respond(id, { subtype: 'success', response: { behavior: 'deny', message } })
    }
    const updatedInput = { questions: objectOf(request['input'])['questions'] ?? [], answers }
    return respond(id, { subtype: 'success', response: { behavior: 'allow', updatedInput } })
  },
}

function toQuestion({ question, header, options, multiSelect }: JsonObject): AskedQuestion {
  return {
    question: stringOf(question),
    heading: stringOf(header),
    options: objectsOf(options).map(({ label }) => stringOf(label)),
    takesSeveral: multiSelect === true,
  }
}

// A hook that asks gives its reason, and the model gets that where nobody is asked.
function refusal(request: JsonObject): string {
  const reason = stringOf(request['decision_reason'])
  if (request['decision_reason_type'] === 'hook' && reason !== '') return reason
  return `Permission to use ${stringOf(request['tool_name'])} has been denied because nobody is there to give it.`
}

function respond(id: string, response: Readonly<Record<string, JsonValue | object>>): string {
  return `${JSON.stringify({ type: 'control_response', response: { ...response, request_id: id } })}\n`
}
