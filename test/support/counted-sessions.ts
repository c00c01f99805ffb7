import { accessSync, chmodSync, constants, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createFixture } from 'fs-fixture'

/** A PATH whose `bwrap` counts the sessions that it confines; it runs outside of them. */
export interface CountedSessions extends AsyncDisposable {
  readonly path: string
  /** How often a program of an engine was started since the last call. */
  takeStarts(): number
}

/** Counts the starts of an engine's program, such as `claude`, in the sandbox of Linux. */
export async function countSessions(program: string): Promise<CountedSessions> {
  const path = process.env['PATH'] ?? ''
  const bwrap = path.split(delimiter).map((folder) => join(folder, 'bwrap'))
  const real = bwrap.find(isExecutable) ?? ''
  const fixture = await createFixture({ starts: '' })
  // Other arguments are those of the probes of the sandbox.
  const script = `#!/bin/sh\ncase "$*" in */bin/${program}*) echo start >> '${fixture.getPath('starts')}' ;; esac\nexec '${real}' "$@"\n`
  await fixture.writeFile('bwrap', script)
  chmodSync(fixture.getPath('bwrap'), 0o755)
  let taken = 0
  return {
    path: `${fixture.path}${delimiter}${path}`,
    takeStarts() {
      const before = taken
      taken = readFileSync(fixture.getPath('starts'), 'utf8').split('\n').length - 1
      return taken - before
    },
    [Symbol.asyncDispose]: () => fixture.rm(),
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
