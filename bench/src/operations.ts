import { fork, type ChildProcess } from 'node:child_process'
import { friendship } from '../../acceptance/support/cast.ts'
import type { BareOptions } from './bare/server.ts'
import { load } from './load.ts'
import { compare, type Side } from './report.ts'
import { cpuOf, newAccount, newOrder, withService, type Account, type Service } from './service.ts'

const rounds = 5
/** By then V8 has compiled most of what serves these requests, as in a service that runs for days. */
const warm_up = 5
const duration_s = 0.5
const connections = 16
const numbers = 1000
const names = 100
/** Letters of Agency submitted per round, one per port order. */
const letters = 20
const first = 12_065_580_000

/** CPU and latency of the most frequent operations, in turns with a bare handler that sends the same response. */
export async function benchOperations(): Promise<void> {
  await withService({}, async (service) => {
    const account = await newAccount(service)
    const bare = await startBare(service, account)
    const api = { port: service.port, pids: () => service.processes()['api'] ?? [] }
    const operations = await requests(service, account)
    await requireSameResponses(operations, account, [service.port, bare.port])
    await compare({
      name: 'operations',
      title: `Operations over HTTP, ${connections} connections, ${duration_s} s each`,
      measures: [
        { name: 'CPU', unit: 'µs/request', digits: 0, ratio: true },
        { name: 'PostgreSQL CPU', unit: 'µs/request', digits: 0 },
        { name: 'throughput', unit: 'requests/s', digits: 0, ratio: true },
        { name: 'p99', unit: 'ms', digits: 1 },
      ],
      sides: operations.flatMap((operation) => [
        side(service, { name: operation.name, ...api }, operation),
        ...(operation.bare
          ? [side(service, { name: 'bare `node:http`', baseline_of: operation.name, ...bare }, operation)]
          : []),
      ]),
      rounds,
      warm_up,
    }).finally(() => bare.child.kill())
  })
}

interface Server {
  port: number
  pids: () => number[]
}

/** Forks the bare server, which sends its port when it listens. */
async function startBare(service: Service, account: Account): Promise<Server & { child: ChildProcess }> {
  const { database_url, base_url } = service
  const { account_id, access_key, secret_key } = account
  const options: BareOptions = { database_url, base_url, account_id, access_key, secret_key }
  const child = fork(new URL('./bare/server.ts', import.meta.url), [JSON.stringify(options)])
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(Number(message)))
    child.once('exit', (code) => reject(new Error(`the bare server exited with status ${code}`)))
  })
  return { port, pids: () => [child.pid ?? 0], child }
}

/** Throws when the two servers send different documents. */
async function requireSameResponses(operations: BenchedOperation[], { authorization }: Account, ports: number[]) {
  for (const { name, request, bare } of operations) {
    const [method, path = ''] = request(0).split(' ')
    if (bare !== true || method !== 'GET') continue
    const texts = ports.map(async (port) =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization } })).text(),
    )
    if (new Set(await Promise.all(texts)).size > 1) throw new Error(`${name}: the two servers sent different documents`)
  }
}

interface BenchedOperation {
  name: string
  request: (i: number) => string
  /** The expected status; default 200. */
  accepted?: number
  /** Whether the bare server implements it. */
  bare?: boolean
  /** Fewer requests and connections: signing holds a transaction while the LOA is rendered. */
  few?: { requests_max?: number; connections: number }
}

function side(
  service: Service,
  { port, pids, ...named }: Server & { name: string; baseline_of?: string },
  { request, accepted = 200, few = { connections } }: BenchedOperation,
): Side {
  let sent = 0
  return {
    ...named,
    async run() {
      const cpu = () => [cpuOf(pids()), cpuOf(service.processes()['postgres'] ?? [])]
      const before = cpu()
      const result = await load({ port, request: () => request(sent++), duration_s, accepted, ...few })
      if (result.errors > 0) throw new Error(`${named.name}: ${result.errors} responses were not ${accepted}`)
      const per_request = cpu().map((used, i) => (used - (before[i] ?? 0)) / result.requests)
      return [...per_request, result.requests_per_s, result.p99_ms]
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
  /** Signed letters, one per draft order. */
  forms: { id: string; form: unknown }[]
}

/** Numbers, names and port orders. */
async function fill({ operator }: Service, account: Account): Promise<Filled> {
  const { account_id, client } = account
  await operator.addNumbers({
    params: { account_id },
    body: {
      numbers: Array.from({ length: numbers }, (_, i) => ({ value: String(first + i), number_type: 'longcode' })),
    },
  })
  for (let i = 0; i < names; i++)
    await client.createCnam({ body: { data: { type: 'cnam', attributes: { value: `BENCH ${i}` } } } })
  const forms: Filled['forms'] = []
  for (let i = 0; i < letters * (rounds + warm_up); i++) forms.push(await signedForm(account, i))
  return { order: await newOrder(account, [numberAt(forms.length)]), forms }
}

async function signedForm(account: Account, i: number): Promise<Filled['forms'][number]> {
  const id = await newOrder(account, [numberAt(i)])
  const { data } = (await account.client.getLoa({ params: { portorder_id: id } })).body
  const signature = { signature_name: 'Rosa Diaz', signature_title: 'Owner' }
  return { id, form: { data: { ...data, attributes: { ...data.attributes, ...signature } } } }
}

const numberAt = (i: number): string => `+1206512${String(i).padStart(4, '0')}`
