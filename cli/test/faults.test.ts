import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { processIo, type Io } from '../src/io.ts'
import { ask } from '../src/prompt.ts'
import { json, main, resultOf, start, stub } from './support/process.ts'
import { runLine } from './support/run.ts'
import { environment } from '../../acceptance/support/environment.ts'

/** Interruptions by the person, the machine, or the service, with message and exit status. */

const number = (id: number) => ({
  type: 'number',
  id,
  attributes: { alias: 'x'.repeat(200), value: String(id) },
  relationships: {},
})

/** An endless list, in pages of 200. */
const endless: RequestListener = json({
  data: Array.from({ length: 200 }, (_, i) => number(12065550000 + i)),
  links: { self: '', next: 'http://127.0.0.1/v2/numbers?limit=200&offset=200' },
})

test('Ctrl-C ends a request with 130', async () => {
  const { promise: requested, resolve } = Promise.withResolvers<void>()
  const server = await stub(() => resolve())
  const { child, ended } = start(['numbers', 'list'], server.env)
  await requested
  child.kill('SIGINT')
  const { status, stderr, stdout } = await ended
  await server.close()
  assert.equal(status, 130)
  assert.equal(stderr, 'error[interrupted] Interrupted.\n')
  assert.equal(stdout, '')
})

test('exits with status 141 and no message when the reader closes the pipe', async () => {
  const server = await stub(endless)
  const { child, ended } = start(['numbers', 'list', '--ndjson'], server.env)
  assert.ok(child.stdout)
  await once(child.stdout, 'data')
  child.stdout.destroy()
  const { status, stderr } = await ended
  await server.close()
  assert.deepEqual([status, stderr], [141, ''])
})

test('names an unreachable service and the remedy, with exit status 1', async () => {
  const server = await stub(endless)
  await server.close()
  const { status, stderr } = await runLine('whoami', { env: server.env })
  assert.equal(status, 1)
  assert.match(stderr, /^Retrying in 1 s: no response\.$/m)
  assert.match(stderr, /^error\[unreachable\] http:.* cannot be reached: connection refused\.$/m)
  assert.match(stderr, /^ {2}remedy: Run `demarc doctor` to/m)
  assert.match(stderr, /^ {2}used: the environment, key akTest, http/m)
  assert.doesNotMatch(stderr, /secret$/m)
})

test('reports an unreachable service as one JSON document with --json', async () => {
  const server = await stub(endless)
  await server.close()
  const { status, stdout, stderr } = await runLine('whoami --json', { env: server.env })
  assert.deepEqual([status, stdout], [1, ''])
  assert.equal(JSON.parse(stderr).error.status, 'unreachable')
})

test('exits with status 7 and the time to wait when rate limited', async () => {
  const body = { errors: [{ status: 429, title: 'Too many requests', detail: 'The allowance is used up.' }] }
  const server = await stub(json(body, 429, { 'retry-after': '60' }))
  const { status, stderr } = await runLine('numbers list', { env: server.env })
  await server.close()
  assert.equal(status, 7)
  assert.match(stderr, /^error\[429\] The allowance is used up\.\n {2}remedy: Try again in 60 s\.$/m)
})

test('shows a corrected address as a sentence, and as data with --json', async () => {
  const detail = { street_name: 'N MAIN ST', city: 'FRIENDSHIP' }
  const server = await stub(json({ errors: [{ status: 422, title: 'Address Correction Required', detail }] }, 422))
  const shown = await runLine('e911 create --street-name "N Mian St"', { env: server.env })
  const data = await runLine('e911 create --street-name "N Mian St" --json', { env: server.env })
  await server.close()
  assert.match(shown.stderr, /needs a correction\. Corrected: street_name: N MAIN ST, city: FRIENDSHIP\.$/m)
  assert.deepEqual(JSON.parse(data.stderr).error.corrected, detail)
})

