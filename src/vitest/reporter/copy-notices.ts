import { kindOf } from '../../suites/kinds.ts'
import { join } from 'node:path'
import { AgentEvalsError } from '../../errors.ts'
import { describeLeftOut, isUsual } from '../../inputs/left-out.ts'
import { listPackageFiles } from '../../inputs/package-files.ts'
import { listProjectFiles } from '../../inputs/project-files.ts'
import { pathFrom } from '../../packages/package-root.ts'
import type { LintNotice } from '../../results/run-plan.ts'
import type { AgentPackage } from '../../packages/package.ts'
import type { RunSettings } from '../../settings.ts'
import type { CaseMatter, Suite } from '../../suites/suite.ts'

/** The cases of a suite that a run starts, and the package that they get. */
export interface CopiedCases {
  readonly suite: Pick<Suite, 'packageRoot'> & Partial<Pick<Suite, 'skill'>>
  readonly selected: readonly CaseMatter[]
  readonly package: AgentPackage
}

/** Says what the copies of packages and projects leave out. Asked once for each of them, however many cases get one. */
export function createCopyNotices(
  settings: Pick<RunSettings, 'projectCopy' | 'root' | 'scenarios'>,
): (cases: CopiedCases) => Promise<readonly LintNotice[]> {
  const ofPackages = new Map<string, readonly LintNotice[]>()
  const ofProjects = new Map<string, Promise<readonly LintNotice[]>>()
  const nameOf = (kind: string, folder: string): string => {
    const path = pathFrom(settings.root, folder)
    return path === '' ? `the ${kind}` : `the ${kind} ${path}`
  }

  const lookAtPackage = (pkg: AgentPackage): readonly LintNotice[] => {
    const { leftOut, skipped } = listPackageFiles(pkg)
    const all = [...leftOut, ...skipped.map(({ path, reason }) => `${path} (${reason})`)]
    return noticeOf(nameOf('package', pkg.root), all, COMMIT)
  }
  const lookAtProject = async (
    { packageRoot }: Pick<Suite, 'packageRoot'>,
    skill: NonNullable<Suite['skill']>,
  ): Promise<readonly LintNotice[]> => {
    const hidden = [join(packageRoot, 'evals'), ...(settings.scenarios === null ? [] : [settings.scenarios])]
    const { leftOut } = await listProjectFiles(skill, hidden)
    return noticeOf(nameOf('project', skill.projectRoot), leftOut, COMMIT_OR_OVERLAY)
  }

  return async ({ suite, selected, package: pkg }) => {
    if (selected.length === 0) return []
    try {
      const ofPackage = ofPackages.get(pkg.root) ?? lookAtPackage(pkg)
      ofPackages.set(pkg.root, ofPackage)
      const { skill } = suite
      const isCopied = settings.projectCopy && selected.some((one) => kindOf(one).sees === 'project')
      if (skill === undefined || !isCopied) return ofPackage
      const ofProject = ofProjects.get(skill.projectRoot) ?? lookAtProject(suite, skill)
      ofProjects.set(skill.projectRoot, ofProject)
      return [...ofPackage, ...(await ofProject)]
    } catch (error) {
      // A copy that cannot be made is the error of its cases.
      if (error instanceof AgentEvalsError) return []
      throw error
    }
  }
}

const COMMIT = 'Commit what a session needs: git add --force PATH'
const COMMIT_OR_OVERLAY = 'Commit what a case needs (git add --force PATH), or put it into an overlay (setup/).'

function noticeOf(what: string, paths: readonly string[], advice: string): readonly LintNotice[] {
  // Nobody commits what is installed: only for the others there is something to do.
  const usual = paths.filter((path) => isUsual([path]))
  const others = paths.filter((path) => !usual.includes(path))
  return [
    ...(others.length === 0 ? [] : [{ code: 'left-out', text: describeLeftOut(what, others, advice) }]),
    ...(usual.length === 0 ? [] : [{ code: 'usually-left-out', text: describeLeftOut(what, usual) }]),
  ]
}
