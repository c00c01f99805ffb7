import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** What sessions have left on the machine, each as one line that says where. */
export interface Remains {
  readonly processes: readonly string[]
  readonly sockets: readonly string[]
  readonly mounts: readonly string[]
  /** Entries of the temporary folder. */
  readonly folders: readonly string[]
}

/** By what the traces of a project's sessions are told from everything else. */
export interface Traces {
  /** Is in the command lines, variables or socket names of all that a session starts. */
  readonly mark: string
  /** The project's own folder for temporary files. */
  readonly temporary: string
}

/** A machine without any. */
export const NOTHING: Remains = { processes: [], sockets: [], mounts: [], folders: [] }

/** Looks for whatever sessions left. A process that closes its variables off is found by the mounts that it sees. */
export function findRemains(traces: Traces): Remains {
  const isOurs = (text: string): boolean => text.includes(traces.mark) || text.includes(traces.temporary)
  return {
    processes: findProcesses(isOurs),
    sockets: linesOf('/proc/net/unix').filter(isOurs),
    mounts: linesOf('/proc/self/mountinfo').filter(isOurs),
    folders: readdirSync(traces.temporary).filter((name) => OUR_FOLDERS.test(name)),
  }
}

function findProcesses(isOurs: (text: string) => boolean): readonly string[] {
  return listFolder('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return []
    const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
    // A zombie has none, and can do nothing.
    if (command === '') return []
    const places = [read(`/proc/${pid}/environ`), read(`/proc/${pid}/mountinfo`), link(`/proc/${pid}/cwd`)]
    return [command, ...places].some(isOurs) ? [command] : []
  })
}

function linesOf(file: string): readonly string[] {
  return read(file).split('\n')
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

function link(file: string): string {
  try {
    return readlinkSync(file)
  } catch {
    return ''
  }
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const OUR_FOLDERS = /^(?:agent-evals-|aev-)/
