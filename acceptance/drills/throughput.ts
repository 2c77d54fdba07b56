import { readFileSync } from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import { operatorKeys } from '../crash/loop.ts'
import { Database } from '../support/database.ts'
import { authorization, timed } from '../support/timed-http.ts'
import type { Drill, DrillResult } from './drill.ts'
import { Installation, type Member } from './installation.ts'

const sizes = [1, 2, 4]
const clients = 64
const seconds = { long: 20, short: 2 }
const give_up_ms = 30_000

export const throughput: Drill = {
  name: 'throughput',
  summary: 'measures one, two, and four API processes: requests per second, memory, and database connections',
  programs: { haproxy: 'haproxy' },
  measures: true,
  async run({ short, log }) {
    const installation = await Installation.open({ apis: 1, workers: 1 })
    try {
      const headers = authorization(await operatorKeys(installation))
      const database = new Database(installation.data)
      const results: DrillResult[] = []
      for (const size of sizes) {
        const apis = () => installation.members.filter(({ role }) => role === 'api')
        while (apis().length < size) await installation.add('api', apis().length + 1)
        const count = await served(apis(), headers, seconds[short ? 'short' : 'long'])
        const figures = [
          { name: 'Requests per second', value: String(Math.round(count / seconds[short ? 'short' : 'long'])) },
          { name: 'Memory of the API processes', value: `${Math.round(sum(apis().map(residentMiB)))} MiB` },
          { name: 'Database connections, with one worker', value: await connections(database) },
        ]
        log(`${size}: ${figures.map(({ name, value }) => `${name} ${value}`).join(', ')}`)
        const tried = `${size} API process${size === 1 ? '' : 'es'} and one worker, ${clients} clients on the same machine list accounts`
        const result = `Measured at load ${(os.loadavg()[0] ?? 0).toFixed(1)}.`
        results.push({ component: 'Demarc', version: 'this release', tried, result, ok: true, figures })
      }
      return results
    } finally {
      await installation.close()
      await installation.remove()
    }
  },
}

/** How many requests were served by these processes, which the clients use in turn. Throws if one was refused. */
async function served(apis: readonly Member[], headers: Record<string, string>, seconds: number): Promise<number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients })
  const ends_at = performance.now() + seconds * 1000
  let count = 0
  const client = async (n: number) => {
    const base_url = `http://127.0.0.1:${apis[n % apis.length]?.port}`
    while (performance.now() < ends_at) {
      const attempt = { method: 'GET', path: '/operator/accounts?limit=10', headers }
      const { status, body } = await timed(agent, base_url, attempt, give_up_ms)
      if (status !== 200) throw new Error(`${status}: ${body}`)
      count++
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, n) => client(n)))
  agent.destroy()
  return count
}

const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0)

/** From proc_pid_status(5), in KiB there. */
function residentMiB({ child }: Member): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024
}

async function connections(database: Database): Promise<string> {
  const rows = await database.rows<{ count: string }>(
    "select count(*) from pg_stat_activity where application_name like 'demarc-%'",
  )
  return rows[0]?.count ?? 'unknown'
}
