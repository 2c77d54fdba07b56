import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { stopWorker, openService } from '../../acceptance/support/service.ts'
import { runLine, wordsOf } from './support/run.ts'

/** Verbs that transfer files while the network to the service fails. */

const service = await openService({ DEMARC_REQUESTS_PER_MINUTE: '100000' })
const folder = await mkdtemp(path.join(os.tmpdir(), 'demarc-files-'))
after(async () => {
  await service.stop()
  await rm(folder, { recursive: true })
})
const file = (name: string) => path.join(folder, name)

/** A proxy between the program and the service, and the faults it injects. */
interface Fault {
  /** Returns true if it handled the request itself. */
  before?: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Truncates the body after this many bytes, depending on the path. */
  cut?: (url: string) => number | null
  /** Called when each response begins. */
  passed?: (url: string, status: number) => void
}

/** A proxy to the service. */
async function proxy(t: { after: (end: () => void) => void }, fault: Fault): Promise<string> {
  const target = new URL(service.base_url)
  const server = createServer((request, response) => {
    if (fault.before?.(request, response)) return
    const { url = '', method, headers } = request
    const outgoing = httpRequest(
      { host: target.hostname, port: target.port, path: url, method, headers },
      (incoming) => {
        fault.passed?.(url, incoming.statusCode ?? 0)
        response.writeHead(incoming.statusCode ?? 502, incoming.headers)
        const limit = fault.cut?.(url) ?? null
        if (limit === null) return incoming.pipe(response)
        let sent = 0
        incoming.on('data', (chunk: Buffer) => {
          response.write(chunk.subarray(0, Math.max(0, limit - sent)))
          if ((sent += chunk.length) >= limit) setImmediate(() => response.destroy())
        })
      },
    )
    // an error on either side ends both
    outgoing.on('error', () => response.destroy())
    response.on('close', () => outgoing.destroy())
    request.pipe(outgoing)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  // it listens on TCP
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const envOf = (url = service.base_url, keys = service.keys.account) => ({
  DEMARC_URL: url,
  DEMARC_ACCESS_KEY: keys.access_key,
  DEMARC_SECRET_KEY: keys.secret_key,
})
const operatorEnv = (url = service.base_url) => envOf(url, service.keys.operator)
const demarc = (line: string, env: Record<string, string> = envOf(), signal?: AbortSignal) =>
  runLine(line, { env, home: folder, ...(signal ? { signal } : {}) })

const span = '--from 2026-01-01 --to 2027-01-01'
const digestOf = async (name: string) =>
  createHash('sha256')
    .update(await readFile(file(name)))
    .digest('hex')
const isFile = (url: string) => url.endsWith('/file')

test('one command requests an export, waits for it, downloads it, and verifies it', async () => {
  const { status, stdout, stderr } = await demarc(`cdr export ${span} -o ${file('whole.csv.gz')} --json`)
  assert.equal(status, 0, stderr)
  const item = JSON.parse(stdout)
  assert.equal(await digestOf('whole.csv.gz'), item.sha256)
  assert.equal(
    gunzipSync(await readFile(file('whole.csv.gz')))
      .toString()
      .trimEnd()
      .split('\n').length,
    item.num_calls + 1,
  )
  const verified = await demarc(`cdr verify ${file('whole.csv.gz')} --json`)
  assert.equal(verified.status, 0, verified.stderr)
  assert.deepEqual(
    new Set(JSON.parse(verified.stdout).map(({ result }: { result: string }) => result)),
    new Set(['ok']),
  )
  for (const format of ['csv.zst', 'ndjson', 'parquet']) {
    const name = `whole.${format}`
    assert.equal((await demarc(`cdr export ${span} --format ${format} -o ${file(name)}`)).status, 0)
    assert.equal((await demarc(`cdr verify ${file(name)}`)).status, 0, format)
  }
})

test('a file that differs from the export is detected, with the difference', async () => {
  const text = gunzipSync(await readFile(file('whole.csv.gz'))).toString()
  await writeFile(file('short.csv'), text.slice(0, text.trimEnd().lastIndexOf('\n') + 1))
  const unknown = await demarc(`cdr verify ${file('short.csv')}`)
  assert.equal(unknown.status, 3)
  assert.match(unknown.stderr, /No export of this account has a file with the SHA-256/)
  const id = JSON.parse((await demarc('cdr list --json')).stdout).at(-1).id
  const { status, stderr } = await demarc(`cdr verify ${file('short.csv')} --export ${id}`)
  assert.equal(status, 1)
  assert.match(stderr, /^error\[differs\] num_calls: /m)
  await writeFile(file('cut.csv.gz'), (await readFile(file('whole.csv.gz'))).subarray(0, 10_000))
  const cut = await demarc(`cdr verify ${file('cut.csv.gz')} --export ${id}`)
  assert.equal(cut.status, 6)
  assert.match(cut.stderr, /is damaged or truncated/)
})

test('a download resumes where its connection was lost', async (t) => {
  let [opened, cuts] = [0, 0]
  const url = await proxy(t, {
    cut: (path) => (isFile(path) && cuts++ < 3 ? 100_000 : null),
    passed: (path) => void (opened += isFile(path) ? 1 : 0),
  })
  const { status, stderr } = await demarc(`cdr export ${span} -o ${file('resumed.csv.gz')}`, envOf(url))
  assert.equal(status, 0, stderr)
  assert.equal(opened, 4)
  assert.equal(await digestOf('resumed.csv.gz'), await digestOf('whole.csv.gz'))
})

test('the same command resumes a download after Ctrl-C, without a second export', async (t) => {
  const interrupted = new AbortController()
  let [seen, exports] = [0, 0]
  const url = await proxy(t, {
    before: (request, response) => {
      if (request.method === 'POST' && request.url === '/v2/cdrs/exports') exports++
      if (!isFile(request.url ?? '') || ++seen !== 2) return false
      // the first part is there; now the person gives up
      interrupted.abort(new DOMException('Interrupted.', 'AbortError'))
      response.destroy()
      return true
    },
    cut: (path) => (isFile(path) && seen === 1 ? 200_000 : null),
  })
  const line = `cdr export ${span} -o ${file('continued.csv.gz')}`
  const first = await demarc(line, envOf(url), interrupted.signal)
  assert.equal(first.status, 130, first.stderr)
  assert.match(first.stderr, /^error\[interrupted\]/)
  const left = (await stat(file('continued.csv.gz.part'))).size
  assert.ok(left > 0)
  const second = await demarc(line, envOf(url))
  assert.equal(second.status, 0, second.stderr)
  assert.match(second.stderr, /Resuming the download of export \d+\./)
  assert.equal(exports, 1)
  assert.equal(await digestOf('continued.csv.gz'), await digestOf('whole.csv.gz'))
  assert.deepEqual(
    (await readdir(folder)).filter((name) => name.startsWith('continued.csv.gz.')),
    [],
  )
})

test('a partial download of other calls is not resumed', async () => {
  await writeFile(file('other.csv.gz.part'), 'something else')
  await writeFile(file('other.csv.gz.part.json'), '{"export_id":"1","body":{}}')
  const { status, stderr } = await demarc(`cdr export ${span} -o ${file('other.csv.gz')}`)
  assert.equal(status, 0, stderr)
  assert.equal(await digestOf('other.csv.gz'), await digestOf('whole.csv.gz'))
})

test('an invalid request is reported before any wait', async (t) => {
  stopWorker(service, t)
  for (const [line, status, message] of [
    [`cdr export --from yesterday --to 2027-01-01`, 6, /--from: Must be a UTC time/],
    [`cdr export --from 2027-01-01 --to 2026-01-01`, 1, /must be after start_call_start_time/],
    [`cdr export ${span} -o ${file('no/such/folder.csv.gz')}`, 1, /does not exist/],
    [`cdr export ${span} --wait --timeout 0`, 5, /is not finished within the time limit/],
    [`cdr download 999999 -o ${file('none')}`, 3, /999999/],
  ] as const) {
    const { status: ended, stderr } = await demarc(line)
    assert.deepEqual([ended, message.test(stderr)], [status, true], `${line}: ${stderr}`)
  }
})

test('a full disk stops the download with a message; with free space it resumes', async (t) => {
  const limited = file('limited.csv.gz')
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
  const words = wordsOf(`cdr export ${span} -o ${limited}`)
  // the file may have 64 blocks of 512 bytes
  const child = spawn('sh', ['-c', 'ulimit -f 64 && exec "$0" "$@"', process.execPath, main, ...words], {
    env: { PATH: process.env['PATH'], ...envOf() },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  await once(child, 'close')
  if (/ulimit/.test(stderr)) return t.skip('this shell has no limits')
  assert.equal(child.exitCode, 1, stderr)
  assert.match(stderr, /^error\[(file|output)\] .*(file too large|no space)/im)
  const second = await demarc(`cdr export ${span} -o ${limited}`)
  assert.equal(second.status, 0, second.stderr)
  assert.match(second.stderr, /were there from before\./)
  assert.equal(await digestOf('limited.csv.gz'), await digestOf('whole.csv.gz'))
})

const columns =
  'account_id,id,direction,start_time,end_time,destination,callerid,result,duration,billed_duration,cost_subtotal'
let imports = 0

/** A file of call records; every `wrong`th has a bad duration. */
async function callsFile(name: string, count: number, wrong = 0): Promise<string> {
  const mark = `import-${++imports}`
  const { account_id } = (await service.account.whoami()).body.data
  const rows = Array.from({ length: count }, (_, i) => {
    const duration = wrong > 0 && i % wrong === 0 ? 'long' : '30'
    return `${account_id},${mark}-${i},outbound,2026-10-01 12:10:00,2026-10-01 12:10:30,+12065550100,"+1303,555",completed,${duration},30,0.0049`
  })
  await writeFile(file(name), `${columns}\n${rows.join('\n')}\n`)
  return file(name)
}

test('call records are imported in batches, and rejected lines are written to a file that can be corrected and imported', async () => {
  const source = await callsFile('import.csv', 2_500, 10)
  const line = `cdr import ${source} --batch 1000 --rejected ${file('rejected.csv')}`
  const { status, stdout, stderr } = await demarc(`${line} --json`, operatorEnv())
  assert.equal(status, 1)
  assert.deepEqual(JSON.parse(stdout), {
    records: 2_500,
    accepted: 2_250,
    duplicates: 0,
    rejected: 250,
    rejected_file: file('rejected.csv'),
  })
  assert.equal(JSON.parse(stderr).error.status, 'rejected')
  const rejected = (await readFile(file('rejected.csv'), 'utf8')).trimEnd().split('\n')
  assert.equal(rejected.length, 251)
  assert.ok(rejected.slice(1).every((row) => row.includes(',long,')))
  const people = await demarc(line, operatorEnv())
  assert.match(people.stderr, /import\.csv:2: duration: Must be a whole number/)
  assert.match(people.stderr, /import\.csv:192: duration:/)
  assert.match(people.stdout, /^2250 accepted, 0 known already, 250 rejected\.$/m)
  await writeFile(file('corrected.csv'), rejected.join('\n').replaceAll(',long,', ',30,'))
  const corrected = await demarc(`cdr import ${file('corrected.csv')}`, operatorEnv())
  assert.equal(corrected.status, 0, corrected.stderr)
  assert.match(corrected.stdout, /^250 accepted, 0 known already, 0 rejected\.$/m)
})

test('an import waits for a service that crashes, and stores nothing twice', async (t) => {
  const source = await callsFile('died.csv', 3_000)
  let posts = 0
  const url = await proxy(t, {
    before: (request, response) => {
      if (request.method !== 'POST' || ++posts !== 2) return false
      response.destroy()
      return true
    },
    // stored, and the response lost
    cut: (path) => (path.startsWith('/operator/cdrs') && posts === 4 ? 0 : null),
  })
  const { status, stdout, stderr } = await demarc(`cdr import ${source} --batch 1000`, operatorEnv(url))
  assert.equal(status, 0, stderr)
  assert.equal(stdout, '3000 accepted, 0 known already, 0 rejected.\n')
  assert.ok(posts >= 5, 'two of them were sent again')
})

test('the same command repeats an interrupted import with the same counts', async (t) => {
  const source = await callsFile('ended.csv', 3_000)
  const interrupted = new AbortController()
  let posts = 0
  const url = await proxy(t, {
    before: (request, response) => {
      if (request.method !== 'POST' || ++posts !== 3) return false
      interrupted.abort(new DOMException('Interrupted.', 'AbortError'))
      response.destroy()
      return true
    },
  })
  const line = `cdr import ${source} --batch 1000`
  assert.equal((await demarc(line, operatorEnv(url), interrupted.signal)).status, 130)
  const again = await demarc(line, operatorEnv())
  assert.equal(again.status, 0, again.stderr)
  assert.equal(again.stdout, '3000 accepted, 0 known already, 0 rejected.\n')
})

test('an unreadable or forbidden import is reported', async () => {
  const source = await callsFile('refused.csv', 1)
  await writeFile(file('header.csv'), 'account_id,when\n1,2\n')
  await writeFile(file('empty.csv'), '')
  for (const [line, env, status, message] of [
    [`cdr import ${source}`, envOf(), 2, /does not have permission/],
    [`cdr import ${file('header.csv')}`, operatorEnv(), 1, /when/],
    [`cdr import ${file('empty.csv')}`, operatorEnv(), 6, /is empty/],
    [`cdr import ${file('none.csv')}`, operatorEnv(), 1, /does not exist/],
    [`cdr import ${source} --mapping none --account 1001`, operatorEnv(), 1, /mapping/],
  ] as const) {
    const result = await demarc(line, env)
    assert.equal(result.status, status, `${line}: ${result.stderr}`)
    assert.match(result.stderr, message)
  }
})

test('rules are compared by their addresses, regardless of format', async () => {
  assert.equal((await demarc(`edge-strategy firewall 3 -o ${file('edge.nft')}`)).status, 0)
  for (const format of ['nft', 'iptables', 'json']) {
    await demarc(`edge-strategy firewall 3 --format ${format} -o ${file(`edge.${format}`)}`)
    const same = await demarc(`edge-strategy firewall 3 --diff ${file(`edge.${format}`)}`)
    assert.deepEqual([same.status, same.stdout], [0, ''], same.stderr)
    const other = await demarc(`edge-strategy firewall 2 --diff ${file(`edge.${format}`)} --json`)
    const changes = JSON.parse(other.stdout).map(({ change, address }: Record<string, string>) => `${change}${address}`)
    assert.deepEqual(changes, ['+192.0.2.128/27', '-198.51.100.16/28', '-198.51.100.40/29', '-2001:db8:41::/64'])
  }
})
