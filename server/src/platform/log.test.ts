import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { numbers } from '@demarc/client'
import { startBareServer } from '../../test/support/bare-server.ts'
import { startTestServer } from '../../test/support/server.ts'
import { wire } from '../../test/support/wire.ts'
import { bind } from './http/binding.ts'

/** Some code that logs runs in its own process because the log goes to standard error. */
const inProcess = (code: string) => [
  '--input-type=module',
  '--eval',
  `import pg from 'pg'
   import { createLog } from ${JSON.stringify(import.meta.resolve('./log.ts'))}
   const log = createLog('info', 'test')
   ${code}`,
]
/** The time limit is for a hang. */
const spawn_options = { timeout: 60_000, killSignal: 'SIGKILL', cwd: import.meta.dirname } as const

/** The lines that some code logs. */
function logged(code: string): Record<string, unknown>[] {
  const { stderr, status } = spawnSync(process.execPath, inProcess(code), { ...spawn_options, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

test('an error is logged with its causes, and without the values that a driver attaches to it', () => {
  const [line] = logged(`
    const error = new pg.DatabaseError('duplicate key value', 1, 'error')
    Object.assign(error, { code: '23505', constraint: 'cnam_value', table: 'cnam', detail: 'Key (value)=(HUNTER2)', where: 'HUNTER2', parameters: ['HUNTER2'] })
    log.error({ err: new Error('outer', { cause: error }) }, 'failed')`)
  const err = line?.['err'] as { message: string; stack: string; cause: Record<string, unknown> }
  assert.deepEqual([line?.['process'], line?.['msg'], err.message], ['test', 'failed', 'outer'])
  assert.match(err.stack, /^Error: outer\n/)
  assert.deepEqual([err.cause['code'], err.cause['constraint'], err.cause['table']], ['23505', 'cnam_value', 'cnam'])
  assert.doesNotMatch(JSON.stringify(line), /HUNTER2/)
})

test('credentials logged by mistake are redacted', () => {
  const lines = logged(`
    log.info({ authorization: 'HUNTER2', secret_key: 'HUNTER2' }, 'flat')
    log.info({ headers: { authorization: 'HUNTER2' }, key: { secret_key: 'HUNTER2' } }, 'nested')
    log.info({ err: 'a text' }, 'thrown text')
    log.error({ err: undefined }, 'thrown nothing')`)
  assert.equal(lines.length, 4)
  assert.doesNotMatch(JSON.stringify(lines), /HUNTER2/)
})

test('a process whose log nobody reads anymore exits', async () => {
  const child = spawn(
    process.execPath,
    inProcess(`
      process.stdin.once('data', () => {
        log.info({}, 'written in the background')
        log.info({}, 'still waiting at exit')
        process.exit(7)
      })
      console.log('ready')`),
    spawn_options,
  )
  await once(child.stdout, 'data')
  child.stderr.destroy()
  await once(child.stderr, 'close')
  child.stdin.write('exit')
  assert.deepEqual(await once(child, 'exit'), [7, null])
})

test('lines that nobody reads are kept up to a limit; once they are read, new ones are written', async () => {
  const child = spawn(
    process.execPath,
    inProcess(`
      for (let line = 0; line < 100_000; line++) log.info({ line }, 'unread')
      console.log('ready')
      const timer = setInterval(() => log.info({}, 'new'), 10)
      process.stdin.once('data', () => process.exit())`),
    spawn_options,
  )
  await once(child.stdout, 'data')
  let unread = 0
  for await (const line of createInterface({ input: child.stderr })) {
    const { msg } = JSON.parse(line) as { msg: string }
    if (msg === 'unread') unread += 1
    else if (!child.stdin.writableEnded) child.stdin.end('exit')
  }
  assert.ok(unread > 1_000 && unread < 30_000, String(unread))
})

test('a line names the trace that it belongs to, if traces are recorded', () => {
  const lines = logged(`
    const { inJobSpan, setTracer } = await import(${JSON.stringify(import.meta.resolve('./traces/index.ts'))})
    const traced = createLog('info', 'test', { traced: true })
    const span = { trace_id: 'abc', ended: false, set() {}, fail() {}, end() {} }
    setTracer({ start: () => span })
    await inJobSpan('x', null, async () => {
      traced.info({}, 'within')
      log.info({}, 'untraced')
    })
    traced.info({}, 'outside')`)
  assert.deepEqual(
    lines.map((line) => [line['msg'], line['trace_id']]),
    [
      ['within', 'abc'],
      ['untraced', undefined],
      ['outside', undefined],
    ],
  )
})

test('the log has a request’s id, operation, method, status, and time, but none of its content', async () => {
  const lines: [object, string][] = []
  const record = (fields: object, message: string) => void lines.push([fields, message])
  const { runtime } = await startTestServer()
  const log = { info: record, warn: record, error: record }
  const url = await startBareServer({ ...runtime, deps: { ...runtime.deps, log } }, [
    bind(numbers.updateNumber, async () => {
      throw new Error('broken')
    }),
  ])
  const response = await wire(url)('PATCH /v2/numbers/12065550100?name=Canary', {
    headers: { authorization: 'operator', 'user-agent': 'Canary', 'idempotency-key': 'Canary' },
    body: '{"alias":"Canary"}',
  })
  const request_id = response.headers['x-request-id']
  const [failure, summary] = lines
  assert.deepEqual(Object.keys(failure?.[0] ?? {}).toSorted(), ['err', 'operation', 'request_id'])
  assert.deepEqual(summary, [
    { ...summary?.[0], request_id, operation: 'updateNumber', method: 'PATCH', status: 500 },
    'request completed',
  ])
  assert.deepEqual(Object.keys(summary?.[0] ?? {}).toSorted(), [
    'duration_ms',
    'method',
    'operation',
    'request_id',
    'status',
  ])
  assert.equal(lines.length, 2)
  assert.doesNotMatch(JSON.stringify(lines), /Canary|12065550100/)
})

test('the reason for an unavailable dependency is in the log, not in the response', async () => {
  const lines: [object, string][] = []
  const record = (fields: object, message: string) => void lines.push([fields, message])
  const { runtime } = await startTestServer()
  const log = { info: () => undefined, warn: record, error: record }
  const cause = Object.assign(new Error('connect ECONNREFUSED 192.0.2.1:5432'), { code: 'ECONNREFUSED' })
  const url = await startBareServer({ ...runtime, deps: { ...runtime.deps, log } }, [
    bind(numbers.updateNumber, async () => {
      throw cause
    }),
  ])
  const headers = { authorization: 'operator' }
  const response = await wire(url)('PATCH /v2/numbers/12065550100', { headers, body: '{}' })
  assert.equal(response.status, 503)
  assert.doesNotMatch(response.body, /192\.0\.2\.1/)
  const [line] = lines
  assert.ok(line)
  const [fields, message] = line
  assert.equal(message, 'a request failed because the service is not ready')
  assert.equal((fields as { err: Error }).err.cause, cause)
})
