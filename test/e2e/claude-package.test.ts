// @module-tag claude-code
// @module-tag slow
import { describe, expect, test } from 'vitest'
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/command.ts'
import { readReport, verdicts } from '../support/eval-project.ts'
import { mcpServer } from '../support/mcp-server.ts'
import { startMessagesServer, type ReceivedRequest, type Turn } from '../support/messages-server.ts'
import { agreeing, bash, createPackage, describeEvals, runEvals } from '../support/package-run.ts'

const MCP_SERVER = mcpServer("'in the package: ' + (process.argv[2] === process.cwd()) + ', for ' + process.env.WHO")

const SERVERS = {
  where: { command: 'node', args: ['${PACKAGE_ROOT}/mcp/server.mjs', '${PACKAGE_ROOT}'], env: { WHO: '${TEAM}' } },
}

const PARTS = {
  'AGENTS.md': 'INSTRUCTIONS-OF-THE-PACKAGE',
  'rules/style/RULE.md': '---\ndescription: d\napply:\n  mode: always\n---\nRULE-ALWAYS',
  'commands/audit.md': '---\nname: audit\ndescription: Audits\n---\nAudit $ARGUMENTS now.\n',
  'skills/pdf-tools/SKILL.md': '---\nname: pdf-tools\ndescription: Reads PDF files\n---\nSKILL-BODY',
  'skills/plain/SKILL.md': '---\nname: plain\ndescription: Does little\n---\nLittle.',
  'agents/auditor/agent.yaml':
    'name: auditor\ndescription: Audits code\nsystem_prompt: system-prompt.md\ntools: [file_read]\n',
  'agents/auditor/system-prompt.md': 'PROMPT-OF-THE-AUDITOR',
  'mcp/servers.json': JSON.stringify({ servers: SERVERS }),
  'mcp/server.mjs': MCP_SERVER,
}

describeEvals('a package', () => {
  test('reaches the model as a whole, and the case its target', async () => {
    const calls: Readonly<Record<string, Turn['tools']>> = {
      'a-skill': [{ name: 'Skill', input: { skill: 'pdf-tools' } }],
      'e-mcp': [{ name: 'mcp__where__where', input: {} }],
    }
    await using upstream = await startMessagesServer((request) => {
      const tools = Object.entries(calls).find(([name]) => isOf(request, name))?.[1]
      return agreeing(request, 'done') ?? (request.index > 0 || tools === undefined ? { text: 'done' } : { tools })
    })
    await using project = await createPackage({
      cases: {
        'a-skill': { prompt: 'This is a-skill.', target: 'skill:pdf-tools' },
        'b-unused': { prompt: 'This is b-unused.', target: 'skill:plain' },
        'c-command': { prompt: '/audit c-command' },
        'd-agent': { prompt: 'This is d-agent.', target: 'agent:auditor' },
        'e-mcp': { prompt: 'This is e-mcp.' },
      },
      files: PARTS,
    })
    const run = await runEvals(project, {
      AGENT_EVALS_SOURCE: 'live',
      ANTHROPIC_BASE_URL: upstream.url,
      ANTHROPIC_API_KEY: 'sk-real-1234567890',
      TEAM: 'team-a',
    })
    expect(verdicts(run.report)).toEqual(
      ['a-skill', 'b-unused', 'c-command', 'd-agent', 'e-mcp'].map((name) => `${name} PASS`),
    )

    const asked = (name: string): readonly ReceivedRequest[] =>
      upstream.requests.filter((request) => isOf(request, name) && agreeing(request, '') === null)
    const parts = [
      'INSTRUCTIONS-OF-THE-PACKAGE',
      'RULE-ALWAYS',
      'pdf-tools: Reads PDF files',
      'auditor: Audits code',
      'audit: Audits',
    ]
    const first = JSON.stringify(asked('a-skill')[0]?.body)
    expect(parts.filter((part) => !first.includes(part))).toEqual([])
    expect(JSON.stringify(asked('a-skill')[1]?.body)).toContain('SKILL-BODY')
    expect(JSON.stringify(asked('c-command')[0]?.body.messages)).toContain('Audit c-command now.')

    const auditor = asked('d-agent')[0]?.body
    expect(JSON.stringify(auditor)).toContain('PROMPT-OF-THE-AUDITOR')
    const tools = ['Bash', 'Edit', 'Read', 'Skill', 'Write']
    expect(tools.filter((tool) => auditor?.tools?.some(({ name }) => name === tool))).toEqual(['Read'])
    expect(await run.toolResults('e-mcp')).toEqual(['in the package: true, for team-a'])

    expect(run.run('a-skill').skills_used).toEqual(['pdf-tools'])
    // Its judge quotes the agent.
    expect(run.case('a-skill').notices).toEqual([expect.stringContaining('rests only on the agent')])
    expect(run.case('b-unused').notices).toContain('The skill plain was never used in this run.')
  })

  test('that is broken costs the cases concerned only', async () => {
    await using project = await createPackage({
      cases: {
        'a-whole': { target: 'skill:pdf-tools', turns: ['done'] },
        'b-no-skill-file': { target: 'skill:broken', turns: ['done'] },
        'c-no-fixture': { files: ['fixtures/gone.pdf'], turns: ['done'] },
        'd-broken-hooks': { target: 'hook:pre-tool-use', turns: ['done'] },
      },
      files: {
        ...PARTS,
        'mcp/servers.json': '{ "servers": {} }',
        'skills/broken/notes.md': 'A skill without SKILL.md.',
        'hooks/hooks.json': '{ "version": 1, "hooks": { "pre-tool-use": [{ "hooks": [{ "type": "command" }] }] } }',
        // No manifest: the folder `skills` makes it a package all the same.
        'other/skills/plain/SKILL.md': '---\nname: plain\ndescription: Does little\n---\nLittle.',
        'other/evals/eval-config.json': '{ "version": 1, "engine": "claude-code" }',
        'other/evals/cases/e-no-manifest.yaml':
          'name: e-no-manifest\ninput:\n  prompt: Go.\njudge:\n  criteria: It does.\n',
        'other/evals/scenarios/e-no-manifest.yaml':
          'turns: [done]\njudge:\n  - - { verdict: pass, reason: It did., quote: done }\n',
      },
    })
    const run = await runEvals(project)
    expect(verdicts(run.report)).toEqual([
      'a-whole PASS',
      'b-no-skill-file ERROR invalid-suite',
      'c-no-fixture ERROR invalid-suite',
      'd-broken-hooks ERROR invalid-suite',
    ])
    expect(run.report.cases.map(({ error, notices }) => error ?? notices)).toMatchInlineSnapshot(`
      [
        [
          "The skill pdf-tools was never used in this run.",
        ],
        "evals/cases/b-no-skill-file.yaml:3:13 target: this skill is broken: skills/broken/SKILL.md:1:1 the file does not exist",
        "evals/cases/c-no-fixture.yaml:6:7 input.files.0: fixtures/gone.pdf does not exist below the folder of the evals",
        "evals/cases/d-broken-hooks.yaml:3:13 target: this hook is broken: hooks/hooks.json:1:57 hooks.pre-tool-use.0.hooks.0.command: missing; expected a string",
      ]
    `)
    expect(run.report.notices).toMatchInlineSnapshot(`
      [
        "skills/broken/SKILL.md:1:1 the file does not exist",
        "hooks/hooks.json:1:57 hooks.pre-tool-use.0.hooks.0.command: missing; expected a string",
        "Copies of the package leave out 1 file or folder: node_modules/ (folder of dependencies).",
      ]
    `)
    const other = await readReport(project, 'other/evals/reports')
    expect(verdicts(other)).toEqual(['e-no-manifest PASS'])
    expect(other.package).toEqual({ name: null, version: null })
    expect(other.notices).toEqual([])
  })
})

