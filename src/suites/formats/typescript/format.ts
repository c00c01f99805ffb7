import type { Format } from '../../format.ts'

/** Tests in TypeScript, which Vitest finds and runs itself. */
export const typescript: Format = {
  recordingFolder: (suite) => suite.replace(/\.[^./]+$/, ''),
  defaultTimeout: 120,
  kind: 'case',
}
