import assert from 'node:assert/strict'
import { once } from 'node:events'
import { open, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { call, ndjson } from '../src/engines/call-records/ingest/testing/bodies.ts'
import { hasEnded, newDemoFolder, removeFolder, spawnService, startService } from './support/service.ts'
import { fillDisk, no_mount, smallDisk } from './support/small-disk.ts'
import { atEnd } from './support/starters.ts'
import { basic, reason, wire } from './support/wire.ts'
import { eventually } from './support/eventually.ts'

/** A real service with a full disk. */

/** The installation itself needs about 70. */
const disk_mib = 260

test('a full disk is a 503 with that reason, also in readiness; reads keep working, and free space is enough to recover', async (t) => {
  const folder = await smallDisk(t, disk_mib)
  if (folder === null) return t.skip(no_mount)
  const service = await startService(folder)
  atEnd(t, () => service.stop())
  const { account, operator } = JSON.parse(await readFile(path.join(folder, 'data/demo.json'), 'utf8')) as {
    [holder in 'account' | 'operator']: { id: string; access_key: string; secret_key: string }
  }
  const send = wire(service.base_url, account)
  const validate = () =>
    send('POST /v2/e911s/validations', { headers: { 'content-type': 'text/csv' }, body: 'street_name\nMain\n' })
  const headers = {
    'content-type': 'application/x-ndjson',
    authorization: basic(operator.access_key, operator.secret_key),
  }
  const records = Array.from({ length: 20_000 }, (_, n) => call(`full ${n}`, { account_id: account.id }))
  const ingest = () => wire(service.base_url)('POST /operator/cdrs', { headers, body: ndjson(records) })
  const ready = () => wire(service.base_url)('GET /health/ready')
  const filling = path.join(folder, 'filling')

  for (const store of [validate, ingest]) {
    await eventually(async () => {
      fillDisk(filling)
      return (await store()).status === 503
    })
    fillDisk(filling)
    const refused = await store()
    assert.match(reason(refused, 503), /has no room to store this/)
    assert.equal(refused.headers['retry-after'], '30')
  }
  assert.match(reason(await ready(), 503), /storage has only \d+ MiB left/)
  assert.equal((await send('GET /v2/numbers')).status, 200)

  await rm(filling)
  await eventually(async () => (await ready()).status === 200)
  assert.equal((await validate()).status, 202)
  assert.equal((await ingest()).status, 200)

  await service.stop()
  fillDisk(filling)
  const { child, output } = spawnService(folder)
  atEnd(t, () => hasEnded(child) || child.kill('SIGKILL'))
  const [code] = await once(child, 'exit')
  assert.equal(code, 1)
  assert.match(output(), /A disk that the service needs is full\. Free some space, then start again\./)
  assert.doesNotMatch(output(), /^ +at /m, 'no stack')
})

test('a service whose log is on a full disk answers requests, and stops', async (t) => {
  const folder = await newDemoFolder()
  atEnd(t, () => removeFolder(folder))
  await using log = await open('/dev/full', 'w')
  const service = await startService(folder, { log: log.fd })
  atEnd(t, () => hasEnded(service.child) || service.child.kill('SIGKILL'))
  const { status } = await service.account.listNumbers({})
  assert.equal(status, 200)
  const { code } = await service.stop()
  assert.equal(code, 0)
})
