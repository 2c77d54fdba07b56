import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { loadNow, median, seconds, table } from './report.ts'
import { end, launch, newFolder } from './service.ts'

const cold_rounds = 3
const warm_rounds = 7

/** The line that the service logs when it is ready. */
interface Ready {
  listening: string
  phases: readonly { name: string; from_ms: number; ms: number }[]
}

interface Start extends Pick<Ready, 'phases'> {
  /** From the start of the process until its ready line. */
  ready_ms: number
}

/** How long `npm start` takes on an empty data folder and on an existing one, and where the time goes. */
export async function benchStart(): Promise<void> {
  const starts = { 'on an empty data folder': [] as Start[], 'on an existing data folder': [] as Start[] }
  const loads = [loadNow()]
  for (let round = 0; round < cold_rounds; round++) {
    const folder = newFolder()
    try {
      starts['on an empty data folder'].push(await startOnce(folder))
      const restarts = round === cold_rounds - 1 ? warm_rounds : 0
      for (let i = 0; i < restarts; i++) starts['on an existing data folder'].push(await startOnce(folder))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
    loads.push(loadNow())
  }
  table({
    name: 'ready',
    title: 'Seconds from `npm start` until the service is ready',
    head: ['', 'starts', 'median', 'slowest'],
    rows: Object.entries(starts).map(([title, of]) => {
      const times = of.map(({ ready_ms }) => ready_ms)
      return [title, String(of.length), seconds(median(times)), seconds(Math.max(...times))]
    }),
    loads,
  })
  for (const [title, of] of Object.entries(starts))
    table({
      name: `phases ${title}`.replaceAll(' ', '-'),
      title: `Phases of a start ${title}, medians; some run at the same time`,
      head: ['', 'begins after, ms', 'takes, ms'],
      rows: phaseRows(of),
      loads,
    })
}

function phaseRows(starts: readonly Start[]): string[][] {
  const phases = starts.flatMap((start) => start.phases)
  return [...Map.groupBy(phases, ({ name }) => name)]
    .map(([name, of]) => ({ name, from: median(of.map((p) => p.from_ms)), ms: median(of.map((p) => p.ms)) }))
    .toSorted((a, b) => a.from - b.from)
    .map(({ name, from, ms }) => [name, String(from), String(ms)])
}

/** Starts the service, waits until it is ready, and stops it. */
async function startOnce(folder: string): Promise<Start> {
  const began = performance.now()
  const child = launch(folder, { DEMARC_LOG_LEVEL: 'info' })
  if (child.stderr === null) throw new Error('the log of the service is not piped')
  child.stdout?.resume()
  const lines: string[] = []
  let start: Start | undefined
  for await (const line of createInterface({ input: child.stderr })) {
    lines.push(line)
    if (!line.includes('"msg":"ready"')) continue
    const { listening, phases }: Ready = JSON.parse(line)
    start = { ready_ms: performance.now() - began, phases }
    const { ok, status } = await fetch(`${listening}/health/ready`)
    if (!ok) throw new Error(`the service logged that it was ready, and /health/ready was ${status}`)
    child.kill('SIGTERM')
  }
  await end(child)
  if (!start) throw new Error(`the service did not become ready:\n${lines.slice(-20).join('\n')}`)
  return start
}
