import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDemarcClient } from '@demarc/client'
import { Conformance } from './fuzz/conformance.ts'
import { targets, type Document } from './fuzz/document.ts'
import { Random } from './fuzz/random.ts'
import { Refusals } from './fuzz/refusals.ts'
import { Requests, send, type Attempt, type Credentials, type Received } from './fuzz/requests.ts'
import { Seen, Values } from './fuzz/values.ts'
import { beginResult } from './reliability/results.ts'
import { portOrder, run as digits } from './support/cast.ts'
import { ask } from './support/probe.ts'
import { isMachineBusy } from './support/processes.ts'
import { openService, type Keys } from './support/service.ts'

/**
 * Requests generated from openapi.json: valid, invalid, and hostile ones. Refused requests are sent again on their own, and
 * everything that the service stores is compared before and after. The same seed generates the same requests (DEMARC_FUZZ_SEED,
 * DEMARC_FUZZ_REQUESTS).
 */
const seed = Number(process.env['DEMARC_FUZZ_SEED'] ?? 1)
const count = Number(process.env['DEMARC_FUZZ_REQUESTS'] ?? 2_000)
const at_once = 8
/** Enough to see each kind; most violations are found many times. */
const violations_max = 20
/** The most processor time that a turn of the event loop may take; without it, the time is only reported. */
const turn_max_ms = Number(process.env['DEMARC_FUZZ_TURN_MAX_MS'] ?? Number.POSITIVE_INFINITY)
/** How often a request that gets a 503 on a busy machine is sent. */
const tries_max = 5
/** Requests per batch, after which the refused ones are sent again. */
const round_requests = 5_000

const result = beginResult('fuzz', {
  title: 'Requests generated from openapi.json',
  about:
    'Valid, invalid, and hostile requests for every operation, generated from its schema and from values in earlier responses, with keys of two accounts and the operator, and with a session. No response may be a 5xx, have an undocumented status or body, or deviate from the common error format. Refused requests are sent again while the worker is stopped, and all database rows, call records, and files are compared before and after.',
  command: 'npm run fuzz',
})

const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-fuzz-'))
const probe_file = path.join(folder, 'turn')
const service = await openService({
  DEMARC_REQUESTS_PER_MINUTE: '100000000',
  NODE_OPTIONS: `--import ${new URL('./fuzz/longest-turn.ts', import.meta.url).href}`,
  PROBE_FILE: probe_file,
})
const agent = new http.Agent({ keepAlive: true, maxSockets: at_once })
const refusals = service.process && (await Refusals.open(service.process, sendAgain))
const unseen = refusals === null && 'what a service keeps is read only of one that these tests started'
after(async () => {
  await refusals?.close()
  agent.destroy()
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})
const credential = ({ access_key, secret_key }: Keys) => `${access_key}:${secret_key}`
const { keys } = service
const credentials: Credentials = {
  account: credential(keys.account),
  other: credential(keys.other),
  operator: credential(keys.operator),
  session: await clerkSession(),
}

const document = (await (await fetch(`${service.base_url}/openapi.json`)).json()) as Document
const all = targets(document)
const random = new Random(seed)
const seen = new Seen()
const requests = new Requests(random, new Values(random, document, seen), seen, credentials)
const conformance = new Conformance(document)

