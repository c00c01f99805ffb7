import { ownProgram } from '../../own-folder.ts'

/** Absolute path of the hook shim: one file, since a sandbox shows nothing else of ours. */
export function hookShimFile(): string {
  return ownProgram('engines/hooks/hook-shim.js')
}
