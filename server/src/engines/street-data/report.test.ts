import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kyselyForPool } from '../../platform/db.ts'
import { testDatabase } from '../../../test/support/database.ts'
import type { ImportOptions } from './import/importer.ts'
import { findDataset, listDatasets } from './store.ts'
import { activateDataset, noFollowUps } from './switch.ts'
import { importText, openAddresses } from './testing/import.ts'
import { CSV, stored } from './testing/stored.ts'
import { zipOf } from '../../platform/testing/zip.ts'

const SWITCH = { now: new Date('2026-03-01T12:00:00Z'), follow_ups: noFollowUps }
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']
/** A hundred and thirty addresses on 26 streets. */
const TOWN = LETTERS.flatMap((letter) => [1, 3, 5, 7, 9].map((n) => `${n} Mallow${letter} St|Hertford|NC|27944`))
const BAD = Array.from({ length: 70 }, () => 'x Mallowa St|Hertford|NC|27944')

const held = async (text: string, options: Partial<ImportOptions> = {}) => {
  const database = await testDatabase()
  const { dataset } = await importText(database.pool, 'openaddresses-csv', text, options)
  return { ...database, dataset, reasons: dataset.report?.held ?? [] }
}

describe('the report on a dataset', () => {
  test('shows what streets and places lack, and which words were read as suffixes', async () => {
    const rows = [
      '1 N Main St|Hertford|NC|27944',
      '1 Oak||NC|27944',
      '1 Mill Bl|Hertford|NC|',
      '3 Pond Bl|Hertford|NC|',
    ]
    const { dataset } = await held(openAddresses(...rows))
    assert.deepEqual(dataset.report?.without, { suffix: 0.25, direction: 0.75, city: 0.25, postal_code: 0.5 })
    assert.deepEqual(dataset.report.suffixes, [{ country: 'US', written: 'BL', taken_for: 'BLVD', streets: 2 }])
    assert.deepEqual(dataset.report.places, { covered: 2, partial: 0, thin: 0 })
    assert.equal(dataset.report.parity, null)
  })

  test('has the sides of the street, and ranges that contradict theirs', async (t) => {
    const { pool } = await testDatabase(t)
    const guide = CSV(
      'STREET,COMMUNITY,STATE,LOW,HIGH,O/E',
      'MAIN ST,HERTFORD,NC,101,199,O',
      'MAIN ST,HERTFORD,NC,100,198,',
      'OAK ST,HERTFORD,NC,1,98,',
      'ELM ST,HERTFORD,NC,1,98,E',
      'ELM ST,HERTFORD,NC,101,199,B',
    )
    const { dataset } = await importText(pool, 'msag-csv', guide)
    assert.deepEqual(dataset.report?.parity, { odd: 1, even: 1, both: 3, contradicted: 1 })
  })

  test('lists unread columns and cells with a literal NULL, which are read as empty', async (t) => {
    const { pool } = await testDatabase(t)
    const text = CSV(
      'number,street,city,region,postcode,lon',
      '1,Main St,NULL,NC,27944,1',
      '<Null>,Oak St,N/A,NC,27944,1',
    )
    const { dataset } = await importText(pool, 'openaddresses-csv', text)
    assert.deepEqual(dataset.report?.columns, { not_read: ['lon'], placeholders: { city: 2, number: 1 } })
    assert.deepEqual(await stored(pool), ['US|NC|27944|HERTFORD|MAIN ST|[1]|'])
    assert.deepEqual(dataset.skipped, { 'no house number': 1 })
  })

  test('counts every row, side, and value that was not loaded, with an example', async (t) => {
    const { pool } = await testDatabase(t)
    const lines = CSV(
      'STATE_L,STATE_R,ZIP_L,ZIP_R,MSAGCO_L,MSAGCO_R,POSTCO_L,L_F_ADD,L_T_ADD,R_F_ADD,R_T_ADD,PARITY_L,PARITY_R,VALID_L,RD,STS',
      'NC,NC,27944,27944,Hertford,Hertford,,1,99,2,,O,E,Y,Bay,ST',
      'NC,NC,27944,27944,Hertford,Hertford,,1,99,2,98,Z,E,Y,Elm,ST',
      'NC,NC,27944,27944,Hertford,Hertford,,1,99,2,98,O,E,N,Oak,ST',
      'NC,NC,27944,27944,Hertford,Hertford,,x,99,2,98,O,E,Y,Ash,ST',
      'NC,NC,2794X,27944,Hertford,Hertford,,1,99,2,98,O,E,Y,Fir,ST',
      'Nowhere,NC,27944,27944,Hertford,Hertford,,1,99,2,99,O,E,Y,Fig,ST',
      'NC,NC,27944,27944,Hertford,Hertford,,1,99,2,98,?,E,Y,Yew,ST APT 4',
      `NC,NC,27944,27944,Hertford,Hertford,${'x'.repeat(33)},1,99,0,0,O,Z,Y,Box,ST`,
      'NC,NC,27944,27944,Hertford,Hertford,,0,0,0,0,Z,Z,Y,Gum,ST',
    )
    const { dataset } = await importText(pool, 'nena-rcl-csv', lines)
    assert.deepEqual([dataset.rows_read, dataset.rows_skipped, dataset.skipped], [9, 1, { 'no house number': 1 }])
    const dropped = dataset.report?.dropped ?? []
    assert.deepEqual(
      dropped.map(({ part, reason, count, examples }) => `${part}: ${reason} ${count} ${examples[0]?.split(':')[0]}`),
      [
        'value: unit in the street name 2 Row 7',
        'side: only one end of a range 1 Row 1',
        'side: parity Z with a range 1 Row 2',
        'side: marked as not in use 1 Row 3',
        'side: house number not understood 1 Row 4',
        'value: postal code not understood 1 Row 5',
        'value: state not understood 1 Row 6',
        'value: parity contradicts the range 1 Row 6',
        'value: parity not understood 1 Row 7',
        'value: other name of the city not usable 1 Row 8',
        'row: no house number 1 Row 9',
      ],
    )
    assert.match(dropped[1]?.examples[0] ?? '', /^Row 1: rd=Bay, sts=ST, l_f_add=1, l_t_add=99, .*r_f_add=2/)
  })

  test('compares it with the vintage that it replaces', async () => {
    const { pool } = await held(openAddresses(...TOWN))
    const { dataset } = await importText(
      pool,
      'openaddresses-csv',
      openAddresses(...TOWN.slice(5), '1 New St|Edenton|NC|27932'),
      {
        vintage: '2',
      },
    )
    const { compared_with } = dataset.report ?? assert.fail()
    assert.deepEqual(compared_with?.streets, { before: 26, lost: 1, gained: 1 })
    assert.deepEqual(compared_with.ranges, { before: 130, after: 126 })
    assert.deepEqual([compared_with.vintage, compared_with.places.lost, compared_with.places.before], ['1', 0, 1])
  })
})

