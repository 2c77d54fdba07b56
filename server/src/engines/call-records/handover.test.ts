/** Files that the embedded engine writes and the requesting process opens. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { testEngine } from '../../../test/support/engine.ts'
import { connect, FILE_HEADER, type BytesOptions } from './clickhouse.ts'

const PLAIN: BytesOptions = { settings: {}, query_class: 'export', compression: 'none' }

test("an engine's file is opened in place, complete, and is unlinked while it is read", async (t) => {
  const { socket, folder } = await testEngine()
  const clickhouse = connect({ at: { socket } })
  t.after(() => clickhouse.close())
  const { stream, complete } = await clickhouse.bytes('SELECT number FROM numbers(300000) FORMAT CSV', PLAIN)
  assert.equal(complete, true)
  while ((await readdir(join(folder, 'scratch'))).length > 0) await setImmediate()
  const lines = (await text(stream)).split('\n')
  assert.deepEqual([lines.length, lines.at(-2)], [300_001, '299999'])
})

test('if the file cannot be opened, its bytes are sent, and later queries request no file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'demarc-handover-'))
  const asked: boolean[] = []
  const engine = createServer((request, response) => {
    asked.push(request.headers[FILE_HEADER] !== undefined)
    if (asked.at(-1)) response.setHeader(FILE_HEADER, encodeURIComponent(join(folder, 'elsewhere')))
    request.resume()
    response.end('1\n')
  }).listen(join(folder, 'socket'))
  await once(engine, 'listening')
  const clickhouse = connect({ at: { socket: join(folder, 'socket') } })
  t.after(async () => {
    await clickhouse.close()
    engine.closeAllConnections()
    engine.close()
    await rm(folder, { recursive: true, force: true })
  })
  for (const _ of [1, 2]) assert.equal(await text((await clickhouse.bytes('SELECT 1 FORMAT CSV', PLAIN)).stream), '1\n')
  assert.deepEqual(asked, [true, false, false])
})
