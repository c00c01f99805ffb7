import { readFileSync, statSync, type Stats } from 'node:fs'
import { listNames } from '../../lib/files.ts'
import { sum } from '../../lib/lists.ts'
import { runProcess } from './run-process.ts'

/** A process of this machine. */
export interface ListedProcess {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** Bytes of memory, where the list itself shows them. */
  readonly resident: number | null
}

/** Every process that can be seen. Empty where there is neither `/proc` nor `ps`. */
export async function listSessionProcesses(
  platform: NodeJS.Platform = process.platform,
): Promise<readonly ListedProcess[]> {
  if (platform === 'linux') return listNames('/proc').flatMap((name) => (/^\d+$/.test(name) ? readStat(name) : []))
  const columns = ['-axo', 'pid=,ppid=,pgid=,rss=']
  const listed = await runProcess('/bin/ps', columns, { cwd: '/', env: {}, deadlineMs: 5000, graceMs: 0 })
  return listed.stdoutTail.split('\n').flatMap(readRow)
}

/** The processes of a session: those below its first process, and those of its group. */
export function findMembers(processes: readonly ListedProcess[], leader: number): readonly ListedProcess[] {
  const byId = new Map(processes.map((listed) => [listed.pid, listed]))
  return processes.filter((listed) => isMember(listed, leader, byId))
}

/** Bytes of memory that these processes have together. */
export function measureMemory(members: readonly ListedProcess[], limit: number): number {
  const quick = sum(members.map(({ pid, resident }) => resident ?? readFields(pid, 'status', QUICK)))
  if (quick <= limit) return quick
  // Pages that a fork has not yet written to were counted for each process.
  const shares = members.map(({ pid, resident }) => resident ?? readFields(pid, 'smaps_rollup', SHARES))
  return sum(shares) === 0 ? quick : sum(shares)
}

/** Bytes of files that no folder shows any more, but that these processes still have open or, as root sees it, mapped. */
export function measureDeletedFiles(members: readonly ListedProcess[]): number {
  const files = new Map<string, number>()
  for (const { pid } of members)
    for (const held of [...listNames(`/proc/${pid}/fd`).map((name) => `fd/${name}`), ...mappedDeleted(pid)]) {
      const stats = statFile(`/proc/${pid}/${held}`)
      if (stats?.isFile() === true && stats.nlink === 0) files.set(`${stats.dev}:${stats.ino}`, stats.blocks * BLOCK)
    }
  return sum([...files.values()])
}

function mappedDeleted(pid: number): readonly string[] {
  const lines = readText(`/proc/${pid}/maps`).matchAll(/^([0-9a-f]+)-([0-9a-f]+) .* \(deleted\)$/gm)
  return Array.from(lines, ([, from, to]) => `map_files/${plainAddress(from)}-${plainAddress(to)}`)
}

// As its folder names it.
function plainAddress(address = ''): string {
  return address.replace(/^0+(?=.)/, '')
}

// The name of the program may hold anything, parentheses and blanks too.
function readStat(name: string): readonly ListedProcess[] {
  const text = readText(`/proc/${name}/stat`)
  const [, parent, group] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return group === undefined
    ? []
    : [{ pid: Number(name), parent: Number(parent), group: Number(group), resident: null }]
}

function readRow(row: string): readonly ListedProcess[] {
  const [pid, parent, group, resident] = (/^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*$/.exec(row) ?? []).slice(1).map(Number)
  if (pid === undefined || parent === undefined || group === undefined || resident === undefined) return []
  return [{ pid, parent, group, resident: resident * KIBIBYTE }]
}

function isMember(listed: ListedProcess, leader: number, byId: ReadonlyMap<number, ListedProcess>): boolean {
  // The list is not of one moment, so an id that was used again could make a circle.
  let at: ListedProcess | undefined = listed
  for (let step = 0; at !== undefined && step < byId.size; step += 1) {
    if (at.pid === leader || at.group === leader) return true
    at = byId.get(at.parent)
  }
  return false
}

function readFields(pid: number, file: string, fields: RegExp): number {
  return (
    sum([...readText(`/proc/${pid}/${file}`).matchAll(fields)].map(([, kibibytes]) => Number(kibibytes))) * KIBIBYTE
  )
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

function statFile(file: string): Stats | null {
  try {
    return statSync(file)
  } catch {
    return null
  }
}

// What is read from program files is shared with other sessions.
const QUICK = /^(?:RssAnon|RssShmem):\s+(\d+) kB$/gm
const SHARES = /^(?:Pss_Anon|Pss_Shmem):\s+(\d+) kB$/gm
const KIBIBYTE = 1024
/** The unit in which files name what they take, whatever the file system's own. */
const BLOCK = 512