test('the report warns of numbers that authoritative data overrides', async (t) => {
  const { pool } = await testDatabase(t)
  const guide = CSV(
    'STREET,COMMUNITY,STATE,LOW,HIGH,O/E',
    ...LETTERS.map((letter) => `MALLOW${letter} ST,HERTFORD,NC,1,7,O`),
  )
  const open = await importText(pool, 'openaddresses-csv', openAddresses(...TOWN, '4 Oak St|Hertford|NC|27944'))
  assert.equal(open.dataset.report?.overlap, null)
  const { dataset } = await importText(pool, 'msag-csv', guide, { name: 'Guide' })
  const { overlap } = dataset.report ?? assert.fail()
  assert.deepEqual([overlap?.numbers, overlap?.lost, overlap?.datasets], [131, 27, ['Test 1']])
  assert.equal(overlap?.examples[0], '4 OAK ST, HERTFORD, NC 27944')
  // also when the indicative data comes second
  const second = await importText(pool, 'openaddresses-csv', openAddresses(...TOWN), { vintage: '2', force: true })
  assert.deepEqual([second.dataset.report?.overlap?.numbers, second.dataset.report?.overlap?.lost], [130, 26])
})

describe('a dataset is held and not activated', () => {
  const HELD: [string, string[], RegExp][] = [
    [
      'of which many rows were not understood',
      [...TOWN, ...BAD],
      /^35 % of its rows were not understood; the limit is 30 %\.$/,
    ],
    [
      'whose streets have no suffix',
      TOWN.map((row) => row.replace(' St|', '|')),
      /^100 % of its addresses are on streets without a suffix\. Is the column of suffixes read\?; the limit is 60 %\.$/,
    ],
    [
      'whose streets are mostly in places of which it has little',
      [
        ...TOWN,
        ...['07960', '07030', '07302', '07102', '08701', '08002'].flatMap((zip) =>
          LETTERS.slice(0, 6).map((letter) => `1 Oak${letter} St||NJ|${zip}`),
        ),
      ],
      /^58 % of its streets are in places with only stray rows; the limit is 30 %\. Is it complete\?$/,
    ],
  ]
  const CONTRADICTED: typeof HELD = [
    [
      'whose state contradicts the postal code',
      ['1 Main St|Albany|CA|12207', '3 Main St|Albany|CA|12207'],
      /^State contradicts the postal code in 100 % of its rows; the limit is 1 %\. Row 1: number=1, street=Main St, city=Albany, region=CA, postcode=12207; Row 2: .* Is each column the right one\?$/,
    ],
    [
      'whose city and postal code are swapped',
      TOWN.map((row) => row.replace('Hertford|NC|27944', '27944|NC|Hertford')),
      /^City is a postal code in 100 % of its rows; the limit is 1 %\. Row 1: number=1, .* city=27944, region=NC, postcode=Hertford/,
    ],
    [
      'whose city is far from the postal code',
      [...TOWN, '1 Main St|Asheville|NC|27944', '3 Main St|Asheville|NC|27944'],
      /^City is far from the postal code in 1\.5 % of its rows/,
    ],
  ]
  for (const [what, rows, reason] of CONTRADICTED)
    test(what, async () => {
      const { dataset, reasons } = await held(openAddresses(...rows))
      assert.equal(dataset.status, 'held')
      assert.match(reasons[0] ?? '', reason)
    })

  for (const [what, rows, reason] of HELD)
    test(what, async () => {
      const { dataset, reasons } = await held(openAddresses(...rows))
      assert.equal(dataset.status, 'held')
      assert.equal(reasons.length, 1)
      assert.match(reasons[0] ?? '', reason)
    })

  test('if it lacks streets and numbers of the active vintage, which stays active', async () => {
    const { pool, dataset } = await held(openAddresses(...TOWN))
    const second = (await importText(pool, 'openaddresses-csv', openAddresses(...TOWN.slice(50)), { vintage: '2' }))
      .dataset
    assert.equal(second.status, 'held')
    assert.deepEqual(second.report?.held, [
      'It lacks 38 % of the streets of 1; the limit is 10 %.',
      'It lacks 38 % of the ranges or numbers of 1; the limit is 10 %.',
    ])
    assert.equal((await findDataset(kyselyForPool(pool), dataset.id))?.status, 'active')
    assert.equal(await activateDataset(kyselyForPool(pool), second.id, SWITCH), 'held')
    assert.equal(await activateDataset(kyselyForPool(pool), second.id, { ...SWITCH, force: true }), 'active')
  })

  test('unless that is forced', async () => {
    const { dataset, reasons } = await held(openAddresses(...TOWN, ...BAD), { force: true })
    assert.equal(dataset.status, 'active')
    assert.equal(reasons.length, 1)
  })
})

