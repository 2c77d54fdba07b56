import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import { DemarcError, type ResponseBody, type e911Validations } from '@demarc/client'
import { eventually } from '../../../test/support/eventually.ts'
import { forged } from '../../../test/support/links.ts'
import { startTestServer } from '../../../test/support/server.ts'
import { loadTown, DEMO_EXAMPLES } from '../../../test/support/town.ts'
import { referencedFiles } from '../index.ts'
import { BULK } from './limits.ts'
import { validateFile } from './validate-file.ts'
import type { Validator } from '../../engines/addresses/validators/validator.ts'

const server = await startTestServer({ worker: true })
const { client } = server.account
const { deps, config, e911 } = server.runtime

const COLUMNS = ['street_number', 'street_name', 'city', 'state', 'country', 'zip'] as const
const HEADER = COLUMNS.join(',')
const GOOD = '100,N Main St,Friendship,WI,US,53934'

type Row = Record<string, string>
/** A line of a result in NDJSON. */
type Found = { line?: string; verdict: string; detail: Record<string, string[]> | null; corrections: object[] }
type Validation = ResponseBody<typeof e911Validations.createE911Validation>['data']

before(() => loadTown(server))

const line = (place: Row) => COLUMNS.map((column) => place[column]).join(',')
const params = (validation_id: string) => ({ params: { validation_id } })

const send = async (body: NonNullable<RequestInit['body']>, content_type = 'text/csv'): Promise<Validation> =>
  (await client.createE911Validation({ body, content_type })).body.data

async function ended(id: string): Promise<Validation> {
  let found: Validation | undefined
  await eventually(async () => {
    found = (await client.getE911Validation(params(id))).body.data
    return found.attributes.status !== 'processing'
  })
  return found ?? assert.fail()
}

/** The file behind `download_url`, fetched without a key. */
async function fileOf({ attributes }: Validation): Promise<string> {
  assert.equal(attributes.status, 'completed', String(attributes.failure_reason))
  const response = await fetch(attributes.download_url ?? assert.fail('no link'))
  assert.equal(response.status, 200)
  const text = await response.text()
  assert.equal(createHash('sha256').update(text).digest('hex'), attributes.sha256)
  assert.equal(Buffer.byteLength(text), attributes.bytes)
  return text
}

const validated = async (...sent: Parameters<typeof send>) => {
  const done = await ended((await send(...sent)).id)
  const text = await fileOf(done)
  return { done, text, rows: sent[1] === undefined ? parse<Row>(text, { columns: true }) : [] }
}

async function reasonFor(body: NonNullable<RequestInit['body']>, content_type?: string): Promise<string> {
  const { status, failure_reason, download_url } = (await ended((await send(body, content_type)).id)).attributes
  assert.deepEqual([status, download_url], ['failed', null])
  return failure_reason ?? assert.fail('no reason')
}

async function statusOf(work: Promise<unknown>): Promise<number> {
  try {
    await work
  } catch (error) {
    if (error instanceof DemarcError) return error.status
    throw error
  }
  throw new assert.AssertionError({ message: 'a refusal was expected' })
}

