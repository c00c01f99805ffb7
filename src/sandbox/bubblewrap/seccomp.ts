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

  const { audit, denied: deniedHere, clone, socket, ioctl } = machine
  return Buffer.concat([
    load(ARCHITECTURE),
    // Programs for another processor count their calls differently.
    ...unless(audit, [refuse(EPERM)]),
    load(NUMBER),
    ...(arch === 'x64' ? [jump(AT_LEAST, X32_CALLS, 0, 1), refuse(EPERM)] : []),
    ...deniedHere.flatMap((number) => when(number, [refuse(EPERM)])),
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

/** What the filter of a processor has to know. */
interface Machine {
  /** AUDIT_ARCH_* of linux/audit.h. */
  readonly audit: number
  /** Numbers of the calls that are refused outright. */
  readonly denied: readonly number[]
  readonly clone: number
  readonly socket: number
  readonly ioctl: number
}

/** Calls from 424 on have one number everywhere. */
const CLONE3 = 435

const EVERYWHERE = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  pidfd_getfd: 438,
  mount_setattr: 442,
}

const X64 = {
  // What these hold is in no control group of a session, and outlives it.
  shmget: 29,
  io_setup: 206,
  ptrace: 101,
  syslog: 103,
  uselib: 134,
  modify_ldt: 154,
  pivot_root: 155,
  chroot: 161,
  acct: 163,
  settimeofday: 164,
  mount: 165,
  umount2: 166,
  swapon: 167,
  swapoff: 168,
  reboot: 169,
  iopl: 172,
  ioperm: 173,
  init_module: 175,
  delete_module: 176,
  quotactl: 179,
  lookup_dcookie: 212,
  clock_settime: 227,
  kexec_load: 246,
  add_key: 248,
  request_key: 249,
  keyctl: 250,
  unshare: 272,
  perf_event_open: 298,
  fanotify_init: 300,
  open_by_handle_at: 304,
  setns: 308,
  process_vm_readv: 310,
  process_vm_writev: 311,
  kcmp: 312,
  finit_module: 313,
  kexec_file_load: 320,
  bpf: 321,
  userfaultfd: 323,
}

const ARM64 = {
  io_setup: 0,
  shmget: 194,
  lookup_dcookie: 18,
  umount2: 39,
  mount: 40,
  pivot_root: 41,
  chroot: 51,
  quotactl: 60,
  acct: 89,
  unshare: 97,
  kexec_load: 104,
  init_module: 105,
  delete_module: 106,
  clock_settime: 112,
  syslog: 116,
  ptrace: 117,
  reboot: 142,
  settimeofday: 170,
  add_key: 217,
  request_key: 218,
  keyctl: 219,
  swapon: 224,
  swapoff: 225,
  perf_event_open: 241,
  fanotify_init: 262,
  open_by_handle_at: 265,
  setns: 268,
  process_vm_readv: 270,
  process_vm_writev: 271,
  kcmp: 272,
  finit_module: 273,
  bpf: 280,
  userfaultfd: 282,
  kexec_file_load: 294,
}

/** By the names that Node gives processors. */
const MACHINES: Readonly<Record<string, Machine>> = {
  x64: { audit: 0xc000_003e, denied: denied(X64), clone: 56, socket: 41, ioctl: 16 },
  arm64: { audit: 0xc000_00b7, denied: denied(ARM64), clone: 220, socket: 198, ioctl: 29 },
}

function denied(ofMachine: Readonly<Record<string, number>>): readonly number[] {
  return [...Object.values(ofMachine), ...Object.values(EVERYWHERE)]
}
