import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { median, seconds, table } from './report.ts'

const cold_rounds = 3
const warm_rounds = 7
const root = path.resolve(import.meta.dirname, '../..')

/** The line that the service logs when it is ready. */
interface Ready {
  msg: 'ready'
  listening: string
  phases: readonly { name: string; from_ms: number; ms: number }[]
}

interface Start {
  /** From the start of the process to its line. */
  ready_ms: number
  phases: Ready['phases']
}

/** How long `npm start` takes to be ready, on an empty data folder and again on the same, and what takes the time. */
export async function benchStart(): Promise<void> {
  const cold: Start[] = []
  const warm: Start[] = []
  const load_before = os.loadavg()[0] ?? 0
  for (let round = 0; round < cold_rounds; round++) {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'demarc-bench-'))
    // the database's own account must be able to enter
    chmodSync(folder, 0o711)
    try {
      cold.push(await startOnce(folder))
      if (round === cold_rounds - 1)
        for (let again = 0; again < warm_rounds; again++) warm.push(await startOnce(folder))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  const load = [load_before, os.loadavg()[0] ?? 0].map((each) => each.toFixed(1)).join(' before and ')
  const row = (title: string, of: readonly Start[]) => [
    title,
    String(of.length),
    ...[median(of.map((s) => s.ready_ms)), Math.max(...of.map((s) => s.ready_ms))].map(seconds),
  ]
  table(
    `npm start, seconds until it is ready; load of the machine ${load} after`,
    ['', 'starts', 'median', 'slowest'],
    [row('on an empty data folder', cold), row('again', warm)],
  )
  for (const [title, of] of [
    ['on an empty data folder', cold],
    ['again', warm],
  ] as const)
    table(
      `What a start ${title} spends its time on, medians; what overlaps is done at the same time`,
      ['', 'begins after ms', 'takes ms'],
      phasesOf(of),
    )
}

function phasesOf(starts: readonly Start[]): string[][] {
  const names = [...new Set(starts.flatMap(({ phases }) => phases.map(({ name }) => name)))]
  const of = (name: string, key: 'from_ms' | 'ms') =>
    median(starts.flatMap(({ phases }) => phases.filter((phase) => phase.name === name)).map((phase) => phase[key]))
  return names
    .map((name) => ({ name, from: of(name, 'from_ms'), ms: of(name, 'ms') }))
    .toSorted((a, b) => a.from - b.from)
    .map(({ name, from, ms }) => [name, String(from), String(ms)])
}

/** Starts the service, waits until it is ready, and stops it. */
async function startOnce(folder: string): Promise<Start> {
  const began = performance.now()
  const child = spawn(process.execPath, ['server/src/main.ts', '--demo'], {
    cwd: root,
    env: { ...process.env, DEMARC_DATA: folder, DEMARC_PORT: '0', DEMARC_LOG_LEVEL: 'info' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  const written: string[] = []
  let start: Start | undefined
  for await (const line of createInterface({ input: child.stderr })) {
    written.push(line)
    const ready = readyOf(line)
    if (!ready || start) continue
    start = { ready_ms: performance.now() - began, phases: ready.phases }
    const { ok, status } = await fetch(`${ready.listening}/health/ready`)
    if (!ok) throw new Error(`the service said that it was ready, and /health/ready was ${status}`)
    child.kill('SIGTERM')
  }
  await exited
  if (!start) throw new Error(`the service did not become ready:\n${written.slice(-20).join('\n')}`)
  return start
}

function readyOf(line: string): Ready | null {
  if (!line.includes('"msg":"ready"')) return null
  const ready: Ready = JSON.parse(line)
  return ready
}
