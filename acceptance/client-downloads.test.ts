import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { access, readFile, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import {
  ChecksumError,
  ConnectionError,
  GoneError,
  NoExportFileError,
  createDemarcClient,
  downloadExport,
} from '@demarc/client'
import { downloadExportToFile } from '@demarc/client/node'
import { startFailingServer, type Planned } from './support/failing-server.ts'

/** Downloads over lost connections, from a server that fails on demand. */

const folder = mkdtempSync(path.join(os.tmpdir(), 'demarc-download-'))
after(() => rmSync(folder, { recursive: true }))
const server = await startFailingServer()
const client = createDemarcClient({ base_url: server.base_url })
const content = randomBytes(300_000)
const sha256 = createHash('sha256').update(content).digest('hex')
const quick = { base_ms: 1, stall_ms: 1000 }

const exportWith = (attributes: object) => ({
  status: 200,
  body: {
    data: {
      id: '2',
      type: 'cdrexport',
      attributes: {
        status: 'completed',
        failure_reason: null,
        format: 'csv',
        sha256,
        bytes: content.length,
        download_url: `${server.base_url}/v2/cdrs/exports/2/file?signature=c0ffee`,
        ...attributes,
      },
    },
  },
})
const completed = exportWith({})

/** Sends the file from the requested offset to `end`, then closes the connection, stalls, or ends. */
const file =
  (end: number, then: 'end' | 'reset' | 'stall', bytes: Buffer = content): Planned =>
  ({ headers }, response) => {
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0)
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': String(bytes.length - from) })
    response.write(bytes.subarray(from, end), () => finish(response, then))
  }

function finish(response: ServerResponse, then: 'end' | 'reset' | 'stall'): void {
  if (then === 'end') response.end()
  if (then === 'reset') response.socket?.destroy()
}

const ranges = () => server.arrived.slice(1).map(({ headers }) => headers.range)
let files = 0
const newPath = () => path.join(folder, `${++files}.csv.gz`)
const isThere = (file_path: string) =>
  access(file_path).then(
    () => true,
    () => false,
  )

async function streamed(options = {}): Promise<Buffer> {
  const { stream, ...facts } = await downloadExport(client, '2', { ...quick, ...options })
  assert.deepEqual(facts, { file_name: 'demarc-cdrs-2.csv.gz', sha256, bytes: content.length })
  const pieces: Uint8Array[] = []
  for await (const piece of stream) pieces.push(piece)
  return Buffer.concat(pieces)
}

test('a download resumes after its connection is lost, stalls, or cannot be opened', async () => {
  server.plan(
    completed,
    file(100_000, 'reset'),
    'reset',
    { status: 503 },
    file(200_000, 'stall'),
    file(content.length, 'end'),
  )
  const seen: number[] = []
  const bytes = await streamed({ on_progress: (progress: { bytes: number }) => seen.push(progress.bytes) })
  assert.ok(bytes.equals(content))
  const [first, ...resumed] = ranges()
  assert.equal(first, undefined)
  assert.equal(resumed.length, 4)
  assert.equal(resumed.at(-1), 'bytes=200000-')
  assert.deepEqual(
    seen,
    seen.toSorted((a, b) => a - b),
  )
  assert.equal(seen.at(-1), content.length)
})

test('a server that ignores Range sends everything again, and nothing is written twice', async () => {
  const everything: Planned = (_, response) => {
    response.writeHead(200, { 'content-length': String(content.length) })
    response.end(content)
  }
  server.plan(completed, file(100_000, 'reset'), everything)
  assert.ok((await streamed()).equals(content))
})

test('bytes of a different file are never accepted', async () => {
  const wrong = Buffer.from(content)
  wrong[123_456] = (wrong[123_456] ?? 0) ^ 1
  server.plan(completed, file(wrong.length, 'end', wrong))
  await assert.rejects(streamed(), (error) => error instanceof ChecksumError && error.expected === sha256)
  const target = newPath()
  server.plan(completed, file(wrong.length, 'end', wrong))
  await assert.rejects(downloadExportToFile(client, '2', target, quick), ChecksumError)
  assert.equal(await isThere(target), false)
  assert.equal((await readFile(`${target}.part`)).length, 0, 'nothing is left to be resumed')
})

