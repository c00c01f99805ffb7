import './vitest/matchers/arguments.ts'
import './vitest/matchers/register.ts'
