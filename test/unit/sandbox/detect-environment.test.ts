import { expect, test } from 'vitest'
import { isContainer } from '../../../src/sandbox/environment.ts'

function machine(files: Record<string, string>): (path: string) => string | null {
  return (path) => files[path] ?? null
}

test.for([
  [{}, { '/proc/1/cgroup': '0::/init.scope\n' }, false],
  [{ container: '' }, {}, false],
  [{ container: 'podman' }, {}, true],
  [{ KUBERNETES_SERVICE_HOST: '10.0.0.1' }, {}, true],
  [{}, { '/.dockerenv': '' }, true],
  [{}, { '/run/.containerenv': '' }, true],
  [{}, { '/proc/1/cgroup': '12:pids:/docker/0123\n' }, true],
  [{}, { '/proc/1/cgroup': '0::/kubepods.slice/x\n' }, true],
] as const)('knows a container by %j and %j: %j', ([environment, files, expected]) => {
  expect(isContainer(environment, machine(files))).toBe(expected)
})
