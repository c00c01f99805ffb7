// @module-tag claude-code
// @module-tag slow
import { expect, test } from 'vitest'
import { createPackage, describeEvals, runEvals, write } from '../support/package-run.ts'

const CONNECT = `node -e "require('net').connect(80, '192.0.2.1').on('error', (e) => { console.error(e.code); process.exit(1) })"`

function hooksFile(event: string, command: string, timeout?: number): string {
  const hook = { type: 'command', command, ...(timeout === undefined ? {} : { timeout }) }
  return JSON.stringify({ version: 1, hooks: { [event]: [{ hooks: [hook] }] } })
}

const CASES = { one: { expected: { contains: ['done'] }, turns: [{ tools: [write('${WORKSPACE}/a.ts')] }, 'done'] } }

describeEvals('a hook that does not answer in time', () => {
  test('is named with its command, its time and the option that opens the network', async () => {
    await using project = await createPackage({
      cases: CASES,
      files: { 'hooks/hooks.json': hooksFile('pre-tool-use', 'sleep 250', 280) },
      options: "{ sandbox: 'bubblewrap', timeout: 9 }",
      config: { timeout: 9 },
    })
    const hanging = await runEvals(project)
    expect(hanging.case('one').error).toMatch(
      /^The run did not end within its 9 s\. Still running: the hook of pre-tool-use \(Write\), `sleep 250`, ran for \d+ s and had not ended\. The sandbox closed the network; .*"network": true.* in eval-config\.json opens it\./,
    )
  })

  test('or fails, is named with what it said', async () => {
    await using project = await createPackage({
      cases: CASES,
      files: { 'hooks/hooks.json': hooksFile('session-start', 'sleep 250', 1) },
      options: "{ sandbox: 'bubblewrap' }",
    })
    const late = await runEvals(project)
    expect([late.case('one').error_code, late.case('one').error]).toEqual([
      'hook-failed-open',
      expect.stringMatching(
        /session-start hook timed out \(The hook gave no answer within 1 s\. It ran `sleep 250`\. The sandbox closed the network; /,
      ),
    ])

    await project.files.writeFile('hooks/hooks.json', hooksFile('pre-tool-use', CONNECT))
    const cut = await runEvals(project)
    expect(cut.case('one').error).toMatch(/failed with exit code 1 \(E[A-Z]+\), so/)
  })
})
