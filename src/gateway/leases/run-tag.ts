/** Environment variable that marks every process of a run: its value is the id of the lease. */
export const RUN_TAG = 'AGENT_EVALS_RUN'