test('a file with 99 of 100 rows skipped fails with the reasons', async (t) => {
  const { pool } = await testDatabase(t)
  const rows = openAddresses('1 Main St|Hertford|NC|27944', ...Array.from({ length: 99 }, () => BAD[0] ?? ''))
  await assert.rejects(
    importText(pool, 'openaddresses-csv', rows),
    /^FileRefused: Only 1 of 100 rows could be used: house number not understood \(99\)\. Is the file/,
  )
  assert.equal((await listDatasets(kyselyForPool(pool)))[0]?.status, 'failed')
})

test('the reason names the file of an archive that is refused', async (t) => {
  const { pool } = await testDatabase(t)
  const good = openAddresses('1 Main St|Hertford|NC|27944')
  const other = CSV('house,road', '1,Main St')
  await assert.rejects(
    importText(pool, 'openaddresses-csv', zipOf({ 'a/good.csv': good, 'b/other.csv': other })),
    /^FileRefused: other\.csv in the archive: The file has no column number/,
  )
  await assert.rejects(
    importText(
      pool,
      'openaddresses-csv',
      zipOf({ 'good.csv': good, 'latin.csv': Buffer.from([...'é'].join(''), 'latin1') }),
    ),
    /^FileRefused: latin\.csv in the archive: The file is not UTF-8/,
  )
})

