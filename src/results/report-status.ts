/** How a run ended. `partial`: some planned cases were not run. `recovered`: written after the run was lost. */
export type ReportStatus = 'complete' | 'partial' | 'interrupted' | 'recovered'
