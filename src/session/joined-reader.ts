import type { StreamReader, StreamSummary } from '../engines/stream.ts'

/** The readers of one session's processes. */
export interface JoinedReader extends StreamReader {
  /** Another process of the session begins. */
  next(): void
}

/** Reads the processes of one session one after the other. */
export function joinReaders(create: () => StreamReader): JoinedReader {
  const earlier: StreamSummary[] = []
  let reader = create()
  return {
    line: (text) => reader.line(text),
    next() {
      earlier.push(reader.end())
      reader = create()
    },
    end: () => earlier.reduceRight(joinSummaries, reader.end()),
  }
}

function joinSummaries(last: StreamSummary, before: StreamSummary): StreamSummary {
  return {
    ...last,
    version: last.version ?? before.version,
    sessionId: last.sessionId ?? before.sessionId,
    model: last.model ?? before.model,
    skills: last.skills ?? before.skills,
    output: [before.output, last.output].filter(Boolean).join('\n\n'),
    hooksWithoutVerdict: before.hooksWithoutVerdict + last.hooksWithoutVerdict,
    ...(before.hookRuns === undefined ? {} : { hookRuns: [...before.hookRuns, ...(last.hookRuns ?? [])] }),
  }
}
