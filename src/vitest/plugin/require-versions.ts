import { AgentEvalsError } from '../../errors.ts'
import { withoutStack } from '../../options/without-stack.ts'

/**
 * Refuses a Vitest that lacks what this package uses, and a Node on which Vitest itself breaks. Not every package
 * manager refuses to install them.
 *
 * @throws {AgentEvalsError} `unsupported-vitest`
 */
export function requireVersions(vitest: string, node: string = process.versions.node): void {
  if (isBefore(vitest, [4, 1])) {
    const message = `This package needs Vitest 4.1 or 5, and found ${vitest}. Update it: npm install --save-dev vitest@${newestOn(node)}`
    throw withoutStack(new AgentEvalsError('unsupported-vitest', message))
  }
  if (!isBefore(vitest, [5, 0]) && newestOn(node) === '4') {
    const message = `Vitest ${vitest} needs Node 22.12 or newer, and this is Node ${node}. Update Node, or install an older Vitest: npm install --save-dev vitest@4`
    throw withoutStack(new AgentEvalsError('unsupported-vitest', message))
  }
}

function newestOn(node: string): '4' | 'latest' {
  return isBefore(node, [22, 12]) ? '4' : 'latest'
}

function isBefore(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  return ownMajor < major || (ownMajor === major && ownMinor < minor)
}
