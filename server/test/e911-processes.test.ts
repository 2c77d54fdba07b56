import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { DemarcError } from '@demarc/client'
import { testDatabase } from './support/database.ts'
import { hasEnded, newFolder, removeFolder, startService } from './support/service.ts'
import { eventually } from './support/eventually.ts'
import { environment } from '../../acceptance/support/environment.ts'

/** Processes killed while they load street data or validate many addresses: the next process completes the work, once. */

const database = await testDatabase()
const folder = await newFolder()
const service = await startService(folder, { env: { DATABASE_URL: database.url } })
after(async () => {
  await service.stop()
  await removeFolder(folder)
})
const { operator, account } = service
const script = path.resolve(import.meta.dirname, '../../scripts/e911-import/main.ts')

const STREETS = 60_000
const NUMBERS = 3
const HEADER = 'NUMBER,STREET,CITY,REGION,POSTCODE'
/** Streets that no other dataset has, enough of them to leave time for the kill. */
const file = (town: string): string => {
  const rows = [HEADER]
  for (let n = 0; n < NUMBERS; n++)
    for (let i = 0; i < STREETS; i++) rows.push(`${n + 1},${letters(i)} St,${town},NC,${27_900 + (i % 40)}`)
  return rows.join('\n')
}
const letters = (i: number): string =>
  `Q${i.toString(26).replaceAll(/./g, (digit) => 'abcdefghijklmnopqrstuvwxyz'[Number.parseInt(digit, 26)] ?? '')}x`

const attributesOf = async (dataset_id: string) =>
  (await retryUnavailable(() => operator.getE911Dataset({ params: { dataset_id } }))).body.data.attributes

/** Retries while the response is a 503. */
async function retryUnavailable<T>(request: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await request()
    } catch (error) {
      if (!(error instanceof DemarcError) || error.status !== 503) throw error
    }
}

async function streetsOf(dataset_id: string): Promise<number> {
  const { rows } = await database.pool.query<{ n: number }>(
    'select count(*)::int as n from e911_street where dataset_id = $1',
    [dataset_id],
  )
  return rows[0]?.n ?? 0
}

async function leftovers(): Promise<unknown[]> {
  const { rows } = await database.pool.query(
    `select relname from pg_class where relname like 'e911_staging%' union all select dataset_id::text from e911_dropped`,
  )
  return rows
}

const coveredStreets = async () =>
  (await retryUnavailable(() => operator.listE911Datasets())).body.meta.coverage.find(({ state }) => state === 'NC')
    ?.streets ?? 0

async function killWorker(): Promise<void> {
  const pid = service.pid('worker') ?? assert.fail('no worker runs')
  process.kill(pid, 'SIGKILL')
  await eventually(() => service.pid('worker') !== pid)
}

async function upload(name: string, vintage: string, body: string): Promise<string> {
  const query = { name, vintage, format: 'openaddresses-csv', activate: 'true' } as const
  return (await operator.importE911Dataset({ query, body, content_type: 'text/csv' })).body.data.id
}

