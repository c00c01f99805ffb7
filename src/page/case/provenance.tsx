import type { JSX } from 'preact'
import { age, count, modelOf, moment } from '../format.ts'
import { Inline } from '../text.tsx'
import type { PageDetail } from '../../report/page/page-data.ts'

/** What the result depends on: versions, the recording and its age, and the hash of every input. */
export function Provenance({
  detail: { case: one },
  generatedAt,
}: {
  readonly detail: PageDetail
  readonly generatedAt: string
}): JSX.Element {
  const { recorded, usage, sandbox, agent, judge_verdict: judge, inputs } = one
  const facts: readonly (readonly [string, string])[] = [
    ['Id', one.id ?? 'none'],
    ['Engine', `${one.engine ?? 'unknown'} ${agent?.runtime_version ?? '(version unknown)'}`],
    ['Model', modelOf(agent?.model ?? null)],
    ['Judge', judge === null ? 'did not run' : modelOf(judge.model)],
    ['Recording', recorded === null ? 'none' : `${moment(recorded.at)}, ${age(recorded.at, generatedAt)}`],
    ...(recorded === null
      ? []
      : ([
          ['Recorded from', recorded.origin === 'scenario' ? 'a scenario (no model)' : recorded.origin],
          ['Recorded with', `${one.engine ?? ''} ${recorded.engine_version ?? '(version unknown)'}`],
        ] as const)),
    ...(one.record === null ? [] : [['Record', "the engine's own stream, which no gateway saw"] as const]),
    ['Sandbox', sandbox === null ? 'n/a' : `${sandbox.enforced} (asked for: ${sandbox.asked})`],
    [
      'Tokens',
      usage === null
        ? 'not counted'
        : `${count(usage.input_tokens)} in, ${count(usage.output_tokens)} out, ${count(usage.cache_read_tokens)} from cache, ${count(usage.cache_write_tokens)} to cache`,
    ],
    ...(one.reused_from === null ? [] : [[one.cached ? 'Cached from' : 'Reused from', one.reused_from] as const]),
  ]
  return (
    <section class="provenance card" aria-labelledby="provenance-title">
      <h2 id="provenance-title">Provenance</h2>
      <dl class="facts">
        {facts.map(([label, value]) => (
          <div>
            <dt>{label}</dt>
            <dd>
              <Inline text={value} />
            </dd>
          </div>
        ))}
      </dl>
      {inputs.length > 0 && (
        <details>
          <summary>{count(inputs.length)} inputs with their hashes</summary>
          <table class="hashes">
            <thead>
              <tr>
                <th scope="col">Input</th>
                <th scope="col">Role</th>
                <th scope="col">SHA-256</th>
              </tr>
            </thead>
            <tbody>
              {inputs.map(({ path, role, hash }) => (
                <tr>
                  <td>
                    <Inline text={path} />
                  </td>
                  <td>
                    <Inline text={role} />
                  </td>
                  <td>
                    <code title={hash}>
                      <Inline text={hash.slice(0, 12)} />
                    </code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </section>
  )
}
