import { toPathSegment } from './path-segment.ts'

/** Where a case has its recordings, below its package; `folder` is the one that its format names for the suite. */
export function recordingSegments(folder: string, slug: string): readonly string[] {
  const segments = folder
    .replace(/^evals\//, '')
    .split('/')
    .filter((name) => name !== '' && name !== '.')
  return ['evals', 'recordings', ...[...segments, slug].map(toPathSegment)]
}
