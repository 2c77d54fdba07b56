import { load } from './load.ts'
import { peersMissing, startBare, startFeathers, startPrism, type Peer } from './peers.ts'
import { comparison, inTurns, type Side } from './report.ts'
import type { Form } from './results.ts'
import { cpuOf, newAccount, startService, type Service } from './service.ts'

const sizes = { short: { rounds: 5, duration_s: 1.2 }, long: { rounds: 7, duration_s: 6 } } as const
const connections = 32
const numbers = 1000
const first = 12_065_560_000

/**
 * Throughput, latency and processor time of `GET /v2/numbers/:id`, beside a bare server with the same authentication and the same
 * SQL, beside a REST server over the same table, and beside a server of made-up responses to the same openapi.json.
 */
export async function benchNumbers(form: Form): Promise<void> {
  const service = await startService({ DEMARC_REQUESTS_PER_MINUTE: '1000000000' })
  const started: Peer[] = []
  try {
    const { rounds, duration_s } = sizes[form]
    const servers = await startServers(service, started)
    const sides = servers.map((server) => side(server, duration_s))
    comparison({
      ...(await inTurns(sides, rounds)),
      name: 'number',
      title: `GET /v2/numbers/:id, ${connections} connections, ${duration_s} s each, load and all servers on one machine`,
      measures: [
        { name: 'throughput', unit: 'requests/s', digits: 0, ratio: true },
        { name: 'CPU', unit: 'µs/request', digits: 1, ratio: true },
        { name: 'median', unit: 'ms', digits: 2, ratio: false },
        { name: 'p99', unit: 'ms', digits: 1, ratio: true },
      ],
      skipped: skipped(),
    })
  } finally {
    // before the database, whose end their pools would not survive
    for (const peer of started) peer.close()
    await service.stop()
  }
}

interface Server {
  name: string
  port: number
  pids: number[]
  request: (i: number) => string
}

function side({ name, port, pids, request }: Server, duration_s: number): Side {
  return {
    name,
    async run(round) {
      const before = cpuOf(pids)
      const result = await load({ port, request, connections, duration_s: round < 0 ? 1 : duration_s })
      if (result.errors > 0) throw new Error(`${name}: ${result.errors} responses were not 200`)
      return [
        result.requests / result.duration_s,
        (cpuOf(pids) - before) / result.requests,
        result.p50_ms,
        result.p99_ms,
      ]
    },
  }
}

function skipped(): { name: string; reason: string }[] {
  const reason = peersMissing()
  return reason === null ? [] : ['Feathers over the same table', 'Prism'].map((name) => ({ name, reason }))
}

/** Creates an account with numbers and starts all servers. The responses of the bare one must equal Demarc's. */
async function startServers(service: Service, started: Peer[]): Promise<Server[]> {
  const { operator, base_url } = service
  const { account_id, access_key, secret_key, authorization } = await newAccount(service)
  const number_type = 'longcode'
  await operator.addNumbers({
    params: { account_id },
    body: { numbers: Array.from({ length: numbers }, (_, i) => ({ value: String(first + i), number_type })) },
  })
  const bare = await startBare({
    database_url: service.databaseUrl(),
    access_key,
    secret_key,
    account_id,
    base_url,
  })
  started.push(bare)
  const demarc = { port: Number(new URL(base_url).port), pids: service.processes()['api'] ?? [] }
  const responses = [bare, demarc].map(async ({ port }) =>
    (await fetch(`http://127.0.0.1:${port}/v2/numbers/${first}`, { headers: { authorization } })).text(),
  )
  if (new Set(await Promise.all(responses)).size > 1) throw new Error('the responses of the two servers differ')
  const head = `HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\n\r\n`
  const request = (i: number) => `GET /v2/numbers/${first + (i % numbers)} ${head}`
  const own = [
    { name: 'Demarc', ...demarc, request },
    { name: 'bare `node:http` with the same check, SQL and response', ...bare, request },
  ]
  if (peersMissing() !== null) return own
  const feathers = await startFeathers(service.databaseUrl())
  started.push(feathers)
  const prism = await startPrism()
  started.push(prism)
  const by_table = (i: number) => `GET /numbers/${first + (i % numbers)}?account_id=${account_id} ${head}`
  return [
    ...own,
    { name: 'Feathers over the same table, without authentication or related rows', ...feathers, request: by_table },
    { name: 'Prism serving our openapi.json, without a database', ...prism, request },
  ]
}
