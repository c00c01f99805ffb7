/** Tokens as the API counted them. */
export interface ReportUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
}

/** Who cost what, US dollars; `null` when a part is unknown. */
export interface ReportCost {
  readonly agent_usd: number | null
  readonly judge_usd: number | null
  /** The known parts of both. */
  readonly known_usd: number
}
