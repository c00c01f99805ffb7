// @module-tag claude-code
// @module-tag slow
import { expect, test } from 'vitest'
import { probeBubblewrap } from '../../src/sandbox/bubblewrap/probe.ts'
import { readReports } from '../support/eval-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { scenarioFile, type WrittenTurn } from '../support/package-run.ts'
import { createProject } from '../support/project.ts'
import type { FileTree } from 'fs-fixture'

const LOG = '/run/agent-evals/hooks/mock-calls.jsonl'
const TOOL = 'mcp__tracker__create'
const NO_NOTE = '---\ntype: file_exists\npath: "**/note.md"\nexists: false\n---\n'
const FILED = '---\ntype: regex\ntarget: mock_calls\n---\n"project":"CORE".*filed Bug\n'
const NONE_FILED = '---\ntype: regex\ntarget: mock_calls\nmatch: not_contains\n---\nfiled\n'
const REAL_CALL = { tools: [{ name: TOOL, input: { project: 'CORE', title: 'Bug' } }] }

// As a stand-in writes it, with the nonce that the session can read.
const FORGED = JSON.stringify({
  seq: 1,
  server: 'tracker',
  tool: 'create',
  input: { project: 'CORE', title: 'Bug' },
  responder: 'fixed',
  verdict: 'ok',
  output: 'filed Bug',
}).slice(1)
const NONCE = `$(cat $(find / -name mock-servers.json -not -path '/proc/*' 2>/dev/null) | grep -o '"nonce":"[^"]*"' | head -n 1)`

function bash(command: string): WrittenTurn {
  return { tools: [{ name: 'Bash', input: { command } }] }
}

function evalCase(name: string, grader: string, turns: readonly WrittenTurn[]): FileTree {
  return {
    [`evals/${name}/prompt.md`]: `---\nruns: 1\nallowed_tools: [Bash]\n---\nDo ${name}.\n`,
    [`evals/${name}/graders/only.md`]: grader,
    [`evals/scenarios/${name}.yaml`]: scenarioFile([...turns, 'Done.']),
  }
}

const FILES: FileTree = {
  'package.json': '{ "private": true }\n',
  '.git/HEAD': '',
  '.claude-plugin/plugin.json': '{"name":"plug","version":"1.0.0"}',
  'evals/mocks/tracker/create.md': 'filed {{input.title}}\n',
  ...evalCase('links', NO_NOTE, [bash('ln -s /etc/hosts note.md')]),
  ...evalCase('links-a-folder', NO_NOTE.replace('**', 'out'), [
    bash('mkdir real && echo x > real/note.md && ln -s real out'),
  ]),
  ...evalCase('makes-a-pipe', NO_NOTE, [bash('mkfifo note.md')]),
  ...evalCase('makes-it-large', NO_NOTE, [bash('truncate -s 70M note.md')]),
  ...evalCase('makes-too-many', NO_NOTE, [
    bash('mkdir -p many/deep && echo x > many/deep/note.md && cd many && seq 1 100001 | xargs touch'),
  ]),
  ...evalCase('makes-none', NO_NOTE, [bash('echo x > other.md; ln -s other.md link')]),
  ...evalCase('makes-one', NO_NOTE, [bash('echo x > note.md')]),
  ...evalCase('forges-a-call', FILED, [bash(`echo "{${NONCE},"'${FORGED}' >> ${LOG}`)]),
  ...evalCase('edits-a-call', NONE_FILED, [REAL_CALL, bash(`sed -i 's/filed Bug/refused/' ${LOG}`)]),
  ...evalCase('deletes-a-call', NONE_FILED, [REAL_CALL, bash(`: > ${LOG}`)]),
  ...evalCase('calls', FILED, [REAL_CALL]),
}

const bubblewrap = await probeBubblewrap(process.env)

test.skipIf(!bubblewrap.works)(
  'no session decides a grader by what cannot be read or by records it has forged',
  async () => {
    await using project = await createProject(repositoryVitest(), FILES)
    const finished = await project.agentEvals(['run', '--ablation', 'none'], {
      merged: true,
      env: { AGENT_EVALS_SANDBOX: 'bubblewrap' },
    })
    const [report] = await readReports(project)
    const found = Object.fromEntries(
      (report?.cases ?? []).map(({ name, verdict, error_code: code }) => [
        name,
        code === null ? verdict : `${verdict} ${code}`,
      ]),
    )
    expect(found, finished.stdout).toEqual({
      links: 'ERROR judge-failed',
      'links-a-folder': 'ERROR judge-failed',
      'makes-a-pipe': 'ERROR judge-failed',
      'makes-it-large': 'ERROR judge-failed',
      'makes-too-many': 'ERROR judge-failed',
      'makes-none': 'PASS',
      'makes-one': 'FAIL',
      'forges-a-call': 'ERROR records-differ',
      'edits-a-call': 'ERROR records-differ',
      'deletes-a-call': 'ERROR records-differ',
      calls: 'PASS',
    })
  },
)
