// @module-tag claude-code
// @module-tag slow
import { mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumExecutable, startChromium } from '../support/browser.ts'
import { greeting, PACKAGE } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { REPOSITORY } from '../support/repository.ts'
import { bash } from '../support/skill-project.ts'

const ANSWER = 'Hello, World'
const SCENARIO = JSON.stringify({
  turns: [{ tools: [bash('mkdir -p out && echo "Hello from the agent" > out/note.txt')] }, ANSWER],
  judge: [[{ verdict: 'pass', reason: 'It greets.', quote: ANSWER }]],
})

/** What each attachment has to hold when it is opened. */
const ATTACHED: Readonly<Record<string, string>> = {
  transcript: '"kind":"message"',
  'judge verdicts': 'It greets.',
  'changed file: out/note.txt': 'Hello from the agent',
}

const hasBrowser = chromiumExecutable() !== null

test.skipIf(hasBrowser)("Vitest's UI in a browser", ({ skip }) =>
  skip('Chromium is not installed: apt install chromium'),
)

describe.runIf(hasBrowser)("Vitest's UI", () => {
  let project: TestProject
  beforeAll(async () => {
    project = await createProject(repositoryVitest(), {
      ...PACKAGE,
      'evals/cases/greets.yaml': greeting('greets'),
      'evals/scenarios/greets.yaml': SCENARIO,
    })
    await mkdir(join(project.root, 'node_modules/@vitest'), { recursive: true })
    await symlink(join(REPOSITORY, 'node_modules/@vitest/ui'), join(project.root, 'node_modules/@vitest/ui'))
  })
  afterAll(() => project?.[Symbol.asyncDispose]())

  test('shows transcript, verdicts and changed files of a test, and opens each from its server', async () => {
    const args = ['--ui', '--open=false', `--api.port=${PORT}`, '--watch', '--project', 'evals']
    const vitest = project.start(args, { env: { AGENT_EVALS_SANDBOX: 'prefer' }, merged: true })
    const browser = await startChromium()
    try {
      await vitest.waitFor('Waiting for file changes')
      const page = await browser.newPage()
      await page.goto(/http:\/\/localhost:\d+\/__vitest__\//.exec(vitest.output())?.[0] ?? '')
      await page.getByText('greets', { exact: true }).last().click()
      await page
        .locator(LINK)
        .nth(Object.keys(ATTACHED).length - 1)
        .waitFor()
      const opened = await readAttachments(page)
      expect(opened.map(({ path }) => dirname(path))).toEqual(
        Object.keys(ATTACHED).map(() => join(project.root, '.vitest-attachments')),
      )
      for (const [index, [name, content]] of Object.entries(ATTACHED).entries()) {
        expect(await page.getByText(name, { exact: true }).isVisible(), name).toBe(true)
        expect(opened[index]?.content, name).toContain(content)
      }
    } finally {
      await browser.close()
      await vitest.kill()
    }
  })
})

const LINK = 'a[href*="__vitest_attachment__"]'
// Vitest takes the next one that is free.
const PORT = 51_804

/** Opens every attachment that the UI links to, in the order in which it shows them. */
function readAttachments(page: Page): Promise<readonly { readonly path: string; readonly content: string }[]> {
  return page.locator(LINK).evaluateAll((all) =>
    Promise.all(
      all.map(async (link) => {
        const address = new URL(link.getAttribute('href') ?? '', link.baseURI)
        return { path: address.searchParams.get('path') ?? '', content: await (await fetch(address)).text() }
      }),
    ),
  )
}
