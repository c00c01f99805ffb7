import { describeUnread } from '../checks/file-facts.ts'
import type { GraderTarget } from '../suites/formats/plugin-eval/model.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { GradedRun, NamedMockCall, TargetFile } from './graded-run.ts'

/** Finds what a grader looks at. */
export function readTarget(target: GraderTarget, { run, files, mockCalls }: GradedRun): TargetFile {
  switch (target.kind) {
    case 'last_message':
      return text(lastMessage(run))
    case 'trace':
      return text(traceLines(run).join('\n'))
    case 'files':
      return listCreated(run)
    case 'mock_calls':
      return mockCalls === null
        ? { kind: 'none', problem: 'no server was mocked in this run, so there are no calls to look at' }
        : text(mockCalls.map(describeCall).join('\n'))
    case 'file':
      return files.get(target.path) ?? { kind: 'none', problem: `the file ${target.path} does not exist` }
  }
}

/** The name of a target, as explanations have it. */
export function nameTarget(target: GraderTarget): string {
  return target.kind === 'file' ? `file ${target.path}` : target.kind
}

/** The last text of the main thread. Unlike the last message it is one block, and not empty. */
export function lastMessage({ transcript }: Pick<AgentRun, 'transcript'>): string {
  const last = transcript.findLast(
    (event) => event.kind === 'message' && event.agent === null && event.text.trim() !== '',
  )
  return last?.kind === 'message' ? last.text : ''
}

/** The session, one JSON value a line: the engine's own stream where it has one, else our events. */
export function traceLines({ trace, transcript }: Pick<AgentRun, 'trace' | 'transcript'>): readonly string[] {
  return trace ?? transcript.map((event) => JSON.stringify(event))
}

// Sorted by code unit. What may be a created file is not among them, and is named.
function listCreated({ files }: Pick<AgentRun, 'files'>): TargetFile {
  const paths = files.created.map(({ path }) => path).toSorted()
  const gap = files.unreadable.find(({ kind }) => kind === 'hidden')
  return {
    kind: 'text',
    text: paths.join('\n'),
    unsure: files.unreadable.filter(({ isNew }) => isNew).map(({ path }) => path),
    ...(gap === undefined ? {} : { missing: describeUnread(gap) }),
  }
}

function describeCall({ tool, input, output, verdict }: NamedMockCall): string {
  return JSON.stringify({ tool, input, output, ...(verdict === 'ok' ? {} : { isError: true }), verdict })
}

function text(value: string): TargetFile {
  return { kind: 'text', text: value }
}
