import { messageOf } from '../../errors.ts'

/** What to do where Vitest, or the Vite that it needs, is not installed: Yarn installs no peer of a package. */
export function missingPeer(error: unknown): string | null {
  const [, name] = /^Cannot find package '(vite|vitest)' imported from/.exec(messageOf(error)) ?? []
  if (name === undefined) return null
  return `The package ${name} is not installed. Add it to your development dependencies: npm install --save-dev ${name}, or yarn add --dev ${name}`
}
