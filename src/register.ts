import './vitest/matchers/register.ts'
