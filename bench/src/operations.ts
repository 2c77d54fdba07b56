import { friendship, portOrder } from '../../acceptance/support/cast.ts'
import { load } from './load.ts'
import { startBare, type Peer } from './peers.ts'
import { comparison, inTurns, type Side } from './report.ts'
import { cpuOf, newAccount, startService, type Account, type Service } from './service.ts'

const rounds = 5
const duration_s = 0.5
const connections = 16
const numbers = 1000
const names = 100
/** Letters of Agency that are submitted in a round, each of an order of its own. */
const letters = 20
const first = 12_065_580_000

/** What the most frequent operations cost the API and PostgreSQL, and what a bare handler costs that does the same. */
export async function benchOperations(): Promise<void> {
  const service = await startService({ DEMARC_REQUESTS_PER_MINUTE: '1000000000' })
  let bare: Peer | undefined
  try {
    const account = await newAccount(service)
    const { account_id, access_key, secret_key } = account
    const { base_url } = service
    bare = await startBare({ database_url: service.databaseUrl(), access_key, secret_key, account_id, base_url })
    const { port, pids } = bare
    const operations = await requests(service, account)
    await requireSameResponses(operations, account, [Number(new URL(base_url).port), port])
    const sides = operations.flatMap((operation) => {
      const own = { name: operation.name, port: Number(new URL(base_url).port) }
      const beside = { name: 'bare `node:http`, the same', beside: operation.name, port }
      return [
        side(service, own, () => service.processes()['api'] ?? [], operation),
        ...(operation.bare ? [side(service, beside, () => pids, operation)] : []),
      ]
    })
    comparison({
      ...(await inTurns(sides, rounds)),
      name: 'operations',
      title: `Operations over HTTP, ${connections} connections, ${duration_s} s each`,
      measures: [
        { name: 'CPU', unit: 'µs/request', digits: 0, ratio: true },
        { name: 'PostgreSQL CPU', unit: 'µs/request', digits: 0, ratio: false },
        { name: 'throughput', unit: 'requests/s', digits: 0, ratio: true },
        { name: 'p99', unit: 'ms', digits: 1, ratio: false },
      ],
      skipped: [],
    })
  } finally {
    // before the database, whose end its pool would not survive
    bare?.close()
    await service.stop()
  }
}

/** Refuses a bare server whose documents are others than Demarc's. */
async function requireSameResponses(
  operations: readonly BenchedOperation[],
  { authorization }: Account,
  ports: readonly number[],
): Promise<void> {
  for (const { name, request, bare } of operations) {
    const [method, path = ''] = request(0).split(' ')
    if (bare !== true || method !== 'GET') continue
    const texts = ports.map(async (port) =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization } })).text(),
    )
    if (new Set(await Promise.all(texts)).size > 1) throw new Error(`${name}: the responses of the two servers differ`)
  }
}

interface BenchedOperation {
  name: string
  request: (i: number) => string
  /** The expected status; default 200. */
  accepted?: number
  /** Whether the bare server has it too. */
  bare?: boolean
  /** Requests of a round at most, and connections; each holds a transaction for as long as its letter is drawn. */
  few?: { requests_max?: number; connections: number }
}

function side(
  service: Service,
  { port, ...named }: { name: string; beside?: string; port: number },
  pids: () => number[],
  { request, accepted = 200, few = { connections } }: BenchedOperation,
): Side {
  let sent = 0
  return {
    ...named,
    async run() {
      const { postgres = [] } = service.processes()
      const before = [cpuOf(pids()), cpuOf(postgres)] as const
      const result = await load({
        port,
        request: () => request(sent++),
        duration_s,
        accepted,
        ...few,
      })
      if (result.errors > 0)
        throw new Error(`${named.beside ?? named.name}: ${result.errors} responses were not ${accepted}`)
      const per_request = (now_us: number, before_us: number) => (now_us - before_us) / result.requests
      return [
        per_request(cpuOf(pids()), before[0]),
        per_request(cpuOf(postgres), before[1]),
        result.requests / result.duration_s,
        result.p99_ms,
      ]
    },
  }
}

async function requests(service: Service, account: Account): Promise<BenchedOperation[]> {
  const { order, forms } = await fill(service, account)
  const head = `HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${account.authorization}\r\n`
  const get = (path: string) => `GET ${path} ${head}\r\n`
  const send = (method: string, path: string, body: unknown) => {
    const text = JSON.stringify(body)
    return `${method} ${path} ${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  }
  const number = (i: number) => `/v2/numbers/${first + (i % numbers)}`
  const address = { data: { type: 'e911', attributes: friendship('') } }
  const submit = (i: number) => {
    const { id = '', form } = forms[i] ?? {}
    return send('POST', `/v2/portorders/${id}/loa`, form)
  }
  return [
    { name: 'GET /v2/numbers/:id', request: (i) => get(number(i)), bare: true },
    { name: `GET /v2/cnams?limit=${names}`, request: () => get(`/v2/cnams?limit=${names}`), bare: true },
    { name: 'GET /v2/portorders/:id/status', request: () => get(`/v2/portorders/${order}/status`), bare: true },
    { name: 'GET /v2/portorders/:id/loa', request: () => get(`/v2/portorders/${order}/loa`) },
    {
      name: 'POST /v2/e911s/validate',
      request: () => send('POST', '/v2/e911s/validate', address),
      accepted: 204,
      bare: true,
    },
    { name: 'PATCH /v2/numbers/:id', request: (i) => send('PATCH', number(i), { alias: `Bench ${i}` }) },
    {
      name: 'POST /v2/portorders/:id/loa, 2 connections',
      request: submit,
      accepted: 201,
      few: { requests_max: letters, connections: 2 },
    },
  ]
}

interface Filled {
  order: string
  /** Signed, each of an order that has not been submitted. */
  forms: { id: string; form: unknown }[]
}

/** Numbers, names and port orders. */
async function fill({ operator }: Service, { account_id, client }: Account): Promise<Filled> {
  await operator.addNumbers({
    params: { account_id },
    body: {
      numbers: Array.from({ length: numbers }, (_, i) => ({ value: String(first + i), number_type: 'longcode' })),
    },
  })
  for (let i = 0; i < names; i++)
    await client.createCnam({ body: { data: { type: 'cnam', attributes: { value: `BENCH ${i}` } } } })
  const forms: Filled['forms'] = []
  // one more round warms up
  for (let i = 0; i < letters * (rounds + 1); i++) forms.push(await signedForm(client, i))
  return { order: await newOrder(client, forms.length), forms }
}

async function signedForm(client: Account['client'], i: number): Promise<Filled['forms'][number]> {
  const id = await newOrder(client, i)
  const { data } = (await client.getLoa({ params: { portorder_id: id } })).body
  const signature = { signature_name: 'Rosa Diaz', signature_title: 'Owner' }
  return { id, form: { data: { ...data, attributes: { ...data.attributes, ...signature } } } }
}

async function newOrder(client: Account['client'], i: number): Promise<string> {
  const { body } = await client.createPortOrder({
    body: { data: { type: 'portorder', attributes: portOrder([`+1206512${String(i).padStart(4, '0')}`]) } },
  })
  if (!('id' in body.data)) throw new Error('the port order was only previewed')
  return body.data.id
}
