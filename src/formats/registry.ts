import { aam } from './aam/aam.ts'
import type { Format, ReportExtra } from './format.ts'
import { golden } from './golden/format.ts'
import { TEST_FORMAT } from './paths.ts'
import { pluginEval } from './plugin-eval/load-case.ts'
import { skillEvals, triggers } from './skill-evals/skill-suite.ts'

/** Tests in TypeScript, which Vitest finds and runs itself. */
const typescript: Format = {
  recordingFolder: (suite) => suite.replace(/\.[^./]+$/, ''),
  defaultTimeout: 120,
  kind: 'case',
}

/** The formats that are read, by name; of several that recognise a file the first reads it. */
export const formats: Readonly<Record<string, Format>> = {
  'plugin-eval': pluginEval,
  golden,
  'skill-evals': skillEvals,
  triggers,
  [TEST_FORMAT]: typescript,
  aam,
}

/** The format of this name; results of a later version may have one that is not known. */
export function formatOf(name: string): Format {
  return formats[name] ?? typescript
}

/** Whether this is written of the cases of a format. */
export function hasExtra(name: string, extra: ReportExtra): boolean {
  return formatOf(name).extras?.includes(extra) === true
}
