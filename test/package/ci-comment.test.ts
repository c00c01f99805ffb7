import { chmod, readFile, rm } from 'node:fs/promises'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { MARKER } from '../../src/report/comment/comment.ts'
import { readWorkflow, runStep, stepOf } from '../support/workflows.ts'

const evals = await readWorkflow('evals.yml')

test('the comment of a pull request is written once, then updated in place, with the one permission that this takes', async () => {
  const job = evals.jobs['comment']
  expect(job).toMatchObject({ needs: 'replay', permissions: { 'pull-requests': 'write' } })
  expect(job?.if).toContain('github.event.pull_request.head.repo.full_name == github.repository')
  // What has this permission runs nothing of the pull request.
  expect(JSON.stringify(job)).not.toMatch(/actions\/checkout|npm |npx |secrets\./)
  const step = stepOf(evals, 'comment', 'Comment')
  expect(Object.keys(step.env ?? {})).toEqual(['GH_TOKEN', 'PULL_REQUEST'])
  await using folder = await createFixture({
    'bin/gh': '#!/bin/sh\necho "$*" >>"$HOME/calls"\ncase "$*" in *--paginate*) cat "$HOME/ids" ;; esac\n',
    'home/ids': '',
  })
  await chmod(folder.getPath('bin/gh'), 0o755)
  const post = async (ids: string): Promise<readonly string[]> => {
    await folder.writeFile('home/ids', ids)
    await rm(folder.getPath('home/calls'), { force: true })
    const secrets = {
      GITHUB_REPOSITORY: 'o/r',
      PULL_REQUEST: '5',
      PATH: `${folder.getPath('bin')}:${process.env['PATH']}`,
    }
    const { exitCode, all } = await runStep(folder, step, secrets)
    expect(exitCode, all).toBe(0)
    const calls = await readFile(folder.getPath('home/calls'), 'utf8').catch(() => '')
    return calls.split('\n').filter((line) => line !== '')
  }
  // Where the run has written none there is nothing to say.
  expect(await post('')).toEqual([])
  await folder.writeFile('evals-comment.md', `${MARKER}\n`)
  const [list, create] = await post('')
  expect(list).toContain('api --paginate repos/o/r/issues/5/comments')
  expect(list).toContain(`startswith("${MARKER}")`)
  expect(create).toBe('api --silent --method POST repos/o/r/issues/5/comments --field body=@evals-comment.md')
  const [, update] = await post('123\n456\n')
  expect(update).toBe('api --silent --method PATCH repos/o/r/issues/comments/123 --field body=@evals-comment.md')
})
