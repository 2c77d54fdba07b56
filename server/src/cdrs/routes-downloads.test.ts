import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { FileDamagedError } from '@demarc/client'
import { callRecord } from '../engines/call-records/testing/records.ts'
import { testEngine } from '../../test/support/engine.ts'
import { askExport, completedExport, download, exportEnded, type ExportResource } from '../../test/support/exports.ts'
import { rawClient } from '../../test/support/raw-client.ts'
import { refusal, sentence } from '../../test/support/refusals.ts'
import { startTestServer } from '../../test/support/server.ts'
import { listEvents } from '../platform/events.ts'
import { expireExport } from './actions.ts'

const engine = await testEngine()
const server = await startTestServer({ worker: true, engine_socket: engine.socket })
const { account, other } = server

/** Each n gives a call in a different hour, so that each export has a different file. */
let hours = 0
async function oneExport(of = account): Promise<ExportResource> {
  const hour = hours++
  const start = Date.UTC(2025, 2, 1 + Math.floor(hour / 24), hour % 24)
  const calls = Array.from({ length: 200 }, (_, i) =>
    callRecord({
      account_id: of.id,
      id: `${hour}-${i}`,
      start_time: new Date(start + i * 1000),
      number_alias: `line ${(i * 7919) % 200}`,
    }),
  )
  await server.runtime.warehouse.insert(calls)
  return await completedExport(of, hourOf(start))
}
const hourOf = (start: number) => {
  const text = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
  return { start_call_start_time: text(start), start_call_end_time: text(start + 3_600_000) }
}

const urlOf = (of: ExportResource) => {
  assert.ok(of.attributes.download_url)
  return new URL(of.attributes.download_url)
}
const status = async (url: URL | string, init?: RequestInit) => (await fetch(url, init)).status
const fileOf = ({ attributes: { sha256 } }: ExportResource) => {
  assert.ok(sha256)
  return join(server.runtime.installation.files_dir, sha256.slice(0, 2), sha256.slice(2, 4), sha256)
}

describe('who may download', () => {
  test('anyone with the link, without a key', async () => {
    await download(await oneExport())
  })

  test('the account and the operator, with a key', async () => {
    const done = await oneExport()
    const params = { export_id: done.id }
    for (const client of [account.client, server.operator]) {
      const { body, status } = await client.getCdrExportFile({ params })
      assert.equal(status, 200)
      assert.deepEqual(Buffer.from(await body.arrayBuffer()), await download(done))
    }
    const reader = await server.newAccount('Reader', ['read'])
    await refusal(reader.client.getCdrExportFile({ params }), 404)
    assert.equal(await status(`${server.base_url}/v2/cdrs/exports/${done.id}/file`), 401)
  })

  test('no one with a modified link', async () => {
    const [mine, theirs] = [await oneExport(), await oneExport(other)]
    const changed = (change: (url: URL) => void) => {
      const url = urlOf(mine)
      change(url)
      return status(url)
    }
    const set = (name: string, value: string) => changed((url) => url.searchParams.set(name, value))
    assert.equal(await changed((url) => (url.pathname = url.pathname.replace(mine.id, theirs.id))), 401)
    assert.equal(await set('account', other.id), 401)
    assert.equal(await set('expires', String(Date.now() + 10 * 86_400_000)), 401)
    assert.equal(await set('signature', urlOf(theirs).searchParams.get('signature') ?? ''), 401)
    assert.equal(await set('signature', ''), 401)
    for (const name of ['account', 'expires', 'signature'])
      assert.equal(await changed((url) => url.searchParams.delete(name)), 401, `without ${name}`)
    assert.equal(await changed((url) => url.searchParams.append('signature', 'x')), 422, 'twice')
    assert.equal(await changed(() => undefined), 200)
  })

  test("a link is accepted together with another account's key, but an invalid key is rejected", async () => {
    const url = urlOf(await oneExport())
    const basic = (user: string, secret: string) => ({
      headers: { authorization: `Basic ${btoa(`${user}:${secret}`)}` },
    })
    const { access_key, secret_key } = other.credentials
    assert.equal(await status(url, basic(access_key, secret_key)), 200)
    assert.equal(await status(url, basic(access_key, 'wrong')), 401)
  })
})

