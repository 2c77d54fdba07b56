import { execFileSync } from 'node:child_process'

/** The id of the child of a process whose command line contains the text; null while there is none. */
export function childOf(pid: number, text: string): number | null {
  const lines = execFileSync('ps', ['-e', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  const found = lines
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .find((match) => Number(match?.[2]) === pid && match?.[3]?.includes(text))
  return found ? Number(found[1]) : null
}