test('every CSV row comes back in its place with its verdict, level, and corrections', async () => {
  const { accepted, corrected, ambiguous, no_such_number, hidden_unit, french } = DEMO_EXAMPLES
  const places = [accepted, corrected, ambiguous, no_such_number, hidden_unit, french]
  const { done, rows } = await validated(
    `${HEADER},customer\r\n${places.map((place, i) => `${line(place)},c${i}`).join('\r\n')}\r\n`,
  )
  assert.deepEqual(
    rows.map((row) => [row['customer'], row['verdict'], row['level']]),
    [
      ['c0', 'valid', 'address'],
      ['c1', 'correction', ''],
      ['c2', 'correction', ''],
      ['c3', 'not_geocodable', ''],
      ['c4', 'invalid_input', ''],
      ['c5', 'valid', 'address'],
    ],
  )
  assert.match(rows[1]?.['correction_1_street_name'] ?? '', /CEDAR/i)
  assert.equal(rows[1]?.['correction_2_street_name'], '')
  assert.deepEqual(
    [1, 2, 3].map((n) => rows[2]?.[`correction_${n}_zip`]),
    ['53934', '53934', ''],
  )
  assert.notEqual(rows[3]?.['detail'], '')
  assert.match(rows[4]?.['detail'] ?? '', /^street_name: Put "/)
  const { progress, verdicts, rows: count } = done.attributes
  assert.deepEqual([progress, count], [1, 6])
  assert.deepEqual(verdicts, { valid: 2, correction: 2, not_geocodable: 1, invalid_input: 1, unavailable: 0 })
})

test('every NDJSON row comes back as written, with the result after its own fields', async () => {
  const own = `{"ref": 12345678901234567890, ${JSON.stringify(DEMO_EXAMPLES.ambiguous).slice(1)}`
  const { text } = await validated(
    [own, JSON.stringify({ ...DEMO_EXAMPLES.accepted, zip: 'x', verdict: 'old' }), '[1]', '', '{}'].join('\n'),
    'application/x-ndjson; charset=utf-8',
  )
  const lines = text.trimEnd().split('\n')
  assert.ok(lines[0]?.startsWith(own.slice(0, -1)), 'long numbers keep their digits')
  const [first, second, third, last] = lines.map((each) => JSON.parse(each) as Found)
  assert.deepEqual([first?.verdict, first?.corrections.length], ['correction', 2])
  assert.deepEqual([second?.verdict, Object.keys(second?.detail ?? {})], ['invalid_input', ['zip']])
  assert.deepEqual([third?.line, third?.verdict], ['[1]', 'invalid_input'])
  assert.deepEqual(Object.keys(last?.detail ?? {}).toSorted(), [...COLUMNS].toSorted(), 'names are not required')
})

test('a resubmitted correction is valid, and a resubmitted result gets new verdicts', async () => {
  const first = await validated(`${HEADER}\n${line(DEMO_EXAMPLES.corrected)}\n`)
  const row = first.rows[0] ?? assert.fail()
  const taken = COLUMNS.map((column) => (column === 'country' ? 'US' : row[`correction_1_${column}`])).join(',')
  assert.equal((await validated(`${HEADER}\n${taken}\n`)).rows[0]?.['verdict'], 'valid')
  assert.equal((await validated(first.text)).text, first.text)
})

test('spreadsheet formulas are neutralized, telephone numbers are left alone', async () => {
  const formulas = ['=1+1', '+1-2', '-x', '@sum', '\u00a0=1', '\ufeff=1', '\uff1d1']
  const cells = [...formulas, '+12065550100', "O'Brien", '"a ""b"", c"', '"two\nlines"']
  const { rows } = await validated(`note,${HEADER}\n${cells.map((cell) => `${cell},${GOOD}`).join('\n')}\n`)
  const notes = rows.map((row) => row['note'])
  assert.deepEqual(notes, [...formulas.map((cell) => `'${cell}`), '+12065550100', "O'Brien", 'a "b", c', 'two\nlines'])
  assert.ok(rows.every((row) => row['verdict'] === 'valid'))
})

test('a row with too few or too many cells says so, and the others are validated', async () => {
  const { rows } = await validated(`${HEADER}\n100,N Main St\n${GOOD},more\n\n${GOOD}\n`)
  assert.deepEqual(
    rows.map((row) => [row['verdict'], row['detail']]),
    [
      ['invalid_input', 'The row has 2 cells, the header line 6.'],
      ['invalid_input', 'The row has 7 cells, the header line 6.'],
      ['valid', ''],
    ],
  )
})

test('a file that cannot be processed fails with the reason', async () => {
  assert.match(await reasonFor('city,zip\nFriendship,53934\n'), /has no street_number, street_name, state, country/)
  assert.match(await reasonFor(`${HEADER},city\n${GOOD},x\n`), /has city more than once/)
  assert.match(await reasonFor(`${HEADER}\n`), /no addresses/)
  assert.match(await reasonFor('\n\n', 'application/x-ndjson'), /no addresses/)
  assert.match(await reasonFor(Buffer.from(`${HEADER}\n100,Caf\u00e9,`, 'latin1')), /not UTF-8/)
  assert.match(await reasonFor(`${HEADER}\n"100,N Main St\n`), /not CSV/)
  assert.match(await reasonFor(`${HEADER}\n${','.repeat(200_000)}\n`), /not CSV: a row is longer than 65536/)
  assert.match(await reasonFor('x'.repeat(70_000), 'application/x-ndjson'), /^Line 1 is longer/)
  assert.match(await reasonFor('1\n'.repeat(100_001), 'application/x-ndjson'), /more than 100000 rows/)
})

test('an upload that is not a file of addresses is refused immediately', async () => {
  assert.equal(await statusOf(send('')), 422)
  assert.equal(await statusOf(send('{}', 'application/json')), 415)
})

test('another account sees neither the validation nor its file, and a link opens only its own file', async () => {
  const { done } = await validated(`${HEADER}\n${GOOD}\n`)
  assert.equal(await statusOf(server.other.client.getE911Validation(params(done.id))), 404)
  assert.equal(await statusOf(server.other.client.getE911ValidationFile(params(done.id))), 404)
  const link = done.attributes.download_url ?? assert.fail()
  assert.equal((await fetch(forged(link))).status, 401)
  assert.equal((await fetch(link.replace(`/${done.id}/`, '/999999/'))).status, 401)
  assert.equal((await fetch(link.split('?')[0] ?? '')).status, 401)
  assert.equal((await client.getE911ValidationFile(params(done.id))).status, 200)
})

test('rows are validated concurrently up to the limit, and stay in order', async () => {
  const row = await waiting(Array.from({ length: 30 }, (_, i) => `${i + 1}${GOOD.slice(3)}`))
  let now = 0
  let most = 0
  const validator: Validator = {
    name: 'test',
    async validate(address) {
      most = Math.max(most, ++now)
      // later requests finish first
      await sleep(5 - (Number(address.number.text) % 5))
      now--
      return { kind: 'unavailable', reason: 'a test' }
    },
  }
  await validateFile(deps, validator, 1, run(row))
  const done = await ended(row)
  const rows = parse<Row>(await fileOf(done), { columns: true })
  assert.deepEqual(
    rows.map((each) => each['street_number']),
    Array.from({ length: 30 }, (_, i) => String(i + 1)),
  )
  assert.equal(done.attributes.verdicts['unavailable'], 30)
  assert.equal(most, BULK.rows_at_once)
})

test('progress is the share of the file that has been processed', async () => {
  const id = await waiting(Array.from({ length: 4000 }, () => GOOD.replace('St', `St${' '.repeat(300)}`)))
  const found = async () => (await client.getE911Validation(params(id))).body.data.attributes
  let validated_rows = 0
  let seen: Validation['attributes'] | undefined
  const validator: Validator = {
    name: 'test',
    async validate() {
      validated_rows++
      if (validated_rows === 2000) await sleep(BULK.progress_ms)
      // the progress that was due after that row is written asynchronously; a slow machine has written some before
      if (validated_rows === 2100) await eventually(async () => (seen = await found()).rows >= 1990)
      return { kind: 'unavailable', reason: 'a test' }
    },
  }
  await validateFile(deps, validator, 1, run(id))
  const { rows, progress, status } = seen ?? assert.fail('nothing was seen')
  assert.ok(rows >= 1990 && rows <= 2100, String(rows))
  assert.ok(Math.abs(progress - rows / 4000) < 0.1, String(progress))
  assert.equal(status, 'processing')
})

test('the next attempt finishes interrupted work, and running it twice changes nothing', async () => {
  const id = await waiting([GOOD, GOOD, GOOD])
  const broken: Validator = { name: 'test', validate: () => Promise.reject(new Error('the database is away')) }
  await assert.rejects(validateFile(deps, broken, 1, run(id)), /away/)
  assert.equal((await client.getE911Validation(params(id))).body.data.attributes.status, 'processing')
  const stop = AbortSignal.abort(new Error('the worker is stopping'))
  await assert.rejects(validateFile(deps, e911, 1, { ...run(id), last_attempt: true, signal: stop }), {
    name: 'AbortError',
  })
  await Promise.all([validateFile(deps, e911, 1, run(id)), validateFile(deps, e911, 1, run(id))])
  const done = await ended(id)
  assert.deepEqual([done.attributes.status, done.attributes.rows], ['completed', 3])
  await validateFile(deps, broken, 1, run(id))
  assert.deepEqual(await ended(id), done)
})

test('work that fails on the last attempt, or kills every worker, fails with a readable reason', async () => {
  const broken: Validator = { name: 'test', validate: () => Promise.reject(new Error('secret')) }
  for (const over of [{ last_attempt: true }, { interrupted: BULK.attempts_without_end }]) {
    const id = await waiting([GOOD])
    await validateFile(deps, broken, 1, { ...run(id), ...over })
    assert.match((await ended(id)).attributes.failure_reason ?? '', /^The addresses could not be validated\. Send/)
  }
})

const isStored = async (digest: string) => (await deps.files.stat(digest)) !== null

test('the uploaded file is deleted as soon as it is processed, successfully or not', async () => {
  for (const text of [`note,${HEADER}\nsent once,${GOOD}\n`, 'note\nwithout addresses\n']) {
    const sent = createHash('sha256').update(text).digest('hex')
    await ended((await send(text)).id)
    await eventually(async () => !(await isStored(sent)))
  }
})

test('an expired result is deleted, nothing refers to it, and the customer can see that it expired', async () => {
  const { done } = await validated(`note,${HEADER}\nfor a while,${GOOD}\n`)
  const { sha256, expires_at, created_at, download_url } = done.attributes
  const digests = [sha256 ?? '']
  assert.deepEqual(await referencedFiles(deps.db, [...digests, '0'.repeat(63)]), new Set(digests))
  assert.ok(Date.parse(expires_at ?? '') - Date.parse(created_at) >= config.export_life_h * 3_600_000)
  await server.operator.moveClock({ body: { advance: `${config.export_life_h + 1} hours` } })
  assert.equal((await fetch(download_url ?? '')).status, 410)
  assert.equal(await statusOf(client.getE911ValidationFile(params(done.id))), 410)
  assert.equal((await ended(done.id)).attributes.download_url, null)
  assert.deepEqual(await referencedFiles(deps.db, digests), new Set())
  await eventually(async () => !(await isStored(sha256 ?? '')))
  const events = (await server.operator.listEvents({ query: { subject_type: 'e911_validation', subject_id: done.id } }))
    .body.data
  assert.deepEqual(events.map((event) => event.attributes.event_type).toSorted(), [
    'e911_validation.completed',
    'e911_validation.expired',
    'e911_validation.requested',
  ])
})

const run = (key: string) => ({
  key,
  attempt: 1,
  interrupted: 0,
  last_attempt: false,
  signal: new AbortController().signal,
})

/** A validation without a job. */
async function waiting(lines: string[]): Promise<string> {
  const { digest, bytes } = await deps.files.putStream(Readable.from([`${HEADER}\n${lines.join('\n')}\n`]))
  const { id } = await server.db
    .insertInto('e911_validation')
    .values({
      account_id: server.account.id,
      media_type: 'text/csv',
      given_sha256: digest,
      given_bytes: String(bytes),
      status: 'processing',
      created_at: server.clock.now(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
