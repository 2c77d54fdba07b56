import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { beginResult, type FaultRow } from './reliability/results.ts'
import { attacks, type Attack } from './sockets/attacks.ts'
import type { GoodClientInput, GoodClientResult } from './sockets/good-client.ts'
import { exchange, type Target } from './sockets/raw.ts'
import { shapes } from './sockets/shapes.ts'
import { addNumbers } from './support/cast.ts'
import { ask } from './support/probe.ts'
import { openService, type Keys } from './support/service.ts'

/**
 * Attacks that no HTTP client would send, from one address, while a good client at another address reads and writes: none of
 * its requests may fail or hang, and the service must not keep anything afterward. Short here, long with `npm run sockets`
 * (DEMARC_SOCKETS_SECONDS for each kind, DEMARC_SOCKETS_SILENT and DEMARC_SOCKETS_SLOW connections).
 */
const seconds = Number(process.env['DEMARC_SOCKETS_SECONDS'] ?? 2)
const scale = {
  silent: Number(process.env['DEMARC_SOCKETS_SILENT'] ?? 600),
  slow: Number(process.env['DEMARC_SOCKETS_SLOW'] ?? 60),
}
/** Only a hang takes this long. */
const hang_ms = 30_000
/** Only a leak takes this much, after a collection: without limits, one of these attacks took a gibibyte. */
const memory_max_mib = 64
/** Connections to the database and the engine may come and go. */
const descriptors_max = 32

const result = beginResult('sockets', {
  title: 'Sockets',
  about:
    'Raw TCP connections from one address, with one account’s key, send what no HTTP client would, one kind of attack after another, as fast as the machine allows. Meanwhile a good client at another address, with another account’s key, sends up to sixty requests a second over keep-alive and new connections, and reads back what it wrote. Production limits apply.',
  command: 'npm run sockets',
})

// the production limits
const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-sockets-'))
/** See collect.ts. */
const probe_file = path.join(folder, 'memory')
const service = await openService({
  DEMARC_CONNECTIONS_PER_ADDRESS: '256',
  DEMARC_REQUESTS_PER_MINUTE: '6000',
  NODE_OPTIONS: `--expose-gc --import ${new URL('./sockets/collect.ts', import.meta.url).href}`,
  PROBE_FILE: probe_file,
})
after(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})
const { hostname, port } = new URL(service.base_url)
const basic = ({ access_key, secret_key }: Keys) => `Basic ${btoa(`${access_key}:${secret_key}`)}`
const target: Target = {
  host: hostname,
  port: Number(port),
  authorization: basic(service.keys.other),
}
const [number = ''] = await addNumbers(service, ['71'])
const rows: FaultRow[] = []
const remarks: string[] = []

interface Held {
  /** Memory in use after a collection. */
  mib: number
  /** Resident memory, which includes what the process keeps for later. */
  resident_mib: number
  descriptors: number
}

/** Memory and descriptors of the API process; null for a service that these tests did not start. */
async function held(): Promise<Held | null> {
  if (service.process === null) return null
  const { pid } = service.process
  const kib = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  return {
    mib: Math.round((await ask(pid, probe_file)) / 1024 / 1024),
    resident_mib: Math.round(kib / 1024),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  }
}

/** The good client's observations during the attack. */
async function during(attack: Attack): Promise<GoodClientResult & { connections: number }> {
  const input: GoodClientInput = { base_url: service.base_url, authorization: basic(service.keys.account), number }
  const program = new URL('./sockets/good-client.ts', import.meta.url)
  // without the test runner's variables and options
  const client = fork(program, [JSON.stringify(input)], { env: {}, execArgv: [] })
  // the only message that it sends
  const seen = once(client, 'message') as Promise<[GoodClientResult]>
  const end = new AbortController()
  const attacking = attack(target, scale, end.signal)
  await sleep(seconds * 1000)
  client.send('end')
  const [good] = await seen
  end.abort()
  return { ...good, connections: await attacking }
}

const quantile = (sorted: readonly number[], share: number) =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)

test('a request with ambiguous framing is refused, and bytes after it get no response', async () => {
  for (const { name, bytes, statuses } of shapes(target)) {
    const received = await exchange(target, bytes, hang_ms)
    assert.ok(received, `${name}: the connection stays open`)
    assert.deepEqual(received.statuses, statuses, name)
    assert.doesNotMatch(received.text, /evil\.example/, name)
  }
})

// the first round also includes one-time allocations
let before: Held | null = null
for (const [name, attack] of Object.entries(attacks))
  test(`a good client is unaffected during: ${name.toLowerCase()}`, async (t) => {
    const { latencies_ms, failures, lost, connections } = await during(attack)
    before ??= await held()
    const sorted = latencies_ms.toSorted((a, b) => a - b)
    const longest = quantile(sorted, 1)
    const remark = `good client: ${sorted.length} requests, none failed, median ${quantile(sorted, 0.5)} ms, p99 ${quantile(sorted, 0.99)} ms, longest ${longest} ms`
    t.diagnostic(`${connections} connections; ${remark}`)
    assert.deepEqual(failures, [])
    assert.equal(lost, 0)
    assert.ok(longest < hang_ms, `a request took ${longest} ms`)
    assert.ok(sorted.length > 0, 'no request was served')
    rows.push({ fault: name, tries: connections, lost, doubled: 0, recovery_ms: null, remark })
  })

test('memory and descriptors return to normal after the connections close', async (t) => {
  const deadline = performance.now() + hang_ms
  const first = before
  let last = await held()
  if (first === null || last === null) return t.skip('the service was not started by these tests')
  while (last !== null && last.descriptors > first.descriptors + descriptors_max && performance.now() < deadline) {
    await sleep(200)
    last = await held()
  }
  assert.ok(last)
  assert.ok(
    last.descriptors <= first.descriptors + descriptors_max,
    `${first.descriptors} before, ${last.descriptors} now`,
  )
  assert.ok(last.mib <= first.mib + memory_max_mib, `${first.mib} MiB before, ${last.mib} MiB now`)
  remarks.push(
    `Each attack lasted ${seconds} s, with up to ${scale.silent} silent and ${scale.slow} slow connections at a time; an address may have 256, and a key or an address 6,000 requests a minute.`,
    `The API's process used ${first.mib} MiB of memory after a collection and ${first.descriptors} descriptors before, ${last.mib} MiB and ${last.descriptors} afterward. Its resident memory was ${first.resident_mib} MiB before and ${last.resident_mib} MiB afterward.`,
  )
  t.diagnostic(remarks.join(' '))
  assert.equal(rows.length, Object.keys(attacks).length, 'the good client was served during each')
  await result.finish(rows, remarks)
})
