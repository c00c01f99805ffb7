import { isSameModel } from '../gateway/leases/same-model.ts'
import { chooseJudge, type ChosenJudge, type JudgedAgent } from './choose.ts'
import type { CredentialKind } from '../gateway/leases/lease.ts'
import type { JudgeSettings } from '../suites/golden.ts'

/**
 * Judges that `judge.md` names, in the order in which they are tried: never the model that they would judge.
 *
 * @param credential - kind of the credential for Anthropic's models; `null` when none is needed or there.
 */
export function listJudges(
  { crossFamily, sameFamilyFallback }: Pick<JudgeSettings, 'crossFamily' | 'sameFamilyFallback'>,
  run: JudgedAgent,
  credential: CredentialKind | null,
): readonly ChosenJudge[] {
  const own = [run.model, run.modelAsked].filter((model) => model !== null)
  const isOwn = ({ model }: ChosenJudge): boolean => own.some((one) => isSameModel(one, model))
  return [...crossFamily, ...sameFamilyFallback]
    .map((name) => chooseJudge(name, run, credential))
    .filter((judge, index, all) => !isOwn(judge) && all.findIndex(({ model }) => model === judge.model) === index)
}
