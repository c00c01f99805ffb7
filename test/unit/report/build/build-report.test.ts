import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { skippedJudge } from '../../../../src/judges/judgement.ts'
import type { Provenance } from '../../../../src/report/results/provenance.ts'
import type { Report } from '../../../../src/report/report.ts'
import type { CaseResult } from '../../../../src/report/results/result.ts'
import { factsOf, summarizeRun } from '../../../../src/report/build/summarize-run.ts'
import { agentRun, hook } from '../../../support/agent-run.ts'
import { caseResult, plannedCase, reportOf } from '../../../support/case-result.ts'

const provenance: Provenance = {
  os: 'linux',
  arch: 'x86_64',
  nodeVersion: '22.1.0',
  pythonVersion: '3.12.3',
  git: { commit: 'c'.repeat(40), dirty: true },
  agentEvalsVersion: '0.2.0',
  priceTable: '@pydantic/genai-prices 0.1.8',
  vitestVersion: '4.1.12',
}
const judge = {
  ...skippedJudge('All there.'),
  result: 'passed',
  statements: [
    {
      text: 'Output must include all text.',
      verdict: 'pass',
      reason: 'All there.',
      quote: 'Page 1',
      quoteFoundIn: 'output',
      agreement: { agree: 1, of: 1 },
    },
  ],
  votes: 1,
  model: 'claude-sonnet-4-20250514',
  provider: 'anthropic',
  selfJudged: true,
} as const
const notContains = {
  kind: 'not-contains',
  value: 'Successfully wrote',
  at: { line: 10, column: 7 },
  outcome: 'passed',
  message: '',
} as const
const blocked = {
  kind: 'agent-blocked',
  value: true,
  at: { line: 11, column: 3 },
  outcome: 'failed',
  message: 'expected agent-blocked=true but hook exited 0',
} as const
const report = (...results: readonly CaseResult[]): Report =>
  reportOf(results, { notRun: [plannedCase('z-not-run')], durationMs: 87_000, provenance })

const whole = report(
  caseResult('b-hook', {
    target: 'hook:pre-tool-use',
    outcome: 'failed',
    reason: blocked.message,
    checks: [notContains, { ...notContains, value: 'x' }, blocked],
    judge: { ...judge, result: 'skipped', reason: 'a check failed' },
    runs: [
      summarizeRun(
        agentRun(
          {
            costUsd: 0.02,
            files: {
              created: [{ path: 'a', size: 1, hash: 'a'.repeat(64) }],
              modified: [],
              deleted: ['b'],
              unreadable: [{ path: 'c', reason: 'is a folder', kind: 'other', isNew: true }],
            },
          },
          [hook()],
        ),
        1,
        null,
      ),
    ],
  }),
  caseResult('a-pdf', { judge }),
  caseResult('c-lost', {
    outcome: 'errored',
    reason: 'x',
    error: { code: 'timed-out', message: 'no answer after 120 s' },
    usage: null,
    costUsd: null,
    agent_output_snippet: null,
  }),
)

