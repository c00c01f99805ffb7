import { expandScenario } from './expand-scenario.ts'
import { placeFolders } from '../recordings/paths.ts'
import type { AnswerSource } from '../gateway/leases/lease.ts'
import type { SessionFolders } from '../recordings/paths.ts'

/** Fills the paths of a session into what it will be answered: answers are written before there is a session. */
export function expandAnswers(source: AnswerSource, folders: SessionFolders): AnswerSource {
  if (source.kind === 'record') return { ...source, upstream: expandUpstream(source.upstream, folders) }
  if (source.kind === 'replay') return { ...source, threads: placeFolders(source.threads, folders) }
  return expandUpstream(source, folders)
}

function expandUpstream<Upstream extends AnswerSource>(source: Upstream, folders: SessionFolders): Upstream {
  return source.kind === 'scenario'
    ? { ...source, scenario: expandScenario(source.scenario, folders.workspace) }
    : source
}
