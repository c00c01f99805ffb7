// @module-tag claude-code
// @module-tag codex
// @module-tag copilot
// @module-tag slow
// @module-tag long
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/command.ts'
import { USERS } from '../support/another-user.ts'
import { attacksAt, playAttacks, twinOf, type Place, type Played } from '../support/attacks/play.ts'
import { FORMS, OUTSIDE, REAL_KEY, SESSION_ATTACKS } from '../support/attacks/sessions.ts'
import { installedEngines } from '../support/conformance/matrix.ts'
import { endingOf } from '../support/red-cases/red-package.ts'
import { whyNoSandboxRuntime } from '../support/sandbox-runtime.ts'

const bubblewrap = await probeBubblewrap(process.env)
const noRuntime = await whyNoSandboxRuntime()
const engines = await installedEngines()

/** Users take turns. */
const PLACES: readonly Place[] = [
  ...engines.map((engine, index) => ({ engine, sandbox: 'bubblewrap', user: USERS[index % USERS.length]! }) as const),
  ...engines.slice(0, 1).map((engine) => ({ engine, sandbox: 'sandbox-runtime', user: USERS.at(-1)! }) as const),
]

for (const place of PLACES) {
  const attacks = attacksAt(place, PLACES, SESSION_ATTACKS)
  const reason = place.sandbox === 'sandbox-runtime' ? noRuntime : bubblewrap.works ? null : bubblewrap.reason
  const title = `${place.engine.name} in ${place.sandbox}, as ${place.user}${reason === null ? '' : ` (skipped: ${reason})`}`

  describe.skipIf(reason !== null)(title, { tags: [place.engine.name] }, () => {
    let played: Played

    beforeAll(async () => {
      played = await playAttacks(place, attacks)
    }, 1_800_000)
    afterAll(() => played[Symbol.asyncDispose]())

    test.for(attacks.map((attack) => [attack.promise, attack.name, attack] as const))(
      'promise %i: %s',
      ([, name, { ends, holds }]) => {
        const seen = played.seen(name)
        expect(endingOf(seen.found), `${seen.found.error}\n${played.finished.all}`).toMatch(ends)
        holds?.(seen)
      },
    )

    test.for(attacks.filter(({ twin }) => twin !== undefined).map((attack) => twinOf(attack)))('%s passes', (name) => {
      const { found } = played.seen(name)
      expect(endingOf(found), found.error ?? '').toBe('passed')
    })

    test('nothing outside of the sessions is changed', () => {
      expect(readFileSync(join(OUTSIDE, 'kept'), 'utf8')).toBe('as it was')
      expect(readFileSync(join(played.project.root, 'vitest.config.ts'), 'utf8')).toContain('agentEvals')
    })

    test('the key is in the requests of the gateway alone, once in each, and these ask a model, or for the list of models', () => {
      for (const { method, target, headers, body } of played.upstream.requests) {
        expect(`${method} ${target}`).toMatch(
          /^(?:POST \/v1\/(?:messages(?:\?beta=true)?|responses)|GET \/v1\/models)$/,
        )
        expect(headers.filter(([, value]) => value.includes(REAL_KEY))).toHaveLength(1)
        expect(body).not.toContain(REAL_KEY)
      }
      expect(played.upstream.violations).toEqual([])
    })

    test('no secret, no code and no command is printed or reported', () => {
      const { raw } = played.finished
      const everything = `${raw}${JSON.stringify(played.reports)}`
      expect(FORMS.filter((form) => everything.includes(form))).toEqual([])
      expect(raw.match(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202E]/g)).toBeNull()
      expect(raw.split('\n').filter((line) => /^\s*::|##\[/.test(line))).toEqual([])
    })
  })
}
