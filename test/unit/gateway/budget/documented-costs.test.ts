import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { globSync } from 'tinyglobby'
import { expect, test } from 'vitest'
import { createBudget } from '../../../../src/gateway/budget/budget.ts'
import { dollars } from '../../../../src/lib/text.ts'
import { hasPrice } from '../../../../src/gateway/budget/price.ts'
import { wireOfModel } from '../../../../src/gateway/wires/apis.ts'
import { resolveOptions } from '../../../../src/options/resolve-options.ts'
import { REPOSITORY } from '../../../support/repository.ts'

const PAGES = ['README.md', ...globSync('docs/*.md', { cwd: REPOSITORY })].toSorted()
const EXAMPLES = globSync(['{example-package,example-plugin,skills}/**/*.{md,yaml,json,ts}'], {
  cwd: REPOSITORY,
  ignore: ['**/node_modules/**', '**/recordings/**'],
})

function textOf(path: string): string {
  return readFileSync(join(REPOSITORY, path), 'utf8')
}

/** What a pattern finds in the pages, each with its page. */
function findAll(pattern: RegExp): readonly string[] {
  return PAGES.flatMap((page) => Array.from(textOf(page).matchAll(pattern), ([found]) => `${page} ${found}`))
}

const { maxCostUsd } = resolveOptions({}, {})

test('every amount of money in README and docs is one that is printed or set', () => {
  const amounts = findAll(/\$\d[\d.,]*(?<![.,])/g).map((found) => found.split(' ').at(-1))
  // Of the gate whose output test/unit/report/compare/gate-page.test.ts checks.
  const ofGate = [dollars(0.21), dollars(3 * 0.21)]
  expect(new Set(amounts)).toEqual(new Set([dollars(0), ...ofGate, `$${maxCostUsd}`]))
  expect(findAll(/`maxCostUsd` \(default \d+\)/g)).toEqual([
    `docs/recordings.md \`maxCostUsd\` (default ${maxCostUsd})`,
  ])
  expect(textOf('docs/options.md')).toContain(`| \`maxCostUsd\` | \`AGENT_EVALS_MAX_COST_USD\` | \`${maxCostUsd}\` |`)
})

test('shards spend together what the page on CI says', () => {
  expect(findAll(/\w+ shards at \d+ spend at most \d+/g)).toEqual([
    `docs/ci.md four shards at 5 spend at most ${4 * 5}`,
  ])
})

test('an answer is never limited to less than the page on recordings says', () => {
  const least = 8000
  const request = { inputUsd: 0, tokenUsd: 1e-4, outputTokens: 100_000, thinkingTokens: 0 }
  const budget = createBudget({ maxCostUsd: 0.1, maxCostUsdPerCase: 0.1 })
  expect(budget.open('a').admit(request).outputTokens).toBe(least)
  const pages = findAll(/[\d,]+ (?:output )?tokens/g).filter((found) => found.startsWith('docs/recordings.md'))
  expect(new Set(pages)).toEqual(
    new Set([
      `docs/recordings.md ${least.toLocaleString('en')} tokens`,
      `docs/recordings.md ${least.toLocaleString('en')} output tokens`,
      'docs/recordings.md 2,000 tokens',
    ]),
  )
})

test('no page and no example names a model that the SDK warns about, and each judge has a price', () => {
  const sdk = readFileSync(join(REPOSITORY, 'node_modules/@anthropic-ai/sdk/resources/messages/messages.js'), 'utf8')
  const [, table = ''] = /const DEPRECATED_MODELS = \{([^}]*)\}/.exec(sdk) ?? []
  const deprecated = Array.from(table.matchAll(/'([^']+)':/g), ([, model = '']) => model)
  expect(deprecated.length).toBeGreaterThan(0)
  const named = [...PAGES, ...EXAMPLES].flatMap((path) =>
    deprecated.filter((model) => textOf(path).includes(model)).map((model) => `${path} ${model}`),
  )
  expect(named).toEqual([])
  const judges = [...PAGES, ...EXAMPLES].flatMap((path) =>
    Array.from(
      textOf(path).matchAll(
        /(?:judge: '|--judge |cross_family:\n +- |same_family_fallback:\n +- )([\w.-]+:)?([\w.-]+\d[\w.-]*)/g,
      ),
      ([, , model = '']) => model.replace(/\.$/, ''),
      // A server of one's own: the page gives its price in the same example.
    ).filter((model) => !textOf(path).includes(`prices: { '${model}': {`)),
  )
  expect(judges.length).toBeGreaterThan(3)
  expect([...new Set(judges)].filter((model) => !hasPrice(model, wireOfModel(model)))).toEqual([])
})
