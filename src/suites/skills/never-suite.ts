/** Folders that never hold a suite, wherever they are. */
export const NEVER_SUITE_FOLDERS: readonly string[] = [
  '.git',
  'baselines',
  'node_modules',
  'recordings',
  'reports',
  'results',
  'runs',
  'scenarios',
]

/** Folders below a folder of evals that never hold a suite, though what is in them may look like one. */
export const NEVER_BELOW_EVALS: readonly string[] = ['benchmark', 'fixtures', 'mocks', 'schemas', 'workspace']
