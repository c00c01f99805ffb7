import { knownProvenance, type Provenance } from '../../results/provenance.ts'

/** What several machines have in common, and what of it a reader must know. */
export interface MergedProvenance {
  readonly provenance: Provenance
  readonly remark: string | null
}

/** Puts the provenance of several machines together. Where they differ all are named; of two revisions none is *the* one. */
export function mergeProvenance(all: readonly Provenance[]): MergedProvenance {
  const named = (read: (one: Provenance) => string | null): string | null => {
    const values = [...new Set(all.map(read).filter((value) => value !== null))]
    return values.length === 0 ? null : values.toSorted().join(', ')
  }
  const commits = new Set(all.flatMap(({ git }) => git?.commit ?? []))
  const [git = null] = all.flatMap((one) => one.git ?? [])
  return {
    provenance: {
      ...(all[0] ?? knownProvenance(null)),
      os: named(({ os }) => os) ?? '',
      arch: named(({ arch }) => arch) ?? '',
      nodeVersion: named(({ nodeVersion }) => nodeVersion) ?? '',
      pythonVersion: named(({ pythonVersion }) => pythonVersion),
      agentEvalsVersion: named(({ agentEvalsVersion }) => agentEvalsVersion),
      vitestVersion: named(({ vitestVersion }) => vitestVersion),
      git:
        git === null || commits.size > 1
          ? null
          : { commit: git.commit, dirty: all.some((one) => one.git?.dirty === true) },
    },
    remark: commits.size > 1 ? `The machines ran different revisions: ${[...commits].toSorted().join(', ')}.` : null,
  }
}
