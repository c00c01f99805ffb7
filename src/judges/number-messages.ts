import type { AgentRun } from '../transcript/agent-run.ts'

/**
 * The output with the number of each message's event before it, so that what was said can be put in order with what was
 * done. The plain output where the transcript does not hold all of it.
 */
export function numberMessages({ output, transcript }: Pick<AgentRun, 'output' | 'transcript'>): string {
  const messages = transcript.filter((event) => event.kind === 'message').filter(({ agent }) => agent === null)
  const said = messages.map(({ text }) => text).join(' ')
  if (messages.length === 0 || withoutSpace(said) !== withoutSpace(output)) return output
  return messages
    .map(({ n, text }, index) => `[event ${n}${index === messages.length - 1 ? ', the final message' : ''}]\n${text}`)
    .join('\n\n')
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/g, '')
}