test('missing columns are refused, and the message lists the existing ones', async (t) => {
  const { pool } = await testDatabase(t)
  const load = (columns?: Record<string, string>) =>
    importText(pool, 'points', CSV('HOUSE,ROAD,TOWN', '12,Main St,Hertford'), {
      state: 'NC',
      ...(columns && { columns }),
    })
  await assert.rejects(
    load(),
    /no column number\. Is it in the format points\? Its columns are house, road, town\. .* columns=number=NAME/,
  )
  await assert.rejects(
    load({ number: 'HOUSE', street: 'ROAD', city: 'TWON' }),
    /no column TWON, which columns= refers to/,
  )
  await load({ number: 'HOUSE', street: 'ROAD', city: 'TOWN' })
  assert.deepEqual(await stored(pool), ['US|NC||HERTFORD|MAIN ST|[12]|'])
})

describe('the same file under the same name and vintage', () => {
  const TEXT = CSV('number,street,town,place,region', '12,Main St,Hertford,Winfall,NC')
  const load = (city: string, activate: boolean) => ({ columns: { city }, activate })

  test('is loaded again with other options, and replaces one that waits for activation', async (t) => {
    const { pool } = await testDatabase(t)
    const first = await importText(pool, 'openaddresses-csv', TEXT, load('town', false))
    const same = await importText(pool, 'openaddresses-csv', TEXT, load('town', false))
    assert.ok(same.repeated && same.dataset.id === first.dataset.id)
    const second = await importText(pool, 'openaddresses-csv', TEXT, load('place', true))
    assert.ok(!second.repeated)
    const all = await listDatasets(kyselyForPool(pool))
    assert.deepEqual(
      all.map(({ id, status }) => [id, status]),
      [[second.dataset.id, 'active']],
    )
  })

  test('is loaded next to the active reading, which stays active until the other is activated', async (t) => {
    const { pool } = await testDatabase(t)
    await importText(pool, 'openaddresses-csv', TEXT, load('town', true))
    const second = await importText(pool, 'openaddresses-csv', TEXT, load('place', false))
    const statuses = async () => (await listDatasets(kyselyForPool(pool))).map(({ status }) => status).toSorted()
    assert.deepEqual(await statuses(), ['active', 'loaded'])
    assert.equal(await activateDataset(kyselyForPool(pool), second.dataset.id, SWITCH), 'active')
    assert.deepEqual(await statuses(), ['active', 'superseded'])
  })
})