test('holds every field of the AAM text', () => {
  const { cases, inputs: _, ...head } = whole
  expect(head).toMatchInlineSnapshot(`
    {
      "agent": {
        "model": "claude-sonnet-4-20250514",
        "model_provider": "anthropic",
        "runtime": "claude-code",
        "runtime_version": "1.4.2",
        "session_id": null,
      },
      "agent_evals_version": "0.2.0",
      "config": {
        "engine": "claude-code",
        "engine_version": "1.4.2",
        "judge": "claude-sonnet-4-20250514",
        "timeout": 120,
      },
      "duration_seconds": 87,
      "environment": {
        "aam_version": null,
        "arch": "x86_64",
        "node_version": "22.1.0",
        "os": "linux",
        "python_version": "3.12.3",
      },
      "git": {
        "commit": "cccccccccccccccccccccccccccccccccccccccc",
        "dirty": true,
      },
      "id": "eval-run-2026-02-22T14-30-00Z-a1b2c3",
      "judge": {
        "claims": 0,
        "model": "claude-sonnet-4-20250514",
        "model_provider": "anthropic",
      },
      "notices": [],
      "package": {
        "name": "@my-org/code-review",
        "version": "1.0.0",
      },
      "plan": null,
      "price_table": "@pydantic/genai-prices 0.1.8",
      "source": "live",
      "status": "partial",
      "summary": {
        "cost_usd": 0.04,
        "errored": 1,
        "failed": 1,
        "pass_rate": 0.5,
        "passed": 1,
        "skipped": 1,
        "tokens": {
          "cache_read_tokens": 30,
          "cache_write_tokens": 4,
          "input_tokens": 1000,
          "output_tokens": 200,
        },
        "total": 4,
        "unknown_cost_cases": 1,
      },
      "timestamp": "2026-02-22T14:30:00Z",
      "version": 1,
      "vitest_version": "4.1.12",
    }
  `)
  expect(
    cases.map(({ name, verdict, error, error_code, skip_reason }) => [name, verdict, error ?? skip_reason, error_code]),
  ).toEqual([
    ['a-pdf', 'PASS', null, null],
    ['b-hook', 'FAIL', 'expected agent-blocked=true but hook exited 0', null],
    ['c-lost', 'ERROR', 'no answer after 120 s', 'timed-out'],
    ['z-not-run', 'SKIP', 'not-run', null],
  ])
})

test('describes a case with its checks, its judge and its runs', () => {
  expect(whole.cases[1]).toMatchInlineSnapshot(`
    {
      "agent": {
        "model": "claude-sonnet-4-20250514",
        "model_provider": "anthropic",
        "runtime": "claude-code",
        "runtime_version": "1.4.2",
        "session_id": "sess_b-hook",
      },
      "agent_output_snippet": "done",
      "arm": null,
      "cached": false,
      "category": null,
      "checks": [
        {
          "kind": "not-contains",
          "line": 10,
          "message": null,
          "result": "PASS",
          "value": "Successfully wrote",
          "weak": null,
        },
        {
          "kind": "not-contains",
          "line": 10,
          "message": null,
          "result": "PASS",
          "value": "x",
          "weak": null,
        },
        {
          "kind": "agent-blocked",
          "line": 11,
          "message": "expected agent-blocked=true but hook exited 0",
          "result": "FAIL",
          "value": true,
          "weak": null,
        },
      ],
      "column": null,
      "cost": {
        "agent_usd": 0.02,
        "judge_usd": 0,
        "known_usd": 0.02,
      },
      "cost_usd": 0.02,
      "deterministic_checks": {
        "agent_blocked": "FAIL",
        "not_contains": "PASS",
      },
      "duration_seconds": 18.004,
      "engine": "claude-code",
      "error": "expected agent-blocked=true but hook exited 0",
      "error_code": null,
      "expectations": [
        {
          "agreement": {
            "agree": 1,
            "of": 1,
          },
          "evidence": [],
          "evidence_found_in": "output",
          "reason": "All there.",
          "rests": null,
          "result": "PASS",
          "text": "Output must include all text.",
          "weak": null,
        },
      ],
      "file": "packages/review/evals/cases/b-hook.yaml",
      "format": "aam",
      "hard_fails": null,
      "id": "evals/cases/b-hook.yaml#b-hook",
      "inputs": [
        "2",
      ],
      "judge_skipped": "a check failed",
      "judge_verdict": null,
      "line": 1,
      "model": null,
      "name": "b-hook",
      "notices": [],
      "outcome": "failed",
      "recorded": null,
      "repeats": null,
      "reused_from": null,
      "runs": [
        {
          "cost_usd": 0.02,
          "decided_because": null,
          "decided_by": null,
          "duration_seconds": 1.2,
          "exit_code": 0,
          "files": {
            "created": [
              {
                "hash": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                "path": "a",
                "size": 1,
              },
            ],
            "deleted": [
              "b",
            ],
            "modified": [],
            "unreadable": [
              {
                "path": "c",
                "reason": "is a folder",
              },
            ],
          },
          "folder": null,
          "hooks": [
            {
              "decision": "allowed",
              "event": "pre-tool-use",
              "exit_code": 0,
              "reason": "",
              "told": [],
              "tool": "Write",
            },
          ],
          "index": 1,
          "problem": null,
          "requests": 1,
          "skills_used": [],
          "status": "completed",
          "tool_calls": {},
          "usage": null,
          "verdict": null,
        },
      ],
      "sabotage": null,
      "sandbox": {
        "asked": "auto",
        "enforced": "bubblewrap",
      },
      "scores": null,
      "skip_reason": null,
      "source": "live",
      "suite": "evals/cases/b-hook.yaml",
      "tags": [],
      "target": "hook:pre-tool-use",
      "trigger": null,
      "usage": null,
      "vault_hash": null,
      "verdict": "FAIL",
      "weighted_score": null,
    }
  `)
  expect(whole.cases[0]?.judge_verdict).toEqual({
    result: 'PASS',
    reason: 'All there.',
    model: 'claude-sonnet-4-20250514',
    model_provider: 'anthropic',
    self_judged: true,
    votes: 1,
    usage: null,
    cost_usd: 0,
  })
})