/** Values in a list or a document are used in later requests. */
async function read(path: string, credential: string): Promise<void> {
  const headers = { authorization: `Basic ${Buffer.from(credential).toString('base64')}` }
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
  await read(`/v2/${path}?limit=20`, credentials.account)
for (const path of ['accounts', 'e911/datasets', 'portorders']) await read(`/operator/${path}`, credentials.operator)

/** A busy machine may refuse a request for a moment. A request that is still refused after the last try is reported. */
async function sendUntilReady(attempt: Attempt): Promise<Received> {
  for (let tries = 1; ; tries += 1) {
    const received = await send(agent, service.base_url, attempt)
    if (received.status !== 503 || !isMachineBusy() || tries === tries_max) return received
    await sleep(1000)
  }
}

interface Run {
  violations: string[]
  /** Number of responses by status. */
  statuses: Map<number, number>
  /** The refused requests. */
  refused: Attempt[]
}

/** Sends this many requests that `make` creates, several at a time. */
async function run(total: number, make: typeof requests.any): Promise<Run> {
  const found: Run = { violations: [], statuses: new Map(), refused: [] }
  let left = total
  const worker = async () => {
    while (left-- > 0 && found.violations.length < violations_max) {
      const target = random.pick(all)
      const attempt = make(target)
      const received = await sendUntilReady(attempt)
      found.statuses.set(received.status, (found.statuses.get(received.status) ?? 0) + 1)
      for (const violation of conformance.violations(target, attempt, received))
        found.violations.push(
          `${attempt.method} ${attempt.url.slice(0, 200)} ${attempt.body?.toString().slice(0, 500) ?? ''}\n    → ${violation}`,
        )
      if (received.status >= 400) found.refused.push(attempt)
      if (received.status < 300 && /[/+]json/.test(received.headers['content-type'] ?? ''))
        seen.collect(JSON.parse(received.body.toString()))
    }
  }
  await Promise.all(Array.from({ length: at_once }, worker))
  return found
}

/** Processor time of the longest turn of the API's event loop since the last reading; 0 for a service that this test did not start. */
const longestTurn = async () => (service.process ? await ask(service.process.pid, probe_file) : 0)

/** `200 × 12, 404 × 3`. */
const listed = (statuses: ReadonlyMap<number, number>) =>
  [...statuses]
    .toSorted(([a], [b]) => a - b)
    .map(([status, times]) => `${status} × ${times}`)
    .join(', ')

async function sendAgain(attempt: Attempt): Promise<number> {
  return (await send(agent, service.base_url, attempt)).status
}

test('the comparison detects the row, event, and file of an accepted request', { skip: unseen }, async () => {
  const changed = await refusals?.changesBy(async () => {
    const attributes = portOrder([`+14254${digits}99`])
    const { body } = await service.account.createPortOrder({ body: { data: { type: 'portorder', attributes } } })
    assert.ok('included' in body)
    const { status } = await send(agent, service.base_url, {
      method: 'PUT',
      url: `/v2/portorders/${body.data.id}/files/bill.pdf`,
      headers: { authorization: `Basic ${btoa(credentials.account)}`, 'content-type': 'application/pdf' },
      body: Buffer.from('%PDF-1.7\n%%EOF\n'),
    })
    assert.equal(status, 201)
  })
  for (const name of ['table port_order', 'table event', 'file files/'])
    assert.ok(
      changed?.some((each) => each.startsWith(name)),
      `no ${name} in ${changed?.join('\n')}`,
    )
})

test(`unacceptable requests change and store nothing (seed ${seed})`, async () => {
  const { violations, statuses, refused } = await run(Math.ceil(count / 4), (target) => requests.refused(target))
  assert.deepEqual(violations, [])
  // operations without a body ignore a broken one, and health needs no key
  const accepted = [...statuses.keys()].filter((status) => status < 400)
  assert.ok(
    accepted.every((status) => status === 200),
    `accepted with ${accepted.join(', ')}`,
  )
  assert.deepEqual((await refusals?.changes(refused))?.changed ?? [], [])
})

test(`no request gets a 5xx, an undocumented status, or an undocumented body, and refused requests store nothing (seed ${seed})`, async (t) => {
  const statuses = new Map<number, number>()
  let compared = 0
  let longest_ms = 0
  await longestTurn()
  for (let left = count; left > 0; left -= round_requests) {
    const found = await run(Math.min(left, round_requests), (target) => requests.any(target))
    longest_ms = Math.max(longest_ms, await longestTurn())
    assert.deepEqual(found.violations, [])
    for (const [status, times] of found.statuses) statuses.set(status, (statuses.get(status) ?? 0) + times)
    const again = await refusals?.changes(found.refused)
    assert.deepEqual(again?.changed ?? [], [])
    compared += again?.refused ?? 0
  }
  t.diagnostic(
    `statuses: ${listed(statuses)}; refused again and compared: ${compared}; longest turn of the event loop: ${longest_ms} ms of processor time`,
  )
  assert.ok(longest_ms <= turn_max_ms, `a turn of the event loop took ${longest_ms} ms of processor time`)
  const accepted = [...statuses].reduce((sum, [status, times]) => sum + (status < 300 ? times : 0), 0)
  assert.ok(accepted > count / 20, `only ${accepted} of ${count} were accepted: the requests are not worth their name`)
  const refused = [...statuses].reduce((sum, [status, times]) => sum + (status >= 400 ? times : 0), 0)
  await result.finish(
    [
      {
        fault: 'Requests generated from the document',
        tries: count,
        lost: 0,
        doubled: 0,
        recovery_ms: null,
        remark: `${accepted} accepted, ${refused} refused, no 5xx`,
      },
      {
        fault: 'Refused requests sent again, all stored data compared',
        tries: compared,
        lost: 0,
        doubled: 0,
        recovery_ms: null,
        remark: 'no row, call record, or file byte changed',
      },
    ],
    [
      `Responses by status: ${listed(statuses)}.`,
      `Generated from seed ${seed}.`,
      `Longest turn of the API's event loop: ${longest_ms} ms of processor time.`,
    ],
  )
})

test('the audit log is intact afterward', async () => {
  const { body } = await service.operator.listAccounts({ query: { limit: 200 } })
  for (const { id } of body.data) {
    const { data } = (await service.operator.verifyEvents({ query: { account_id: id } })).body
    assert.equal(data.intact, true, `account ${id}`)
  }
})

/** The headers of the demo's clerk, acting for the account. */
async function clerkSession(): Promise<Record<string, string>> {
  const client = createDemarcClient({ base_url: service.base_url })
  const { account_id } = (await service.account.whoami()).body.data
  const { demo_people } = (await client.getSignInOptions()).body.data
  const person_id = demo_people.find(({ role }) => role === 'operator')?.id
  // a service that these tests did not start may lack the demo cast
  if (person_id === undefined) return {}
  const { headers, body } = await client.signInAsDemoPerson({ body: { person_id } })
  const [cookie = ''] = headers.getSetCookie().map((each) => each.split(';', 1)[0] ?? '')
  return { cookie, 'demarc-csrf': body.data.session.csrf_token, 'demarc-account': account_id ?? '' }
}
