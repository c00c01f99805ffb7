/** What the filter of a processor has to know. */
export interface Machine {
  /** AUDIT_ARCH_* of linux/audit.h. */
  readonly audit: number
  /** Numbers of the calls that are refused outright. */
  readonly denied: readonly number[]
  readonly clone: number
  readonly socket: number
  readonly ioctl: number
}

/** Calls from 424 on have one number everywhere. */
export const CLONE3 = 435

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
export const MACHINES: Readonly<Record<string, Machine>> = {
  x64: { audit: 0xc000_003e, denied: denied(X64), clone: 56, socket: 41, ioctl: 16 },
  arm64: { audit: 0xc000_00b7, denied: denied(ARM64), clone: 220, socket: 198, ioctl: 29 },
}

function denied(own: Readonly<Record<string, number>>): readonly number[] {
  return [...Object.values(own), ...Object.values(EVERYWHERE)]
}