test('a kind with several checks has the worst of their results', () => {
  const checks = (['passed', 'errored', 'failed', 'passed'] as const).map((outcome) => ({ ...notContains, outcome }))
  const { cases } = report(caseResult('a', { checks }), caseResult('b', { checks: checks.slice(0, 2) }))
  expect(cases[0]?.deterministic_checks).toEqual({ not_contains: 'FAIL' })
  expect(cases[1]?.deterministic_checks).toEqual({ not_contains: 'ERROR' })
})

test('the pass rate leaves out what was not decided', () => {
  const failed = caseResult('f', { outcome: 'failed', reason: 'x' })
  const { summary } = report(caseResult('a'), caseResult('b'), failed)
  expect(summary).toMatchObject({ total: 4, passed: 2, failed: 1, skipped: 1, pass_rate: 0.67 })
  expect(report().summary).toMatchObject({ total: 1, pass_rate: null, cost_usd: 0 })
})

test('what the cases do not share is null above and in each case', () => {
  const { agent } = factsOf(agentRun({ engineVersion: '1.4.3', model: 'gpt-5.5', sessionId: 's' }))
  const mixed = report(caseResult('a'), caseResult('b', { agent, source: 'replay', costUsd: 0 }))
  expect(mixed.source).toBe('mixed')
  expect(mixed.agent).toEqual({
    runtime: 'claude-code',
    runtime_version: null,
    model: null,
    model_provider: null,
    session_id: null,
  })
  expect(mixed.cases[1]?.agent).toMatchObject({ runtime_version: '1.4.3', model: 'gpt-5.5', model_provider: 'openai' })
  expect(mixed.judge).toMatchObject({ model: null, model_provider: null })
  expect(mixed.summary.cost_usd).toBe(0.02)
})

test('its schema takes the sample of the AAM text and our own reports', () => {
  const read = (path: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, path), 'utf8'))
  const compile = (schema: unknown): ValidateFunction =>
    new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true }).compile(
      schema as object,
    )
  const schema = read('../../../../schemas/report.schema.json')
  const open = compile(schema)
  const problems = (value: unknown, validate = open): unknown =>
    validate(JSON.parse(JSON.stringify(value))) ? [] : validate.errors
  expect(problems(read('../aam-report-sample.json'))).toEqual([])
  expect(problems(whole)).toEqual([])
  expect(problems(report())).toEqual([])
  expect(problems({ ...whole, cases: [{ ...whole.cases[0], verdict: 'OK' }] })).not.toEqual([])
  expect(problems(whole, compile(closed(schema)))).toEqual([])
})

// Every field that is not named is a mistake.
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const own = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, closed(item)]))
  return { ...own, ...('properties' in value && { additionalProperties: false }) }
}

test('a case has its column where other cases start at its line', () => {
  const { cases } = report(caseResult('alone'), caseResult('shared', { at: { line: 1, column: 40 }, sharesLine: true }))
  expect(cases.map(({ column }) => column)).toEqual([null, 40, null])
})
