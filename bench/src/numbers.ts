import { fork } from 'node:child_process'
import { load } from './load.ts'
import { median, table } from './report.ts'
import { cpuOf, startService } from './service.ts'

const rounds = 7
const duration_s = 4
const connections = 32
const numbers = 1000

/** Throughput and processor time of `GET /v2/numbers/:id` against a bare server with the same check and the same SQL, turn by turn. */
export async function benchNumbers(): Promise<void> {
  const service = await startService({ DEMARC_REQUESTS_PER_MINUTE: '1000000000' })
  try {
    const { body } = await service.operator.createAccount({ body: { name: 'Bench' } })
    const account_id = body.data.id
    const key = (await service.operator.createKey({ params: { account_id }, body: { name: 'bench' } })).body.data
      .attributes
    await service.operator.addNumbers({
      params: { account_id },
      body: {
        numbers: Array.from({ length: numbers }, (_, i) => ({
          value: String(12_065_560_000 + i),
          number_type: 'longcode' as const,
        })),
      },
    })
    const database_url = service.databaseUrl()
    const bare = fork(new URL('./bare-server.ts', import.meta.url), [
      database_url,
      key.access_key,
      key.secret_key,
      account_id,
      service.base_url,
    ])
    const bare_port = await new Promise<number>((resolve) => bare.once('message', (port) => resolve(Number(port))))
    const authorization = Buffer.from(`${key.access_key}:${key.secret_key}`).toString('base64')
    const request = (i: number) =>
      `GET /v2/numbers/${12_065_560_000 + (i % numbers)} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Basic ${authorization}\r\n\r\n`
    const sides = {
      bare: { port: bare_port, pids: [bare.pid ?? 0] },
      demarc: { port: Number(new URL(service.base_url).port), pids: service.processes()['api'] ?? [] },
    }
    const headers = { authorization: `Basic ${authorization}` }
    const answers = Object.values(sides).map(async ({ port }) =>
      (await fetch(`http://127.0.0.1:${port}/v2/numbers/12065560000`, { headers })).text(),
    )
    if (new Set(await Promise.all(answers)).size > 1) throw new Error('the two servers answer differently')
    const seen = { bare: [] as Round[], demarc: [] as Round[] }
    for (let round = 0; round <= rounds; round++)
      for (const side of ['bare', 'demarc'] as const) {
        const { port, pids } = sides[side]
        const before = cpuOf(pids)
        const result = await load({ port, request, connections, duration_s: round === 0 ? 2 : duration_s })
        if (result.errors > 0) throw new Error(`${side}: ${result.errors} answers were not 200`)
        // the first round warms up
        if (round > 0)
          seen[side].push({
            per_s: result.requests / result.duration_s,
            cpu_us: (cpuOf(pids) - before) / result.requests,
            p99_ms: result.p99_ms,
          })
      }
    bare.kill()
    const row = (name: string, of: Round[]) => [
      name,
      median(of.map((r) => r.per_s)).toFixed(0),
      median(of.map((r) => r.cpu_us)).toFixed(1),
      median(of.map((r) => r.p99_ms)).toFixed(1),
    ]
    const ratio = (key: keyof Round) =>
      median(seen.demarc.map((r, i) => r[key] / (seen.bare[i]?.[key] ?? Number.NaN))).toFixed(2)
    table(
      `GET /v2/numbers/:id, ${connections} connections, ${rounds} rounds of ${duration_s} s each, medians; load, both servers and PostgreSQL on one machine`,
      ['', 'requests/s', 'CPU µs/request', 'p99 ms'],
      [
        row('bare node:http', seen.bare),
        row('Demarc', seen.demarc),
        ['Demarc ÷ bare, by round', ratio('per_s'), ratio('cpu_us'), ratio('p99_ms')],
      ],
    )
  } finally {
    await service.stop()
  }
}

interface Round {
  per_s: number
  cpu_us: number
  p99_ms: number
}
