import { expect } from 'vitest'
import * as matchers from './matchers.ts'
import './augment.ts'

expect.extend(matchers)
