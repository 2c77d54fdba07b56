import { fork } from 'node:child_process'
import { load } from './load.ts'
import { median, table } from './report.ts'
import { cpuOf, startService, type Service } from './service.ts'

const rounds = 7
const duration_s = 4
const connections = 32
const numbers = 1000
const first = 12_065_560_000

/** Throughput and processor time of `GET /v2/numbers/:id` against a bare server with the same authentication and the same SQL, alternating. */
export async function benchNumbers(): Promise<void> {
  const service = await startService({ DEMARC_REQUESTS_PER_MINUTE: '1000000000' })
  try {
    const { servers, request, close } = await startServers(service)
    const measured = { bare: [] as Measurement[], demarc: [] as Measurement[] }
    for (let round = 0; round <= rounds; round++)
      for (const name of ['bare', 'demarc'] as const) {
        const { port, pids } = servers[name]
        const before = cpuOf(pids)
        const result = await load({ port, request, connections, duration_s: round === 0 ? 2 : duration_s })
        if (result.errors > 0) throw new Error(`${name}: ${result.errors} responses were not 200`)
        // the first round warms up
        if (round > 0)
          measured[name].push({
            per_s: result.requests / result.duration_s,
            cpu_us: (cpuOf(pids) - before) / result.requests,
            p99_ms: result.p99_ms,
          })
      }
    close()
    const row = (title: string, of: Measurement[]) => [
      title,
      median(of.map((r) => r.per_s)).toFixed(0),
      median(of.map((r) => r.cpu_us)).toFixed(1),
      median(of.map((r) => r.p99_ms)).toFixed(1),
    ]
    const ratio = (key: keyof Measurement) =>
      median(measured.demarc.map((r, i) => r[key] / (measured.bare[i]?.[key] ?? Number.NaN))).toFixed(2)
    table(
      `GET /v2/numbers/:id, ${connections} connections, ${rounds} rounds of ${duration_s} s each, medians; load, both servers and PostgreSQL on one machine`,
      ['', 'requests/s', 'CPU µs/request', 'p99 ms'],
      [
        row('bare node:http', measured.bare),
        row('Demarc', measured.demarc),
        ['Demarc ÷ bare, by round', ratio('per_s'), ratio('cpu_us'), ratio('p99_ms')],
      ],
    )
  } finally {
    await service.stop()
  }
}

interface Measurement {
  per_s: number
  cpu_us: number
  p99_ms: number
}

interface Server {
  port: number
  pids: number[]
}

interface Servers {
  servers: { bare: Server; demarc: Server }
  request: (i: number) => string
  /** Stops the bare server, before its database is stopped. */
  close: () => void
}

/** Creates an account with numbers and starts both servers, whose responses must be equal. */
async function startServers(service: Service): Promise<Servers> {
  const { operator, base_url } = service
  const account_id = (await operator.createAccount({ body: { name: 'Bench' } })).body.data.id
  const { body } = await operator.createKey({ params: { account_id }, body: { name: 'bench' } })
  const { access_key, secret_key } = body.data.attributes
  const number_type = 'longcode'
  await operator.addNumbers({
    params: { account_id },
    body: { numbers: Array.from({ length: numbers }, (_, i) => ({ value: String(first + i), number_type })) },
  })
  const args = [service.databaseUrl(), access_key, secret_key, account_id, base_url]
  const bare = fork(new URL('./bare-server.ts', import.meta.url), args)
  const bare_port = await new Promise<number>((resolve) => bare.once('message', (port) => resolve(Number(port))))
  const servers = {
    bare: { port: bare_port, pids: [bare.pid ?? 0] },
    demarc: { port: Number(new URL(base_url).port), pids: service.processes()['api'] ?? [] },
  }
  const authorization = `Basic ${Buffer.from(`${access_key}:${secret_key}`).toString('base64')}`
  const responses = Object.values(servers).map(async ({ port }) =>
    (await fetch(`http://127.0.0.1:${port}/v2/numbers/${first}`, { headers: { authorization } })).text(),
  )
  if (new Set(await Promise.all(responses)).size > 1) throw new Error('the responses of the two servers differ')
  const request = (i: number) =>
    `GET /v2/numbers/${first + (i % numbers)} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\n\r\n`
  return { servers, request, close: () => bare.kill() }
}
