import assert from 'node:assert/strict'
import { test } from 'node:test'
import { provenance, sectionMarkdown, summaryTable } from './markdown.ts'
import type { Comparison, Curve, Result } from './results.ts'

const load = { lowest: 0.5, highest: 2 }

const exported: Comparison = {
  kind: 'comparison',
  name: 'csv-gz',
  title: 'Export',
  rounds: 3,
  load,
  measures: [
    { name: 'time', unit: 's', digits: 1, ratio: true },
    { name: 'file', unit: 'MB', digits: 0, ratio: false },
  ],
  sides: [
    {
      name: 'Demarc',
      values: [
        [1, 8, 2],
        [5, 5, 5],
      ],
    },
    {
      name: '`psql | gzip`',
      values: [
        [2, 2, 8],
        [6, 6, 6],
      ],
    },
  ],
  skipped: [{ name: 'DuckDB', reason: 'Install it first.' }],
}

const result = (sections: Result['sections']): Result => ({
  bench: 'exports',
  form: 'short',
  command: 'npm run bench -- exports',
  date: '2026-01-02',
  commit: 'abc',
  machine: { cores: 2, memory_gb: 25, node: '24.0.0' },
  duration_s: 150,
  sections,
})

test('a comparison shows medians, and the median of the ratios of the rounds', () => {
  assert.deepEqual(sectionMarkdown(exported).split('\n'), [
    'Export: medians of 3 rounds in turns, load 0.5 to 2.0.',
    '',
    '|  | time, s | file, MB | Demarc ÷ it |',
    '| --- | ---: | ---: | ---: |',
    '| Demarc | 2.0 | 5 |  |',
    '| `psql \\| gzip` | 2.0 | 6 | 0.50 |',
    '',
    '- Not measured: DuckDB. Install it first.',
    '',
  ])
})

test('a curve shows each size, and how much more the largest costs', () => {
  const grown: Curve = {
    kind: 'curve',
    name: 'events',
    title: 'Audit log',
    rounds: 5,
    load: { lowest: 1, highest: 1 },
    x: 'events',
    y: { name: 'time', unit: 'ms', digits: 1 },
    lines: [
      {
        name: 'newest',
        points: [
          { x: 1000, y: 2 },
          { x: 1_000_000, y: 3 },
        ],
      },
      { name: 'all', points: [{ x: 1000, y: 2 }] },
    ],
  }
  assert.deepEqual(sectionMarkdown(grown).split('\n'), [
    'Audit log, time, ms: medians of 5 rounds, load 1.0.',
    '',
    '| events | newest | all |',
    '| --- | ---: | ---: |',
    '| 1,000 | 2.0 | 2.0 |',
    '| 1,000,000 | 3.0 |  |',
    '| largest ÷ smallest | 1.50 × | 1.00 × |',
    '',
  ])
})

const paired: Comparison = {
  ...exported,
  measures: [{ name: 'CPU', unit: 'µs', digits: 0, ratio: true }],
  sides: [
    { name: 'read', values: [[10, 12, 11]] },
    { name: 'bare', beside: 'read', values: [[10, 10, 10]] },
    { name: 'write', values: [[40, 44, 42]] },
    { name: 'bare', beside: 'write', values: [[21, 21, 21]] },
    { name: 'other', values: [[7, 7, 7]] },
  ],
  skipped: [],
}

test('sides that say beside which they stand are compared with that one, and the others with none', () => {
  assert.deepEqual(sectionMarkdown(paired).split('\n').slice(4), [
    '| read | 11 |  |',
    '| bare | 10 | 1.10 |',
    '| write | 42 |  |',
    '| bare | 21 | 2.00 |',
    '| other | 7 |  |',
    '',
  ])
  assert.deepEqual(
    summaryTable([result([paired])])
      .split('\n')
      .slice(2),
    ['| read, CPU, µs | 11 | bare: 10 | 1.10 | 0.5 to 2.0 |', '| write, CPU, µs | 42 | bare: 21 | 2.00 | 0.5 to 2.0 |'],
  )
})

test('the summary has a line for each side that Demarc was measured beside', () => {
  const table = { kind: 'table', name: 'ingest', title: 'Ingest', load, head: [''], rows: [['1']] } as const
  const text = summaryTable([result([exported, { ...table, head: [...table.head], rows: [['1']] }])])
  assert.deepEqual(text.split('\n').slice(2), ['| Export, time, s | 2.0 | `psql \\| gzip`: 2.0 | 0.50 | 0.5 to 2.0 |'])
})

test('a result says on what, when and of which commit it was measured', () => {
  assert.equal(
    provenance(result([])),
    '`npm run bench -- exports`, short form, 2026-01-02, commit abc, 2 cores, 25 GB, Node 24.0.0, 3 min.',
  )
})
