/** Whether a text looks like a line that the test system writes about a run. */
export function looksLikeOurs(text: string): boolean {
  return OURS.test(text)
}

const OURS =
  /(?:^|\s)\[[emcfr]\d+\] (?:\(sub-agent [^)]{1,300}\) )?(?:tool (?:call|result|error)|skill used:|hook \S+ |message|the final message|all messages|file |fixture |run )|(?:^|\s)\d+\. (?:\(sub-agent [^)]{1,300}\) )?tool (?:call|result|error)\b|\bskill used: \S|\bfile (?:created|modified|deleted): |\bfixture (?:unchanged|changed|deleted|unknown): |\[event \d+|\bhook \S+ (?:for \S+ )?decided \S|\btool call blocked by the |\bNo tool was called\.|\bNo file was created, modified or deleted\.|\brun (?:ended: status|ended because of: |stop reason: |time: \d|turns: \d)|\[(?:cut|left out|not shown): /i
