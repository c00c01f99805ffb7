// @module-tag claude-code
// @module-tag slow
import { expect, test } from 'vitest'
import { config, DIRECT_PACKAGE, greetings, PACKAGE, readReports, verdicts } from '../support/eval-project.ts'
import { describeOnMajors } from '../support/describe-on-majors.ts'
import { createProject } from '../support/project.ts'

const EVAL = `import { dep } from 'dep'
import { expect, test } from 'vitest-agent-evals/test'
import { word } from '#lib/word'
import { other } from '~lib/other'

test('imports', () => {
  expect([dep, word, other]).toEqual(['from source', 'by paths', 'by a plugin'])
})
test('constants', () => {
  expect([__MADE__, process.env.MADE, import.meta.env.SHOWN]).toEqual(['made', 'too', 'shown'])
})
`

const REST = `resolve: { tsconfigPaths: true },
  ssr: { resolve: { conditions: ['our-source'] } },
  define: { __MADE__: '"made"', 'process.env.MADE': '"too"', 'import.meta.env.SHOWN': '"shown"' }`

// Vite knows the plugin by this name; which version of it is installed is the user's business.
const PATHS = `const paths = {
  name: 'vite-tsconfig-paths',
  enforce: 'pre',
  resolveId: (id) => (id.startsWith('~lib/') ? new URL(id.replace('~', './') + '.ts', import.meta.url).pathname : undefined),
}
`

const FILES = {
  ...PACKAGE,
  'evals/words.eval.ts': EVAL,
  'lib/word.ts': "export const word = 'by paths'\n",
  'lib/other.ts': "export const other = 'by a plugin'\n",
  'tsconfig.json': '{ "compilerOptions": { "paths": { "#lib/*": ["./lib/*"] } }, "include": ["**/*.ts"] }\n',
  'node_modules/dep/package.json': JSON.stringify({
    name: 'dep',
    type: 'module',
    exports: { 'our-source': './source.js', default: './missing.js' },
  }),
  'node_modules/dep/source.js': "export const dep = 'from source'\n",
  'vitest.config.ts': PATHS + config("{ sandbox: 'prefer' }", REST).replace('plugins: [', 'plugins: [paths, '),
}

describeOnMajors("the user's configuration: $label", ['claude-code'], (major) => {
  test('conditions, tsconfig paths and constants hold in evals', async () => {
    await using project = await createProject(major, FILES)
    const { all } = await project.run(['run', '--project', 'evals'], { merged: true })
    expect((await readReports(project)).map(verdicts), all).toEqual([['imports PASS', 'constants PASS']])
  })

  test('--pool=vmThreads is no matter of evals, and merged reports publish nothing', async () => {
    await using project = await createProject(major, { ...DIRECT_PACKAGE, ...greetings({ hello: 'Hello' }) })
    const blob = ['--reporter=blob', '--outputFile=blobs/one.json']
    const run = await project.run(['run', '--project', 'evals', '--pool=vmThreads', ...blob], { merged: true })
    const before = await readReports(project)
    expect(before.map(verdicts), run.all).toEqual([['hello PASS']])

    const { all, exitCode } = await project.run(['run', '--merge-reports=blobs'], { merged: true })
    expect(all).not.toContain('Agent Evals')
    expect(exitCode).toBe(0)
    expect(await readReports(project)).toEqual(before)
  })
})
