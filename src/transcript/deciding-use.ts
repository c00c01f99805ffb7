import { plainName } from './plain-name.ts'
import type { UnnumberedEvent } from './transcript.ts'

/** The use of a skill by the main thread that decides a run: the rest of it is not waited for, and costs nothing. */
export interface DecidingUse {
  /** Their plain names; `null` for any skill. */
  readonly skills: readonly string[] | null
}

/** Whether the use of a skill of this name decides. Pure. */
export function isDeciding(name: string, { skills }: DecidingUse): boolean {
  return skills === null || skills.includes(plainName(name))
}

/** Whether an event decides its run: nothing that comes after it can change what is counted. Pure. */
export function decidesRun(event: UnnumberedEvent, use: DecidingUse): boolean {
  return event.kind === 'skill-used' && event.agent === null && isDeciding(event.skill, use)
}
