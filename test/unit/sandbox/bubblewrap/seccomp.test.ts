import { expect, test } from 'vitest'
import { seccompFilter } from '../../../../src/sandbox/bubblewrap/seccomp.ts'

interface Call {
  readonly arch?: number
  readonly number: number
  readonly arguments?: readonly number[]
}

const X64 = 0xc000_003e
const ARM64 = 0xc000_00b7
const ALLOWED = 'allowed'

test.for([
  ['read', { number: 0 }, ALLOWED],
  ['ptrace', { number: 101 }, 'errno 1'],
  ['userfaultfd, the last of its list', { number: 323 }, 'errno 1'],
  ['io_uring_setup', { number: 425 }, 'errno 1'],
  ['shmget', { number: 29 }, 'errno 1'],
  ['io_setup', { number: 206 }, 'errno 1'],
  ['clone3', { number: 435 }, 'errno 38'],
  ['clone of a process', { number: 56, arguments: [0x11] }, ALLOWED],
  ['clone into a user namespace', { number: 56, arguments: [0x1000_0011] }, 'errno 1'],
  ['socket of IPv4', { number: 41, arguments: [2] }, ALLOWED],
  ['socket of vsock', { number: 41, arguments: [40] }, 'errno 97'],
  ['ioctl TCGETS', { number: 16, arguments: [0, 0x5401] }, ALLOWED],
  ['ioctl TIOCSTI', { number: 16, arguments: [0, 0x5412] }, 'errno 1'],
  ['a call of the x32 ABI', { number: 0x4000_0000 }, 'errno 1'],
  ['a call of a 32-bit program', { arch: 0x4000_0003, number: 3 }, 'errno 1'],
] as const satisfies readonly (readonly [string, Call, string])[])('on x64, %s is %s', ([, call, outcome]) => {
  expect(decide(seccompFilter('x64')!, { arch: X64, ...call })).toBe(outcome)
})

test.for([
  ['read', { number: 63 }, ALLOWED],
  ['ptrace', { number: 117 }, 'errno 1'],
  ['shmget', { number: 194 }, 'errno 1'],
  ['io_setup', { number: 0 }, 'errno 1'],
  ['keyctl', { number: 219 }, 'errno 1'],
  ['clone into a user namespace', { number: 220, arguments: [0x1000_0011] }, 'errno 1'],
  ['socket of unix', { number: 198, arguments: [1] }, ALLOWED],
  ['socket of packets', { number: 198, arguments: [17] }, 'errno 97'],
] as const satisfies readonly (readonly [string, Call, string])[])('on arm64, %s is %s', ([, call, outcome]) => {
  expect(decide(seccompFilter('arm64')!, { arch: ARM64, ...call })).toBe(outcome)
})

test('there is none for a processor whose numbers are not known', () => {
  expect(seccompFilter('riscv64')).toBeNull()
})

/** Runs the program as the kernel would. */
function decide(filter: Buffer, { arch = X64, number, arguments: given = [] }: Call): string {
  const facts = Buffer.alloc(64)
  facts.writeUInt32LE(number, 0)
  facts.writeUInt32LE(arch, 4)
  for (const [index, value] of given.entries()) facts.writeUInt32LE(value, 16 + 8 * index)
  let loaded = 0
  for (let at = 0; at < filter.length; at += 8) {
    const code = filter.readUInt16LE(at)
    const value = filter.readUInt32LE(at + 4)
    if (code === 0x06) return value === 0x7fff_0000 ? ALLOWED : `errno ${value & 0xffff}`
    if (code === 0x20) loaded = facts.readUInt32LE(value)
    else at += 8 * filter.readUInt8(at + (holds(code, loaded, value) ? 2 : 3))
  }
  return 'the program has no end'
}

function holds(code: number, loaded: number, value: number): boolean {
  if (code === 0x15) return loaded === value
  return code === 0x35 ? loaded >= value : (loaded & value) !== 0
}