test('a download fails when its connection is lost repeatedly without a byte', async () => {
  server.plan(completed, file(1000, 'reset'), file(0, 'reset'))
  await assert.rejects(streamed({ attempts: 3 }), (error) => {
    assert.ok(error instanceof ConnectionError)
    assert.match(error.message, /Export 2: no response from .*\/file, tried 3 times: .* after 1000 bytes$/)
    assert.match(error.remedy, /Check that the service runs/)
    return true
  })
  assert.equal(server.arrived.length, 1 + 3)
})

test('a later call resumes an interrupted download', async () => {
  const target = newPath()
  server.plan(completed, file(123_000, 'stall'))
  await assert.rejects(downloadExportToFile(client, '2', target, { ...quick, attempts: 1 }), ConnectionError)
  assert.equal(await isThere(target), false, 'the file has its name only when it is whole')
  server.plan(completed, file(content.length, 'end'))
  const downloaded = await downloadExportToFile(client, '2', target, quick)
  assert.deepEqual(downloaded, { path: target, sha256, bytes: content.length, resumed_from: 123_000 })
  assert.deepEqual(ranges(), ['bytes=123000-'])
  assert.ok((await readFile(target)).equals(content))
  assert.equal(await isThere(`${target}.part`), false)
})

test('a partial download of a different file is discarded, and the whole file is downloaded', async () => {
  for (const left of [randomBytes(1000), randomBytes(content.length + 1), randomBytes(content.length)]) {
    const target = newPath()
    await writeFile(`${target}.part`, left)
    server.plan(completed, file(content.length, 'end'))
    assert.equal((await downloadExportToFile(client, '2', target, quick)).resumed_from, 0)
    assert.ok((await readFile(target)).equals(content))
  }
})

test('a partial file that is already complete is verified without a request', async () => {
  const target = newPath()
  await writeFile(`${target}.part`, content)
  server.plan(completed)
  assert.equal((await downloadExportToFile(client, '2', target, quick)).resumed_from, content.length)
  assert.equal(server.arrived.length, 1)
})

test('an abort ends the download with its reason and keeps the partial file for resuming', async () => {
  const target = newPath()
  const reason = new Error('Ctrl-C')
  const controller = new AbortController()
  const on_progress = ({ bytes }: { bytes: number }) => bytes >= 50_000 && controller.abort(reason)
  server.plan(completed, file(50_000, 'stall'))
  const { signal } = controller
  await assert.rejects(
    downloadExportToFile(client, '2', target, { ...quick, stall_ms: 60_000, signal, on_progress }),
    reason,
  )
  assert.equal((await readFile(`${target}.part`)).length, 50_000)
})

test('an abandoned stream closes its connection', async () => {
  const closed = Promise.withResolvers<void>()
  server.plan(completed, (_, response) => {
    response.once('close', closed.resolve)
    response.writeHead(200, { 'content-length': String(content.length) }).write(content.subarray(0, 1000))
  })
  const { stream } = await downloadExport(client, '2', quick)
  const reader = stream.getReader()
  await reader.read()
  await reader.cancel()
  await closed.promise
})

test('an export without a file fails with the reason and the remedy', async () => {
  for (const [attributes, message, remedy] of [
    [{ status: 'processing' }, /it is processing/, /waitForExport/],
    [{ status: 'failed', failure_reason: 'Too large.' }, /Too large/, /again/],
    [{}, /expired/, /again/],
  ] as const) {
    server.plan(exportWith({ ...attributes, sha256: null, bytes: null, download_url: null }))
    await assert.rejects(downloadExport(client, '2'), (error) => {
      assert.ok(error instanceof NoExportFileError)
      assert.match(error.message, message)
      assert.match(error.remedy, remedy)
      return true
    })
  }
  server.plan(completed, { status: 410 })
  await assert.rejects(streamed(), GoneError)
})