describe('byte ranges of a file', () => {
  test('an interrupted download resumes where it stopped', async () => {
    const done = await oneExport()
    const full = await download(done)
    const half = Math.floor(full.length / 2)
    const part = async (range: string) => {
      const response = await fetch(urlOf(done), { headers: { range } })
      return { response, bytes: Buffer.from(await response.arrayBuffer()) }
    }
    const [head, tail] = [await part(`bytes=0-${half - 1}`), await part(`bytes=${half}-`)]
    assert.equal(head.response.status, 206)
    assert.equal(head.response.headers.get('content-range'), `bytes 0-${half - 1}/${full.length}`)
    assert.equal(tail.response.headers.get('content-length'), String(full.length - half))
    assert.deepEqual(Buffer.concat([head.bytes, tail.bytes]), full)
    assert.deepEqual((await part('bytes=-10')).bytes, full.subarray(-10))
    assert.deepEqual((await part(`bytes=${full.length - 1}-${full.length + 100}`)).bytes, full.subarray(-1))
    for (const odd of ['bytes=0-1,4-5', 'lines=0-1', 'bytes=x-', 'bytes=5-2', 'bytes=-']) {
      const { response, bytes } = await part(odd)
      assert.equal(response.status, 200, odd)
      assert.deepEqual(bytes, full, odd)
    }
  })

  test('a range past the end is rejected with the length, so a resuming client knows that its file is complete', async () => {
    const done = await oneExport()
    const bytes = Number(done.attributes.bytes)
    for (const range of [`bytes=${bytes}-`, `bytes=${bytes + 5}-${bytes + 9}`, 'bytes=-0']) {
      const response = await fetch(urlOf(done), { headers: { range } })
      assert.equal(response.status, 416, range)
      assert.equal(response.headers.get('content-range'), `bytes */${bytes}`)
      const { errors } = (await response.json()) as { errors: { title: string }[] }
      assert.equal(errors[0]?.title, 'Range not satisfiable')
    }
  })

  test('If-Range prevents appending a byte range to a different file', async () => {
    const done = await oneExport()
    const part = (if_range: string) => status(urlOf(done), { headers: { range: 'bytes=10-', 'if-range': if_range } })
    assert.equal(await part(`"${done.attributes.sha256}"`), 206)
    for (const other of ['"another"', `W/"${done.attributes.sha256}"`, new Date().toUTCString()])
      assert.equal(await part(other), 200, other)
  })

  test('HEAD returns the headers of GET, without the file', async () => {
    const url = urlOf(await oneExport())
    const [head, get] = [await fetch(url, { method: 'HEAD' }), await fetch(url)]
    assert.equal(head.status, 200)
    for (const name of ['content-length', 'content-type', 'etag', 'accept-ranges', 'content-disposition'])
      assert.equal(head.headers.get(name), get.headers.get(name), name)
    assert.equal((await head.arrayBuffer()).byteLength, 0)
    await get.arrayBuffer()
  })
})

