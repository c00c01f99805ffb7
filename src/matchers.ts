export * from './vitest/matchers/matchers.ts'
