import assert from 'node:assert/strict'
import { readFile, readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { downloadExport, waitForExport } from '@demarc/client'
import { kill, run, start } from './backup/command.ts'
import { Random } from './fuzz/random.ts'
import { newFolder, openService, startService, type Keys, type Service } from './support/service.ts'

/**
 * The restore drill: a service is backed up while it is used, and restored into an empty folder. Commands are killed at random moments;
 * DEMARC_BACKUP_KILLS says how often, DEMARC_CRASH_SEED when.
 */

const kills = Number(process.env['DEMARC_BACKUP_KILLS'] ?? 2)
const seed = Number(process.env['DEMARC_CRASH_SEED'] ?? 1)
const lists = ['numbers', 'cnams', 'routes', 'e911s', 'portorders', 'cdrs/exports'].map(
  (each) => `/v2/${each}?limit=200`,
)

const folders: string[] = []
const emptyFolder = async () => {
  const folder = await newFolder()
  folders.push(folder)
  return { folder, data: path.join(folder, 'data') }
}
after(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
})

const { folder: backups } = await emptyFolder()
const dir = path.join(backups, 'backups')
const service = await openService()
after(() => service.stop())
const data = service.process?.data_dir ?? ''
const { account_id, other_id } = await accountsOf(service)

/** Sends a request and returns the response's text. */
async function send(
  { base_url }: Service,
  keys: Keys,
  method: string,
  url: string,
  body?: string,
  type = 'application/json',
) {
  const authorization = `Basic ${Buffer.from(`${keys.access_key}:${keys.secret_key}`).toString('base64')}`
  const response = await fetch(base_url + url, {
    method,
    headers: { authorization, ...(body !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  assert.ok(response.ok, `${method} ${url}: ${response.status} ${text}`)
  return text
}

async function accountsOf(of: Service): Promise<{ account_id: string; other_id: string }> {
  const { account, other_account } = JSON.parse(
    await readFile(path.join(of.process?.data_dir ?? '', 'demo.json'), 'utf8'),
  ) as Record<'account' | 'other_account', { id: string }>
  return { account_id: account.id, other_id: other_account.id }
}

const documents = (of: Service) =>
  Promise.all(lists.map(async (url) => (await send(of, service.keys.account, 'GET', url)).replaceAll(of.base_url, '')))

/** All call records of an account, as CSV. */
async function exported(of: Service, client = of.account): Promise<string> {
  const filter_parameters = { start_call_start_time: '2020-01-01 00:00:00', start_call_end_time: '2040-01-01 00:00:00' }
  const attributes = { callback_url: 'http://127.0.0.1:9/', filter_parameters }
  const { body } = await client.createCdrExport({ body: { data: { type: 'cdrexport', attributes } } })
  const { id } = await waitForExport(client, body.data.id, { poll_ms: 200 })
  const { stream } = await downloadExport(client, id)
  return gunzipSync(Buffer.from(await new Response(stream).arrayBuffer())).toString()
}

const call = (id: string, start_time: string, of = account_id, callerid = '+13035550111') =>
  JSON.stringify({
    account_id: of,
    id,
    direction: 'outbound',
    start_time,
    end_time: start_time,
    destination: '+12065550100',
    callerid,
    result: 'completed',
    duration: 60,
    billed_duration: 60,
    cost_subtotal: '0.0098',
  })
const ingest = (of: Service, lines: string) =>
  send(of, service.keys.operator, 'POST', '/operator/cdrs', lines, 'application/x-ndjson')

/** Changes the other customer's data, and ingests its calls, until it is stopped. Returns what was acknowledged. */
function keepWriting() {
  const written = { names: [] as string[], callers: [] as string[] }
  const stopped = new AbortController()
  const done = (async () => {
    for (let n = 0; !stopped.signal.aborted; n += 1) {
      const value = `Backup ${String(n).padStart(4, '0')}`
      await send(service, service.keys.other, 'POST', '/v2/cnams', JSON.stringify({ value }))
      written.names.push(value)
      if (n % 10 !== 0) continue
      const caller = `+1720555${String(n / 10).padStart(4, '0')}`
      await ingest(service, call(`during-${n}`, '2026-02-05T10:00:00Z', other_id, caller))
      written.callers.push(caller)
    }
  })()
  return {
    acknowledged: () => structuredClone(written),
    stop: async () => {
      stopped.abort()
      await done
    },
  }
}

await ingest(service, call('before-the-backup', '2026-01-05T10:00:00Z'))
const before = { documents: await documents(service), calls: await exported(service) }
// the export is listed, too
before.documents = await documents(service)

const writing = keepWriting()
const early = await run('backup', data, dir)
const acknowledged = writing.acknowledged()
const backup = await run('backup', data, dir)
await writing.stop()
const restored = await emptyFolder()
const restore = await run('restore', restored.data, dir)

test('a running service is backed up, the second time without files and call records that it has', () => {
  assert.equal(early.status, 0, early.output)
  assert.equal(backup.status, 0, backup.output)
  assert.match(backup.output, /of which 0 are new/)
})

test('a restore verifies what it restored', () => {
  assert.equal(restore.status, 0, restore.output)
  assert.match(
    restore.output,
    /Verified: [\d,]+ audit chains with [\d,]+ events, sequences, and the totals of \d+ months/,
  )
})

describe('a restored service', async () => {
  const other = await startService(restored.folder)
  after(() => other.end())

  test('has the same keys, documents, and call records', async () => {
    assert.deepEqual(await documents(other), before.documents)
    assert.equal(await exported(other), before.calls)
  })

  test('has every change that was acknowledged before the backup', async () => {
    const { names, callers } = acknowledged
    assert.ok(names.length > 0)
    for (const value of [...names.slice(0, 50), ...names.slice(-50)]) {
      const { body } = await other.other.listCnams({ query: { value } })
      assert.equal(body.data.length, 1, value)
    }
    const calls = await exported(other, other.other)
    for (const caller of callers) assert.ok(calls.includes(caller), caller)
  })

  test('has intact audit chains', async () => {
    for (const query of ['', `?account_id=${account_id}`]) {
      const text = await send(other, service.keys.operator, 'GET', `/operator/audit/verify${query}`)
      assert.match(text, /"intact":\s*true/)
    }
  })

  test('knows the ids of its call records', async () => {
    const text = await ingest(other, call('before-the-backup', '2026-02-05T10:00:00Z'))
    assert.match(text, /"accepted":\s*0,\s*"duplicates":\s*1/)
  })
})

test('a restore refuses an installation that is not empty', async () => {
  const { status, output } = await run('restore', data, dir)
  assert.equal(status, 1)
  assert.match(output, /The database has tables/)
})

test('an altered backup is refused with the name of the file, and nothing is restored', async () => {
  const [name = ''] = (await readdir(dir))
    .filter((each) => each.endsWith('Z'))
    .toSorted()
    .slice(-1)
  const file = path.join(dir, name, 'database', 'account.copy.zst')
  const content = await readFile(file)
  const altered = Buffer.from(content)
  altered.writeUInt8(altered.readUInt8(altered.length - 1) ^ 1, altered.length - 1)
  await writeFile(file, altered)
  const target = await emptyFolder()
  const { status, output } = await run('restore', target.data, dir)
  await writeFile(file, content)
  assert.equal(status, 1)
  assert.match(output, /database\/account\.copy\.zst is damaged/)
  await assert.rejects(readdir(target.data), { code: 'ENOENT' })
})

test('a killed backup leaves the others as they are, and is run again', async (t) => {
  const random = new Random(seed)
  const began = performance.now()
  assert.equal((await run('backup', data, dir)).status, 0)
  const whole_ms = performance.now() - began
  for (let n = 0; n < kills; n += 1) {
    const running = start('backup', data, dir)
    await sleep(random.below(Math.ceil(whole_ms)))
    kill(running, 'process')
    const { status } = await running.ended
    t.diagnostic(`killed a backup: ${status === null ? 'unfinished' : 'it had ended'}`)
    const verified = await run('restore', data, dir, '--verify')
    assert.equal(verified.status, 0, verified.output)
  }
  const again = await run('backup', data, dir)
  assert.equal(again.status, 0, again.output)
  assert.deepEqual(
    (await readdir(dir)).filter((each) => each.endsWith('.unfinished')),
    [],
  )
})

test('a killed restore is not served, and is run again', async (t) => {
  const random = new Random(seed)
  const began = performance.now()
  assert.equal((await run('restore', (await emptyFolder()).data, dir)).status, 0)
  const whole_ms = performance.now() - began
  let target = await emptyFolder()
  for (let n = 0; n < kills; n += 1) {
    const running = start('restore', target.data, dir)
    await sleep(random.below(Math.ceil(whole_ms)))
    kill(running, n % 2 === 0 ? 'process' : 'tree')
    const { status, output } = await running.ended
    t.diagnostic(`killed a restore: ${status === null ? (output.trim().split('\n').at(-1) ?? '') : 'it had ended'}`)
    // it may be killed after its last line and before its exit
    if (status === 0 || output.includes('The restore is complete.')) target = await emptyFolder()
  }
  const again = await run('restore', target.data, dir)
  assert.equal(again.status, 0, again.output)
  const other = await startService(target.folder)
  try {
    assert.deepEqual(await documents(other), await documents(service))
    assert.equal(await exported(other), before.calls)
  } finally {
    await other.end()
  }
})