describe('after expiry', () => {
  const advance = (words: string) => server.operator.moveClock({ body: { advance: words } })
  const read = async (id: string) =>
    (await account.client.getCdrExport({ params: { export_id: id } })).body.data.attributes

  test('an export keeps its attributes but loses its link and file', async () => {
    const done = await oneExport()
    await advance('71 hours 59 minutes')
    assert.equal(await status(urlOf(done)), 200)
    assert.ok(existsSync(fileOf(done)))
    await advance('2 minutes')
    assert.equal(await status(urlOf(done)), 410)
    assert.equal(existsSync(fileOf(done)), false)
    const params = { export_id: done.id }
    assert.match(await sentence(account.client.getCdrExportFile({ params }), 410), /has expired/)
    assert.deepEqual(await read(done.id), { ...done.attributes, download_url: null })
    const tampered = urlOf(done)
    tampered.searchParams.set('account', other.id)
    assert.equal(await status(tampered), 401, 'expired and forged is forged')
    const events = await listEvents(server.db, { subject_type: 'cdrexport', subject_id: done.id, limit: 10, offset: 0 })
    assert.deepEqual(
      events.map((e) => e.type),
      ['cdrexport.expired', 'cdrexport.completed', 'cdrexport.requested'],
    )
    await expireExport(server.runtime.deps, done.id)
    const again = await listEvents(server.db, { subject_type: 'cdrexport', subject_id: done.id, limit: 10, offset: 0 })
    assert.equal(again.length, 3, 'once')
  })

  test('a file is kept while another export uses it', async () => {
    const older = await oneExport()
    await advance('1 day')
    const newer = await completedExport(account, older.attributes.filter_parameters)
    assert.equal(newer.attributes.sha256, older.attributes.sha256)
    await advance('2 days 1 hour')
    assert.equal(await status(urlOf(older)), 410)
    assert.equal(await status(urlOf(newer)), 200)
    await download(newer)
    await advance('1 day')
    assert.equal(await status(urlOf(newer)), 410)
    assert.equal(existsSync(fileOf(newer)), false)
  })

  test('an export requested while an older one with the same file expires keeps the file', async () => {
    const old = await oneExport()
    const newer = await askExport(account, old.attributes.filter_parameters)
    await Promise.all([exportEnded(account, newer.id), advance('3 days')])
    await advance('1 day')
    const fresh = await Promise.all(
      Array.from({ length: 5 }, () => completedExport(account, old.attributes.filter_parameters)),
    )
    for (const each of fresh) await download(each)
  })
})

test('a file missing from the disk is a 410, and the export can be requested again', async () => {
  const done = await oneExport()
  assert.equal(await server.runtime.deps.files.remove(done.attributes.sha256 ?? ''), true)
  assert.equal(await status(urlOf(done)), 410)
  await download(await completedExport(account, done.attributes.filter_parameters))
  assert.equal(await status(urlOf(done)), 200, 'it is the same file')
})

test('an altered file is never sent: not its bytes, not its digest as ETag, and not a range', async () => {
  const done = await oneExport()
  const file = await open(fileOf(done), 'r+')
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, 100)
  await file.write(Buffer.from([255 - (buffer[0] ?? 0)]), 0, 1, 100)
  await file.close()
  for (const headers of [{}, { range: 'bytes=0-9' }]) {
    const response = await fetch(urlOf(done), { headers })
    assert.equal(response.status, 410)
    assert.equal(response.headers.get('etag'), null)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.match(await response.text(), /"title":"File damaged"/)
  }
  await assert.rejects(account.client.getCdrExportFile({ params: { export_id: done.id } }), FileDamagedError)
  const [alert] = (await server.operator.listAlerts()).body.data
  assert.equal(alert?.attributes.subject, done.attributes.sha256)
  const metrics = await (await fetch(`${server.base_url}/metrics`)).text()
  assert.match(metrics, /^demarc_files_damaged 1$/m)
  // the same records give the same file, which replaces the altered one
  await download(await completedExport(account, done.attributes.filter_parameters))
  assert.equal(await status(urlOf(done)), 200)
  assert.deepEqual((await server.operator.listAlerts()).body.data, [])
})

test('intermediate caches do not store downloads', async () => {
  const raw = rawClient(server.base_url, account)
  const { id } = await oneExport()
  const response = await raw('GET', `/v2/cdrs/exports/${id}/file`)
  await response.arrayBuffer()
  assert.equal(response.headers.get('cache-control'), 'private, no-store')
})
