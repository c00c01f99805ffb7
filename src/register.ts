import { expect } from 'vitest'
import * as matchers from './matchers.ts'
import './vitest/matchers/augment.ts'

expect.extend(matchers)
