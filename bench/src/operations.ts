import { friendship, portOrder } from '../../acceptance/support/cast.ts'
import { load } from './load.ts'
import { comparison, inTurns } from './report.ts'
import { cpuOf, newAccount, startService, type Account, type Service } from './service.ts'

const rounds = 5
const duration_s = 1
const connections = 16
const numbers = 1000
const names = 100
const first = 12_065_580_000

/** What the most frequent operations cost the API and PostgreSQL. */
export async function benchOperations(): Promise<void> {
  const service = await startService({ DEMARC_REQUESTS_PER_MINUTE: '1000000000' })
  try {
    const sides = (await requests(service)).map(({ name, request, accepted = 200 }) => ({
      name,
      async run() {
        const { api = [], postgres = [] } = service.processes()
        const before = [cpuOf(api), cpuOf(postgres)] as const
        const port = Number(new URL(service.base_url).port)
        const result = await load({ port, request, connections, duration_s, accepted })
        if (result.errors > 0) throw new Error(`${name}: ${result.errors} responses were not ${accepted}`)
        const per_request = (now_us: number, before_us: number) => (now_us - before_us) / result.requests
        return [
          result.requests / result.duration_s,
          per_request(cpuOf(api), before[0]),
          per_request(cpuOf(postgres), before[1]),
          result.p99_ms,
        ]
      },
    }))
    comparison({
      ...(await inTurns(sides, rounds)),
      name: 'operations',
      title: `Operations over HTTP, ${connections} connections, ${duration_s} s each`,
      measures: [
        { name: 'throughput', unit: 'requests/s', digits: 0, ratio: false },
        { name: 'API CPU', unit: 'µs/request', digits: 0, ratio: false },
        { name: 'PostgreSQL CPU', unit: 'µs/request', digits: 0, ratio: false },
        { name: 'p99', unit: 'ms', digits: 1, ratio: false },
      ],
      skipped: [],
    })
  } finally {
    await service.stop()
  }
}

interface BenchedOperation {
  name: string
  request: (i: number) => string
  /** The expected status; default 200. */
  accepted?: number
}

async function requests(service: Service): Promise<BenchedOperation[]> {
  const account = await newAccount(service)
  const order = await fill(service, account)
  const head = `HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${account.authorization}\r\n`
  const get = (path: string) => `GET ${path} ${head}\r\n`
  const send = (method: string, path: string, body: unknown) => {
    const text = JSON.stringify(body)
    return `${method} ${path} ${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  }
  const number = (i: number) => `/v2/numbers/${first + (i % numbers)}`
  const address = { data: { type: 'e911', attributes: friendship('') } }
  return [
    { name: 'GET /v2/numbers/:id', request: (i) => get(number(i)) },
    { name: `GET /v2/cnams?limit=${names}`, request: () => get(`/v2/cnams?limit=${names}`) },
    { name: 'GET /v2/portorders/:id/status', request: () => get(`/v2/portorders/${order}/status`) },
    { name: 'GET /v2/portorders/:id/loa', request: () => get(`/v2/portorders/${order}/loa`) },
    { name: 'POST /v2/e911s/validate', request: () => send('POST', '/v2/e911s/validate', address), accepted: 204 },
    { name: 'PATCH /v2/numbers/:id', request: (i) => send('PATCH', number(i), { alias: `Bench ${i}` }) },
  ]
}

/** Numbers, names and a port order, whose id is returned. */
async function fill({ operator }: Service, { account_id, client }: Account): Promise<string> {
  await operator.addNumbers({
    params: { account_id },
    body: {
      numbers: Array.from({ length: numbers }, (_, i) => ({ value: String(first + i), number_type: 'longcode' })),
    },
  })
  for (let i = 0; i < names; i++)
    await client.createCnam({ body: { data: { type: 'cnam', attributes: { value: `BENCH ${i}` } } } })
  const { body } = await client.createPortOrder({
    body: { data: { type: 'portorder', attributes: portOrder(['+12065120000']) } },
  })
  if (!('id' in body.data)) throw new Error('the port order was only previewed')
  return body.data.id
}
