import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Processes of this machine from /proc, see proc_pid_stat(5). Without /proc, as on macOS, no processes are known. */

/** A process, distinguishable from a later one with the same pid. */
export interface ProcessId {
  pid: number
  /** Start time in clock ticks since boot; empty if unknown. */
  started: string
}

/** A process, or one of its threads. */
export interface Task {
  state: string
  /** Time on a processor, in user and kernel mode. */
  cpu_ms: number
  started: string
}

/** The kernel reports times in these units, USER_HZ, on every architecture that Node runs on. */
const TICKS_PER_S = 100

export function thisProcess(): ProcessId {
  return { pid: process.pid, started: taskOf(process.pid)?.started ?? '' }
}

/** Also false for a zombie, although kill(2) still succeeds for it. */
export function isRunning({ pid, started }: ProcessId): boolean {
  return taskOf(pid)?.started === started
}

/** Undefined when there is no such process or it is a zombie. */
export function taskOf(pid: number): Task | undefined {
  return readTask(`/proc/${pid}/stat`)
}

/** The threads of a process by thread id; empty when it has exited. */
export function threadsOf(pid: number): Map<string, Task> {
  return tasks(namesIn(`/proc/${pid}/task`).map((tid) => [tid, readTask(`/proc/${pid}/task/${tid}/stat`)]))
}

/** The processes with these pids that are running, by pid. */
export function tasksOf(pids: readonly number[]): Map<string, Task> {
  return tasks(pids.map((pid) => [`${pid}`, taskOf(pid)]))
}

export function allPids(): number[] {
  return namesIn('/proc').map(Number).filter(Number.isInteger)
}

/** What a link of a process points to. Undefined if the process has exited or belongs to another user. */
export function linkOf(pid: number | 'self', name: 'cwd' | 'exe' | 'ns/pid'): string | undefined {
  return unlessGone(() => readlinkSync(`/proc/${pid}/${name}`), 'EACCES')
}

function tasks(read: [string, Task | undefined][]): Map<string, Task> {
  return new Map(read.flatMap(([id, task]) => (task === undefined ? [] : [[id, task]])))
}

function readTask(file: string): Task | undefined {
  const stat = unlessGone(() => readFileSync(file, 'utf8'))
  if (stat === undefined) return undefined
  // The second field is the program's name in parentheses and may itself contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state = '', started = ''] = [fields[0], fields[19]]
  if (state === 'Z' || state === 'X') return undefined
  return { state, started, cpu_ms: ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_S }
}

function namesIn(folder: string): string[] {
  return unlessGone(() => readdirSync(folder)) ?? []
}

/** Undefined when the file or process does not exist. */
export function unlessGone<T>(read: () => T, also?: 'EACCES'): T | undefined {
  try {
    return read()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ESRCH' || code === also) return undefined
    throw error
  }
}