const bubblewrap = await probeBubblewrap(process.env)

describeEvals('the workspace of a case', () => {
  describe.skipIf(!bubblewrap.works)(
    `in bubblewrap${bubblewrap.works ? '' : ` (skipped: ${bubblewrap.reason})`}`,
    () => {
      test('has what was declared and nothing that gives answers away', async () => {
        const answers = [
          '.env',
          '.git/config',
          'evals/notes.txt',
          'skills/pdf-tools/tests/cases/a.yaml',
          'hooks/tests/cases/a.yaml',
          'agents/auditor/tests/a.yaml',
        ]
        await using project = await createPackage({
          options: "{ sandbox: 'bubblewrap' }",
          cases: {
            'a-reach': {
              files: ['fixtures/deep/', 'fixtures/b.txt'],
              workspaceFiles: ['b.txt', 'src/empty.ts', { path: 'src/own.ts', content: 'own' }],
              turns: [
                { tools: [bash(`grep -rl 'THE-ANS[W]ER' ${PLACES} --exclude-dir=.engine 2>/dev/null; echo nothing`)] },
                { tools: [bash('find . -type f -not -path "./.claude/*" | sort | xargs wc -c')] },
                { tools: [bash('find .claude -type f | sort')] },
                { tools: [bash("find /opt/agent-evals/package -type f -printf '%P\\n' | sort")] },
                'done',
              ],
            },
          },
          files: {
            ...PARTS,
            ...Object.fromEntries(answers.map((path) => [path, 'THE-ANSWER'])),
            'hooks/hooks.json': '{ "version": 1, "hooks": {} }',
            'evals/fixtures/deep/a.txt': 'a',
            'evals/fixtures/b.txt': 'bb',
          },
        })
        const run = await runEvals(project)
        expect(verdicts(run.report)).toEqual(['a-reach PASS'])
        expect((await run.toolResults('a-reach')).join('\n\n')).toMatchInlineSnapshot(`
          "nothing

          27 ./AGENTS.md
           2 ./b.txt
           2 ./evals/fixtures/b.txt
           1 ./evals/fixtures/deep/a.txt
           2 ./fixtures/b.txt
           1 ./fixtures/deep/a.txt
          45 ./package.agent.json
           0 ./src/empty.ts
           3 ./src/own.ts
          83 total

          .claude/agents/auditor.md
          .claude/commands/audit.md
          .claude/rules/style/RULE.md
          .claude/skills/pdf-tools/SKILL.md
          .claude/skills/plain/SKILL.md

          AGENTS.md
          agents/auditor/agent.yaml
          agents/auditor/system-prompt.md
          commands/audit.md
          hooks/hooks.json
          mcp/server.mjs
          mcp/servers.json
          package.agent.json
          package.json
          rules/style/RULE.md
          skills/pdf-tools/SKILL.md
          skills/plain/SKILL.md
          vitest.config.ts"
        `)
      })
    },
  )
})

// Where the session could find something of the package; its own log holds every search for it.
const PLACES = '/workspace /home /opt /run /tmp /etc /var /root /mnt /srv'

function isOf({ body }: ReceivedRequest, name: string): boolean {
  return JSON.stringify(body.messages).includes(name)
}
