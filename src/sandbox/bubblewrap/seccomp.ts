import { CLONE3, MACHINES } from './system-calls.ts'

/**
 * A filter of system calls for `bwrap --seccomp`, as the kernel's classic BPF program; `null` for a processor whose
 * numbers are not known here.
 *
 * It closes what a fresh set of namespaces leaves open: the keyring and other things that no namespace holds, ways to
 * new namespaces and mounts, sockets of other families than the local ones, and parts of the kernel that were often broken.
 */
export function seccompFilter(arch: string = process.arch): Buffer | null {
  const machine = MACHINES[arch]
  if (machine === undefined) return null

  const { audit, denied, clone, socket, ioctl } = machine
  return Buffer.concat([
    load(ARCHITECTURE),
    // Programs for another processor count their calls differently.
    ...unless(audit, [refuse(EPERM)]),
    load(NUMBER),
    ...(arch === 'x64' ? [jump(AT_LEAST, X32_CALLS, 0, 1), refuse(EPERM)] : []),
    ...denied.flatMap((number) => when(number, [refuse(EPERM)])),
    // Its flags lie in memory, where no filter can look. The C library then falls back to the old call.
    ...when(CLONE3, [refuse(ENOSYS)]),
    ...when(clone, [load(argument(0)), jump(HAS_BITS, CLONE_NEWUSER, 0, 1), refuse(EPERM), ALLOW]),
    ...when(socket, [load(argument(0)), ...FAMILIES.flatMap((family) => when(family, [ALLOW])), refuse(EAFNOSUPPORT)]),
    ...when(ioctl, [load(argument(1)), ...TERMINAL_INPUT.flatMap((request) => when(request, [refuse(EPERM)]))]),
    ALLOW,
  ])
}

/** One instruction: what to do, how far to jump if so and if not, and its number. */
function instruction(code: number, value: number, then = 0, otherwise = 0): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(then, 2)
  bytes.writeUInt8(otherwise, 3)
  bytes.writeUInt32LE(value, 4)
  return bytes
}

function when(value: number, steps: readonly Buffer[]): readonly Buffer[] {
  return [jump(EQUALS, value, 0, steps.length), ...steps]
}

function unless(value: number, steps: readonly Buffer[]): readonly Buffer[] {
  return [jump(EQUALS, value, steps.length, 0), ...steps]
}

function jump(test: number, value: number, then: number, otherwise: number): Buffer {
  return instruction(test, value, then, otherwise)
}

function load(offset: number): Buffer {
  return instruction(0x20, offset)
}

function refuse(errno: number): Buffer {
  return instruction(RETURN, 0x0005_0000 + errno)
}

// The low half, which holds all that is looked for, of a 64-bit argument in `struct seccomp_data`.
function argument(index: number): number {
  return 16 + 8 * index
}

const RETURN = 0x06
const EQUALS = 0x15
const AT_LEAST = 0x35
const HAS_BITS = 0x45
const ALLOW = instruction(RETURN, 0x7fff_0000)

const NUMBER = 0
const ARCHITECTURE = 4
const X32_CALLS = 0x4000_0000

const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

const CLONE_NEWUSER = 0x1000_0000
/** Unix, IPv4, IPv6, and netlink, by which programs list the network's interfaces. */
const FAMILIES = [1, 2, 10, 16]
/** TIOCSTI and TIOCLINUX type into the terminal of the process that started us. */
const TERMINAL_INPUT = [0x5412, 0x541c]
