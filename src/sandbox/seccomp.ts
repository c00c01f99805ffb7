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
/** TIOCSTI and TIOCLINUX type into the terminal of whoever started us. */
const TERMINAL_INPUT = [0x5412, 0x541c]

interface Machine {
  /** AUDIT_ARCH_* of linux/audit.h. */
  readonly audit: number
  readonly denied: readonly number[]
  readonly clone: number
  readonly socket: number
  readonly ioctl: number
}

const CLONE3 = 435

/** Calls from 424 on have one number everywhere: io_uring, mounts by descriptor, and descriptors of other processes. */
const EVERYWHERE = [425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442]

/** Names in the order of the numbers of x64. */
const X64_DENIED = [
  ...[101, 103, 134, 154, 155, 161, 163], // ptrace, syslog, uselib, modify_ldt, pivot_root, chroot, acct
  ...[164, 165, 166, 167, 168, 169, 172, 173], // settimeofday, mount, umount2, swapon, swapoff, reboot, iopl, ioperm
  ...[175, 176, 179, 212, 227, 246], // init_module, delete_module, quotactl, lookup_dcookie, clock_settime, kexec_load
  ...[248, 249, 250, 272, 298, 300], // add_key, request_key, keyctl, unshare, perf_event_open, fanotify_init
  ...[304, 308, 310, 311, 312], // open_by_handle_at, setns, process_vm_readv, process_vm_writev, kcmp
  ...[313, 320, 321, 323], // finit_module, kexec_file_load, bpf, userfaultfd
]

/** The same without those that only x64 has, in the order of the numbers of arm64. */
const ARM64_DENIED = [
  ...[18, 39, 40, 41, 51, 60, 89], // lookup_dcookie, umount2, mount, pivot_root, chroot, quotactl, acct
  ...[97, 104, 105, 106, 112, 116, 117], // unshare, kexec_load, init_module, delete_module, clock_settime, syslog, ptrace
  ...[142, 170, 217, 218, 219, 224, 225], // reboot, settimeofday, add_key, request_key, keyctl, swapon, swapoff
  ...[241, 262, 265, 268, 270, 271], // perf_event_open, fanotify_init, open_by_handle_at, setns, process_vm_readv, _writev
  ...[272, 273, 280, 282, 294], // kcmp, finit_module, bpf, userfaultfd, kexec_file_load
]

const MACHINES: Readonly<Record<string, Machine>> = {
  x64: { audit: 0xc000_003e, denied: [...X64_DENIED, ...EVERYWHERE], clone: 56, socket: 41, ioctl: 16 },
  arm64: { audit: 0xc000_00b7, denied: [...ARM64_DENIED, ...EVERYWHERE], clone: 220, socket: 198, ioctl: 29 },
}
