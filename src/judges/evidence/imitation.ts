/** Whether a text looks like a line that the test system writes about a run. */
export function looksLikeOurs(text: string): boolean {
  return OURS.test(text)
}

const OURS =
  /(?:^|\s)\d+\. (?:\(sub-agent [^)]{1,300}\) )?(?:tool (?:call|result|error)|skill used:|hook \S+ |message)|\bskill used: \S|\bfile (?:created|modified|deleted): |\bfixture (?:unchanged|changed|deleted): |\[event \d+|\bhook \S+ (?:for \S+ )?decided \S|\btool call blocked by the |\bNo tool was called\.|\bNo file was created, modified or deleted\.|\[(?:cut|left out|not shown): /i
