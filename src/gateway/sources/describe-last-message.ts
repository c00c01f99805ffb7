import type { ModelPart, ModelRequest } from '../../conversation/model.ts'

/** Says in one sentence what a request ends with, so that an author knows what to answer. */
export function describeLastMessage(request: ModelRequest): string {
  const part = request.messages.findLast((message) => message.role === 'user')?.parts.findLast(isTelling)
  if (part === undefined) return 'The request contains no message of the user.'
  if (part.kind === 'tool-result')
    return `The last message was the ${part.isError ? 'error' : 'result'} of a tool: ${quote(part.text)}`
  return `The last message was: ${quote(part.kind === 'text' ? part.text : part.kind)}`
}

function isTelling(part: ModelPart): boolean {
  return part.kind === 'tool-result' || (part.kind === 'text' && !part.text.trimStart().startsWith('<system-reminder>'))
}

function quote(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ')
  return JSON.stringify(line.length > 200 ? `${line.slice(0, 200)}…` : line) + '.'
}
