import type { ObservedResult } from '../conversation/conversation.ts'
import type { AnswerBlock } from '../conversation/model.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'
import type { SkillSignal } from './stream/skill-signal.ts'

type EventOf<Kind extends UnnumberedEvent['kind']> = Extract<UnnumberedEvent, { kind: Kind }>

/** A call as the gateway saw the model make it. */
export type ModelCall = Extract<AnswerBlock, { kind: 'tool-call' }>

/** A call as the engine's stream shows it. */
export type ShownCall = EventOf<'tool-call'>

/** A result as the engine's stream shows it. */
export type ShownResult = EventOf<'tool-result'>

/** What a result came to. */
export type ResultFacts = Pick<ShownResult, 'blockedBy' | 'isError' | 'text'>

/** How an engine's calls and results look at the gateway, so that its runs can be read from there. */
export interface RecordTable {
  /** A model's call by the tool and input that checks and hooks know it by. */
  callOf(call: ModelCall): Pick<ShownCall, 'input' | 'tool'>
  /** One name for a tool, from that of `callOf` or of the stream, which may know more of it, such as its server. */
  plainTool(tool: string): string
  /**
   * What the model was given as a result. The stream may add why a call failed where the API has no mark for it, and never
   * what the result says.
   */
  resultOf(given: ObservedResult, shown: ShownResult | undefined): ResultFacts
  /** The skills that a call uses with this result, which did not fail. */
  skillsOf(call: Pick<ShownCall, 'input' | 'tool'>, text: string): readonly SkillSignal[]
  /** The skill that the engine itself put into this text for the model. */
  skillIn?(text: string): string | null
  /** Whether its stream has every call of the main thread, by the model's id. */
  readonly showsCalls: boolean
  /** Whether a call of the stream, which has an id of its own, is this one of the model's that ran. */
  isCall?(shown: ShownCall, call: ModelCall, result: ObservedResult | undefined): boolean
  /** Whether a call of the model is a script that could have made this one of the stream. */
  couldMake?(script: ModelCall, shown: ShownCall): boolean
  /** Calls that were refused inside of a script, by what it returned. */
  refusedIn?(script: ModelCall, text: string): readonly RefusedCall[]
  /** Tools that it calls by itself. */
  readonly ownTools?: readonly string[]
}

/** A call that a script made and that was stopped. */
export interface RefusedCall extends Pick<ShownCall, 'input' | 'tool'> {
  readonly text: string
}