test('waits for a short Retry-After and succeeds', async () => {
  const refusal = json({ errors: [] }, 429, { 'retry-after': '0' })
  const listed = json({ data: [number(1)], links: {} })
  let count = 0
  const server = await stub((request, response) => (count++ === 0 ? refusal : listed)(request, response))
  const { status, stdout } = await runLine('numbers list --ids', { env: server.env })
  await server.close()
  assert.deepEqual([status, stdout], [0, '1\n'])
})

test('detects a server that is not Demarc', async () => {
  const server = await stub((_, response) => response.writeHead(200).end('<html>'))
  const { status, stderr } = await runLine('doctor', { env: server.env })
  await server.close()
  assert.equal(status, 1)
  assert.match(stderr, /error\[doctor\] service: 200: unexpected response; is this a Demarc server\?/)
})

const findings = [
  {
    check: 'mail',
    result: 'failed',
    details: 'The relay is gone.',
    remedy: 'Set SMTP_URL.',
    docs: 'docs/operate/mail.md',
  },
  {
    check: 'jobs',
    result: 'warning',
    details: 'Not checked.',
    remedy: 'See the check database.',
    docs: 'docs/operate/health-and-metrics.md',
  },
  { check: 'log', result: 'ok', details: 'The log level is info.', remedy: null, docs: 'docs/operate/settings.md' },
]

test('the checks of the installation are printed with their remedies, and a failed one ends with status 1', async () => {
  const ready = { status: 'ready', version: '0.0.0', mode: 'production', parts: {} }
  const server = await stub((request, response) => {
    const of_service = request.url === '/health/ready'
    const is_diagnosis = request.url === '/operator/diagnosis'
    const key = { kind: 'operator', account_id: null, access_key: 'ok', scopes: ['read'] }
    json(of_service ? ready : { data: is_diagnosis ? { checked_at: '', checks: findings } : key })(request, response)
  })
  const text = await runLine('doctor --operator', { env: server.env, columns: 60 })
  const piped = await runLine('doctor --operator --json', { env: server.env })
  await server.close()
  assert.deepEqual([text.status, piped.status], [1, 1])
  assert.match(
    text.stdout,
    /^failed {3}mail: The relay is gone\.\n {9}Fix: Set SMTP_URL\.\n {9}See docs\/operate\/mail\.md$/m,
  )
  assert.match(text.stdout, /^warning {2}jobs: Not checked\. See the check database\.\nok {7}log: /m)
  assert.match(text.stderr, /mail: The relay is gone\./)
  const rows = JSON.parse(piped.stdout) as { check: string }[] // it prints an array
  assert.deepEqual(
    rows.filter(({ check }) => findings.some((each) => each.check === check)),
    findings,
  )
})

test('a service that refuses to check itself is reported with the command for the server', async () => {
  const refusal = { errors: [{ status: 503, title: 'Not ready', detail: 'The database is not responding.' }] }
  const server = await stub(json(refusal, 503))
  const { status, stdout } = await runLine('doctor --operator --json', { env: server.env })
  await server.close()
  assert.equal(status, 1)
  assert.match(stdout, /"check": "installation"[\s\S]*npm run serve -- --doctor/)
})

test('exits with status 1 when the disk is full', { skip: !existsSync('/dev/full') }, async () => {
  const server = await stub(json({ data: [number(1)], links: {} }))
  const full = openSync('/dev/full', 'w')
  const { status, stderr } = await start(['numbers', 'list'], server.env, { stdio: ['ignore', full, 'pipe'] }).ended
  closeSync(full)
  await server.close()
  assert.equal(status, 1)
  assert.match(stderr, /^error\[output\] The output could not be written: no space is left on the device\.$/m)
})

test('exits with status 1 when help cannot be written', { skip: !existsSync('/dev/full') }, async () => {
  const full = openSync('/dev/full', 'w')
  const { status } = await start(['--help'], {}, { stdio: ['ignore', full, 'pipe'] }).ended
  closeSync(full)
  assert.equal(status, 1)
})