describe('a worker that is killed', () => {
  const stages = [
    ['reading the file', (progress: number) => progress > 0.05 && progress < 0.6],
    ['grouping the streets', (progress: number) => progress >= 0.6 && progress < 1],
  ] as const
  for (const [at, [stage, holds]] of stages.entries())
    test(`while ${stage} has its dataset loaded by the next, completely and once`, async () => {
      const name = `Killed ${at}`
      const before = await coveredStreets()
      const first = await upload(name, '1', `${HEADER}\n1,Only Here St,Killed ${at},NC,27999\n`)
      await eventually(async () => (await attributesOf(first)).status === 'active')
      const address = {
        type: 'e911',
        attributes: {
          label: name,
          first_name: 'A',
          last_name: 'B',
          street_number: 1,
          street_name: 'Only Here St',
          city: name,
          state: 'NC',
          country: 'US',
          zip: '27999',
        },
      }
      // accepted against the first vintage
      const e911_id = (await account.createE911({ body: { data: address } })).body.data.id

      const id = await upload(name, '2', `${file(name)}\n1,Other St,Killed ${at},NC,27999\n`)
      const seen: number[] = []
      await eventually(async () => {
        const { status, progress } = await attributesOf(id)
        assert.equal(status, 'loading', `it ended before it could be killed: ${seen.join(' ')}`)
        seen.push(progress)
        return holds(progress)
      })
      await killWorker()
      assert.equal(await coveredStreets(), before + 1, 'nothing of it is used yet, and the other vintage is')
      assert.equal(await streetsOf(id), 0)

      await eventually(async () => (await attributesOf(id)).status !== 'loading')
      const { status, rows_read, rows_skipped, streets, ranges, progress } = await attributesOf(id)
      assert.deepEqual(
        { status, rows_read, rows_skipped, streets, ranges, progress },
        {
          status: 'active',
          rows_read: STREETS * NUMBERS + 1,
          rows_skipped: 0,
          streets: STREETS + 1,
          ranges: STREETS * NUMBERS + 1,
          progress: 1,
        },
      )
      assert.equal(await streetsOf(id), STREETS + 1)
      assert.equal(await coveredStreets(), before + STREETS + 1)
      const worsened = async () =>
        (await operator.listEvents({ query: { subject_type: 'e911', subject_id: e911_id } })).body.data.filter(
          ({ attributes }) => attributes.event_type === 'e911.verdict_worsened',
        )
      await eventually(async () => (await worsened()).length > 0)
      await eventually(async () => (await leftovers()).length === 0 && (await jobsOf('revalidate-e911')) === 0)
      assert.equal((await worsened()).length, 1)
    })

  test('while it validates many addresses has them validated by the next, each once, with one event', async () => {
    const rows = 3_000
    const lines = Array.from(
      { length: rows },
      (_, i) => `${(i % 3) + 1},${letters(i)} St,Killed 0,NC,US,${27_900 + (i % 40)}`,
    )
    const body = `street_number,street_name,city,state,country,zip\n${lines.join('\n')}\n`
    const { id } = (await account.createE911Validation({ body, content_type: 'text/csv' })).body.data
    const found = async () =>
      (await retryUnavailable(() => account.getE911Validation({ params: { validation_id: id } }))).body.data.attributes
    await eventually(async () => {
      const { status, progress } = await found()
      assert.equal(status, 'processing', 'it ended before it could be killed')
      return progress > 0
    })
    await killWorker()
    await eventually(async () => (await found()).status !== 'processing')
    const done = await found()
    assert.deepEqual([done.status, done.rows, done.progress], ['completed', rows, 1])
    assert.equal(
      Object.values(done.verdicts).reduce((sum, n) => sum + n, 0),
      rows,
    )
    const text = await (await fetch(done.download_url ?? assert.fail('no link'))).text()
    assert.equal(text.trimEnd().split('\n').length, rows + 1)
    assert.equal(createHash('sha256').update(text).digest('hex'), done.sha256)
    const { data } = (await operator.listEvents({ query: { subject_type: 'e911_validation', subject_id: id } })).body
    assert.deepEqual(data.map(({ attributes }) => attributes.event_type).toSorted(), [
      'e911_validation.completed',
      'e911_validation.requested',
    ])
  })
})

describe('an import from the command line that is killed', () => {
  const importArgs = async () => {
    const input_file = path.join(folder, 'by-hand.csv')
    await writeFile(input_file, file('By Hand'))
    return [input_file, '--format', 'openaddresses-csv', '--name', 'By hand', '--vintage', '1', '--activate']
  }
  const run = (args: string[]) => {
    const child = spawn(process.execPath, [script, ...args, '--database', database.url], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
    return { child, output: () => text }
  }
  const progressIn = (text: string) => Number(/.*^(\d+) %/ms.exec(text)?.[1] ?? 0)
  for (const [stage, from] of [
    ['reading', 5],
    ['gathering', 60],
  ] as const)
    test(`while ${stage} leaves nothing active, and the same command completes it`, async () => {
      const args = await importArgs()
      const { rows } = await database.pool.query<{ id: number }>(
        `delete from e911_dataset where name = 'By hand' returning id`,
      )
      const before = await coveredStreets()
      const killed = run(args)
      await eventually(() => hasEnded(killed.child) || progressIn(killed.output()) >= from)
      assert.equal(hasEnded(killed.child), false, killed.output())
      killed.child.kill('SIGKILL')
      await eventually(() => hasEnded(killed.child))
      assert.equal(await coveredStreets(), before)

      const again = run(args)
      await eventually(() => hasEnded(again.child))
      assert.equal(again.child.exitCode, 0, again.output())
      assert.match(
        again.output(),
        new RegExp(
          `: active; ${STREETS * NUMBERS} rows read, 0 skipped, ${STREETS} streets, ${STREETS * NUMBERS} ranges`,
        ),
      )
      const { rows: found } = await database.pool.query<{ id: number; status: string }>(
        `select id, status from e911_dataset where name = 'By hand'`,
      )
      assert.deepEqual(
        found.map(({ status }) => status),
        ['active'],
      )
      assert.equal(await streetsOf(String(found[0]?.id)), STREETS)
      assert.equal(await coveredStreets(), before + STREETS)
      assert.ok(!rows.some(({ id }) => id === found[0]?.id))
    })

  test('is seen by county from the command line: how many ZIP codes are covered, and the streets', async () => {
    const shown = run(['--coverage', '--state', 'nc'])
    await eventually(() => hasEnded(shown.child))
    assert.equal(shown.child.exitCode, 0, shown.output())
    const counties = shown.output().trimEnd().split('\n')
    assert.equal(
      counties.filter((line) => /^37\d{3} .+, NC: \d+ of \d+ ZIP codes? covered.*; \d+ streets?$/.test(line)).length,
      100,
    )
    const streets = counties.map((line) => Number(/(\d+) streets?$/.exec(line)?.[1]))
    assert.equal(
      streets.reduce((sum, count) => sum + count, 0),
      await coveredStreets(),
    )
  })
})

async function jobsOf(kind: string): Promise<number> {
  const { rowCount } = await database.pool.query('select from job where kind = $1', [kind])
  return rowCount ?? 0
}
