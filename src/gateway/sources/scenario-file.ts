import type { JsonObject } from '../../json.ts'

/** A hand-written source: what the model "says", turn by turn. Plain JSON once loaded. */
export interface Scenario {
  /** Absolute path of the file. */
  readonly file: string
  /** Model id that the answers carry; default `scenario`. */
  readonly model: string | null
  /** Answers on the main thread, in order. */
  readonly turns: readonly ScenarioTurn[]
  /** Answers to calls that the CLI makes on the side, such as prompt hooks. */
  readonly side: readonly ScenarioTurn[]
}

/** One answer. A turn without tools ends the model's turn. */
export interface ScenarioTurn {
  /** Line in the file, from 1. */
  readonly line: number
  readonly text: string | null
  readonly tools: readonly ScenarioToolCall[]
  /** Answers with this API error instead. */
  readonly error: ScenarioError | null
}

export interface ScenarioToolCall {
  readonly name: string
  readonly input: JsonObject
  /** When the call delegates to a sub-agent: that sub-agent's answers. It is found again by the prompt it is given. */
  readonly turns: readonly ScenarioTurn[] | null
}

export interface ScenarioError {
  readonly status: number
  readonly type: string
  readonly message: string
  /** Seconds, sent as `retry-after`. */
  readonly retryAfter: number | null
}