test('exits with status 1 when the home folder is not writable, and names the alternatives', async () => {
  const server = await stub(json({ data: { kind: 'account', account_id: '1', access_key: 'ak', scopes: [] } }))
  const { status, stderr } = await runLine(`login --url ${server.url} --access-key ak --secret-stdin`, {
    home: '/dev/null',
    stdin: 'secret\n',
  })
  await server.close()
  assert.equal(status, 1)
  assert.match(stderr, /^error\[settings\] The settings could not be written: /m)
  assert.match(stderr, /remedy: Use a writable home/)
})

test('does not prompt without a terminal, and names the option to use', async () => {
  const asked = await runLine('cnam delete 7', { env: { DEMARC_URL: 'http://127.0.0.1:9' } })
  assert.equal(asked.status, 6)
  assert.match(asked.stderr, /^error\[usage\] --yes: Required, because there is no terminal to confirm: Delete /)
  const login = await runLine('login --url http://127.0.0.1:9')
  assert.equal(login.status, 6)
  assert.match(login.stderr, /remedy: Use --access-key\./)
})

const has_script = existsSync('/usr/bin/script')

/** Runs a command on a terminal and types the lines. */
async function atTerminal(args: string, env: Record<string, string>, typed: string) {
  const child = spawn('script', ['-qec', `'${process.execPath}' '${main}' ${args}`, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...environment, TERM: 'xterm', HOME: '/nonexistent', ...env },
  })
  const ended = resultOf(child)
  if (typed !== '') {
    let shown = ''
    const typeOnce = (chunk: unknown) => {
      // a question arrives in one or several chunks, with or without cursor movements
      shown += String(chunk)
      if (!stripVTControlCharacters(shown).endsWith(': ')) return
      child.stdout.off('data', typeOnce)
      child.stdin.write(typed)
    }
    child.stdout.on('data', typeOnce)
  }
  return ended
}

test('applies the change after confirmation on a terminal', { skip: !has_script && 'no script(1)' }, async () => {
  const methods: string[] = []
  const server = await stub(({ method = '' }, response) => {
    methods.push(method)
    response.writeHead(204).end()
  })
  const { status } = await atTerminal('cnam delete 7', server.env, 'y\n')
  await server.close()
  assert.deepEqual([status, methods], [0, ['DELETE']])
})

test('declining the question sends nothing', { skip: !has_script && 'no script(1)' }, async () => {
  const methods: string[] = []
  const server = await stub(({ method = '' }) => methods.push(method))
  const { status } = await atTerminal('cnam delete 7', server.env, 'n\n')
  await server.close()
  assert.deepEqual([status, methods], [6, []])
})

test('Ctrl-C at a question exits with 130 and sends nothing', { skip: !has_script && 'no script(1)' }, async () => {
  const methods: string[] = []
  const server = await stub(({ method = '' }) => methods.push(method))
  const { status, stdout } = await atTerminal('cnam delete 7', { ...server.env, NO_COLOR: '1' }, '\u0003')
  await server.close()
  assert.deepEqual([status, methods], [130, []])
  assert.ok(stdout.endsWith('error[interrupted] Interrupted.\r\n'), stdout)
})

test('Ctrl-C also works while a question is being printed', async () => {
  const interrupted = new AbortController()
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const stderr = {
    isTTY: true,
    write(_: unknown, done: () => void) {
      interrupted.abort()
      done()
    },
  }
  const io = { ...processIo(interrupted.signal), stdin, stderr } as unknown as Io // a terminal has more than a question needs
  await assert.rejects(ask(io, 'Delete it?', ''), { name: 'AbortError' })
})

test('a terminal gets a table in color, without color if NO_COLOR is set', { skip: !has_script }, async () => {
  const server = await stub(json({ data: [number(1)], links: {} }))
  const colored = await atTerminal('numbers list --fields id,value', server.env, '')
  const plain = await atTerminal('numbers list --fields id,value', { ...server.env, NO_COLOR: '1' }, '')
  await server.close()
  assert.ok(colored.stdout.startsWith('\u001b[1mID  VALUE\u001b[22m\r\n1   1'))
  assert.ok(plain.stdout.startsWith('ID  VALUE\r\n1   1'))
})
