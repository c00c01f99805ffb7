import { join } from 'node:path'
import { listTree } from './list-tree.ts'
import { mockLayers } from '../suites/formats/plugin-eval/mock-layers.ts'
import type { PluginEvalCase } from '../suites/formats/plugin-eval/model.ts'

/** Absolute paths of the folders that a case of `claude plugin eval` consists of: its own, and those of its mocks. */
export function pluginCaseFolders({ caseDir, evalsDir }: PluginEvalCase): readonly string[] {
  return [caseDir, ...mockLayers(caseDir, evalsDir).map((layer) => join(layer, 'mocks'))]
}

/** Absolute paths of the files of such a case. */
export function pluginCaseFiles(pluginEval: PluginEvalCase): readonly string[] {
  return pluginCaseFolders(pluginEval).flatMap((folder) =>
    listTree(folder, { maxFiles: MAX_FILES }).files.map(({ file }) => file),
  )
}

/** Files of one case; more is an accident such as a dependency folder. */
const MAX_FILES = 10_000
