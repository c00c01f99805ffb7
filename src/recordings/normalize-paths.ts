import { nameFolders } from './paths.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { SessionFolders } from './paths.ts'

/**
 * A conversation with the session's paths replaced by names, but for the texts that the engine showed: ours are looked
 * for in these as they are written. `redact` takes the secrets of this machine out.
 */
export function nameConversation(
  { threads, unanswered }: Conversation,
  folders: SessionFolders,
  sandboxFolders: SessionFolders,
  redact: <Value>(value: Value) => Value,
): Conversation {
  const name = <Value>(value: Value): Value => redact(nameFolders(value, folders))
  // A run without a sandbox may name what only a sandbox has, such as its /tmp; in results both are the same.
  const nameBoth = <Value>(value: Value): Value => nameFolders(name(value), sandboxFolders)
  return {
    unanswered: name(unanswered),
    threads: threads.map(({ thread, given, turns }) => ({
      thread,
      given: name(given),
      turns: turns.map((turn) => ({ ...turn, results: nameBoth(turn.results), answer: name(turn.answer) })),
    })),
  }
}
