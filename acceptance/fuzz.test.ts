import assert from 'node:assert/strict'
import http from 'node:http'
import { after, test } from 'node:test'
import { Conformance } from './fuzz/conformance.ts'
import { targets, type Document } from './fuzz/document.ts'
import { Random } from './fuzz/random.ts'
import { Requests, send } from './fuzz/requests.ts'
import { Seen, Values } from './fuzz/values.ts'
import { openService } from './support/service.ts'

/**
 * Requests made from openapi.json: right ones, wrong ones and hostile ones. The same seed makes the same requests again
 * (DEMARC_FUZZ_SEED, DEMARC_FUZZ_REQUESTS).
 */
const seed = Number(process.env['DEMARC_FUZZ_SEED'] ?? 1)
const count = Number(process.env['DEMARC_FUZZ_REQUESTS'] ?? 2_000)
const at_once = 8
/** Enough to see the kinds; the same violation is mostly found many times. */
const violations_max = 20

const service = await openService({ DEMARC_REQUESTS_PER_MINUTE: '100000000' })
after(() => service.stop())
const agent = new http.Agent({ keepAlive: true, maxSockets: at_once })
after(() => agent.destroy())
const { account, other, operator } = service.keys
const credentials = [account, account, operator, operator, other].map((k) => `${k.access_key}:${k.secret_key}`)

const document = (await (await fetch(`${service.base_url}/openapi.json`)).json()) as Document
const all = targets(document)
const random = new Random(seed)
const seen = new Seen()
const requests = new Requests(random, new Values(random, document, seen), seen, credentials)
const conformance = new Conformance(document)

/** What a list or a document shows goes into later requests. */
async function read(path: string, credential: string | undefined): Promise<void> {
  const headers = { authorization: `Basic ${Buffer.from(credential ?? '').toString('base64')}` }
  const { body } = await send(agent, service.base_url, { method: 'GET', url: path, headers, body: null })
  seen.collect(JSON.parse(body.toString()))
}
for (const path of [
  'numbers',
  'routes',
  'cnams',
  'e911s',
  'portorders',
  'cdrs/exports',
  'routes/edge_strategies',
  'notifications',
])
  await read(`/v2/${path}?limit=20`, credentials[0])
for (const path of ['accounts', 'e911/datasets', 'portorders']) await read(`/operator/${path}`, credentials[2])

/** Sends so many of what `make` makes, several at a time. Gives what was wrong, and how often each status came. */
async function run(
  total: number,
  make: typeof requests.any,
): Promise<{ violations: string[]; statuses: Map<number, number> }> {
  const violations: string[] = []
  const statuses = new Map<number, number>()
  let left = total
  const worker = async () => {
    while (left-- > 0 && violations.length < violations_max) {
      const target = random.pick(all)
      const attempt = make(target)
      const received = await send(agent, service.base_url, attempt)
      statuses.set(received.status, (statuses.get(received.status) ?? 0) + 1)
      for (const violation of conformance.violations(target, attempt, received))
        violations.push(
          `${attempt.method} ${attempt.url.slice(0, 200)} ${attempt.body?.toString().slice(0, 500) ?? ''}\n    → ${violation}`,
        )
      if (received.status === 200 && /[/+]json/.test(received.headers['content-type'] ?? ''))
        seen.collect(JSON.parse(received.body.toString()))
    }
  }
  await Promise.all(Array.from({ length: at_once }, worker))
  return { violations, statuses }
}

const lastEvent = async () => (await service.operator.listEvents({ query: { limit: 1 } })).body.data[0]?.id

test(`what is refused changes nothing (seed ${seed})`, async () => {
  const before = await lastEvent()
  const { violations, statuses } = await run(Math.ceil(count / 4), (target) => requests.refused(target))
  assert.deepEqual(violations, [])
  const accepted = [...statuses.keys()].filter((status) => status < 400)
  // a broken body is not looked at by operations that read none, and health needs no key
  assert.ok(
    accepted.every((status) => status === 200),
    `accepted with ${accepted.join(', ')}`,
  )
  assert.equal(await lastEvent(), before)
})

test(`no request gets a 5xx, an undocumented status or a body of another shape (seed ${seed})`, async (t) => {
  const { violations, statuses } = await run(count, (target) => requests.any(target))
  t.diagnostic(
    `statuses: ${[...statuses]
      .toSorted(([a], [b]) => a - b)
      .map(([s, n]) => `${s} × ${n}`)
      .join(', ')}`,
  )
  assert.deepEqual(violations, [])
  const accepted = [...statuses].reduce((sum, [status, n]) => sum + (status < 300 ? n : 0), 0)
  assert.ok(accepted > count / 20, `only ${accepted} of ${count} were accepted: the requests are not worth their name`)
})

test('the audit log is whole afterwards', async () => {
  const { body } = await service.operator.listAccounts({ query: { limit: 200 } })
  for (const { id } of body.data) {
    const { data } = (await service.operator.verifyEvents({ query: { account_id: id } })).body
    assert.equal(data.intact, true, `account ${id}`)
  }
})
