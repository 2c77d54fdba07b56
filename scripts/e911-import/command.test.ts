import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CommandRefused, readCommand, USAGE } from './command.ts'
import { FORMATS } from '../../server/src/engines/street-data/import/formats/index.ts'

const read = (line: string) => readCommand(line === '' ? [] : line.split(' '), '2026-11-21')
const load = 'f.csv --format nad-csv --name N'

describe('a command line', () => {
  const refused: [string, RegExp][] = [
    ['', /^No file or command given\./],
    ['--nonsense', /^Unknown option '--nonsense'\./],
    ['--name', /^Option '--name <value>' argument missing./],
    ['f.csv', /^--format is missing\. Formats: openaddresses-csv, /],
    ['f.csv --format shp --name N', /^Unknown format shp\. Formats: /],
    ['f.csv --format nad-csv', /^--name is missing/],
    ['f.csv g.csv --format nad-csv --name N', /^Give only one of f\.csv and g\.csv/],
    ['--list --coverage', /^Give only one of --list and --coverage/],
    ['--drop-id 3 f.csv', /^Give only one of --drop-id and f\.csv/],
    ['--drop-id x', /^--drop-id must be the ID of a dataset\. See --list/],
    ['--activate-id 0', /^--activate-id must be the ID/],
    ['--list --database mysql://x', /^--database must be a postgres: or/],
    [`${load} --country FR`, /^--country must be US or CA/],
    [`${load} --authority maybe`, /^--authority must be authoritative or indicative/],
    [`${load} --state XX`, /^--state: XX is not a state or province/],
    ['--coverage --state ON', /^--state: ON is not a US state/],
    [`${load} --state ON --country US`, /^--state: ON is not in US/],
    [`${load} --layout street=1-9`, /^--layout: Only for the format msag-fixed/],
    ['f --format msag-fixed --name N --layout street=9-1', /^--layout: "9-1" must have the form first-last/],
    [
      'f --format msag-fixed --name N --layout strete=1-9',
      /^--layout: Unknown name: strete\. Known names: pre, street/,
    ],
    ['f --format msag-csv --name N --columns street', /^--columns: "street" must have the form ours=theirs/],
    ['f --format msag-csv --name N --columns strete=ROAD', /^--columns: Unknown name: strete\. Known names: pre/],
    ['f --format lines --name N --columns street=ROAD', /^--columns: Files of the format lines have no column names/],
    ['f --format nad-csv --name N --columns street=ROAD', /^--columns: Unknown name: street\. Known names: st_premod/],
    ['f --format points --name N --columns street=A,street=B', /^--columns: street is given more than once/],
    ['f --format points --name N --columns street=', /^--columns: "street=" must have the form ours=theirs/],
  ]
  for (const [line, message] of refused)
    test(`"${line}" is refused with the remedy`, () => {
      assert.throws(
        () => read(line),
        (error) => error instanceof CommandRefused && message.test(error.message) && error.message.endsWith('--help'),
      )
    })

  test('is read with every option', () => {
    assert.deepEqual(
      read(
        'g.csv --format msag-csv --name N --vintage 2 --activate --state nc --country US --city Hertford --columns street=ROAD --authority indicative --license L --source S --database postgres://x/y',
      ),
      {
        do: 'load',
        file: 'g.csv',
        format: 'msag-csv',
        name: 'N',
        vintage: '2',
        activate: true,
        force: false,
        state: 'NC',
        country: 'US',
        city: 'Hertford',
        columns: { street: 'ROAD' },
        authority: 'indicative',
        license: 'L',
        source: 'S',
        database: 'postgres://x/y',
      },
    )
    assert.deepEqual(read('f --format msag-fixed --name N --layout street=3-50'), {
      do: 'load',
      file: 'f',
      format: 'msag-fixed',
      name: 'N',
      vintage: '2026-11-21',
      activate: false,
      force: false,
      state: undefined,
      country: undefined,
      city: undefined,
      layout: { street: [3, 50] },
      license: '',
      source: '',
      database: undefined,
    })
    assert.deepEqual(read('--list'), { do: 'list', database: undefined })
    assert.deepEqual(read('--coverage'), { do: 'coverage', state: undefined, database: undefined })
    assert.deepEqual(read('--coverage --state wi'), { do: 'coverage', state: 'WI', database: undefined })
    assert.deepEqual(read('--activate-id 7'), { do: 'activate', id: 7, force: false, database: undefined })
    assert.deepEqual(read('--drop-id 7'), { do: 'drop', id: 7, database: undefined })
    for (const line of ['--help', '-h', '--help --list f']) assert.deepEqual(read(line), { do: 'help' })
  })
})

test('the help lists every option and format', () => {
  const named = [
    'help',
    'database',
    'format',
    'name',
    'vintage',
    'activate',
    'force',
    'state',
    'country',
    'city',
    'columns',
    'layout',
    'authority',
    'license',
    'source',
    'list',
    'coverage',
    'activate-id',
    'drop-id',
  ]
  for (const option of named) assert.match(USAGE, new RegExp(`--${option}\\b`))
  for (const format of Object.keys(FORMATS)) assert.match(USAGE, new RegExp(`\\b${format}\\b`))
  assert.ok(
    USAGE.split('\n').every((line) => line.length <= 110),
    USAGE,
  )
})
