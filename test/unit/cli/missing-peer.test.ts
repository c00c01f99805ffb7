import { expect, test } from 'vitest'
import { missingPeer } from '../../../src/cli/find/require-install.ts'

test.for(['vite', 'vitest'])('says how to install %s where Node does not find it', (name) => {
  const error = new Error(`Cannot find package '${name}' imported from /p/node_modules/vitest/dist/node.js`)
  expect(missingPeer(error)).toBe(
    `The package ${name} is not installed. Add it to your development dependencies: npm install --save-dev ${name}, or yarn add --dev ${name}`,
  )
})

test('leaves every other error as it is', () => {
  expect(missingPeer(new Error("Cannot find package 'react' imported from /p/vitest.config.ts"))).toBeNull()
  expect(missingPeer('no')).toBeNull()
})
