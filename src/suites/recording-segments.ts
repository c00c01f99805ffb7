import { toPathSegment } from './path-segment.ts'

/** Where the cases of a suite have their recordings, below its package; `folder` is the one that its format names. */
export function recordingSegments(folder: string): readonly string[] {
  const segments = folder
    .replace(/^evals\//, '')
    .split('/')
    .filter((name) => name !== '' && name !== '.')
  return ['evals', 'recordings', ...segments.map(toPathSegment)]
}
