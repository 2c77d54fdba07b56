import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** A number that a process measures about itself, with a module loaded by `--import`, and writes to a file on SIGUSR2. */

/** Only a hang takes this long. */
const hang_ms = 60_000

const fileOf = (pid: number, probe_file: string) => `${probe_file}.${pid}`

/** In the measured process, whose PROBE_FILE is set: writes what `measure` returns each time that the process is asked. */
export function reportWhenAsked(measure: () => Promise<number> | number): void {
  const report = async () => {
    const file = fileOf(process.pid, process.env['PROBE_FILE'] ?? '')
    writeFileSync(`${file}.new`, String(await measure()))
    renameSync(`${file}.new`, file)
  }
  process.on('SIGUSR2', () => void report())
}

/** Asks a process that reports with `reportWhenAsked`. */
export async function ask(pid: number, probe_file: string): Promise<number> {
  const file = fileOf(pid, probe_file)
  await rm(file, { force: true })
  process.kill(pid, 'SIGUSR2')
  for (const deadline = performance.now() + hang_ms; performance.now() < deadline; await sleep(50))
    if (existsSync(file)) return Number(readFileSync(file, 'utf8'))
  throw new Error('The process did not report.')
}
