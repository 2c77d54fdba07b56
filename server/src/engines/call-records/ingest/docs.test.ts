import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { testWarehouse } from '../../../../test/support/engine.ts'
import { FIELD_NAMES, FIELDS } from './fields.ts'
import { ingestCdrs } from './ingest.ts'
import { LIMITS as STORE_LIMITS } from '../limits.ts'
import { LIMITS } from './limits.ts'
import { MAPPINGS } from './mappings/index.ts'
import { inChunks } from './testing/bodies.ts'
import { exportedRows } from '../testing/queries.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../../../../docs/operate/call-records.md'), 'utf8')
const { warehouse } = await testWarehouse()

/** Fenced examples: `ndjson` or `csv`, followed by the mapping's name, if any. */
const EXAMPLES = [...PAGE.matchAll(/^```(ndjson|csv) ?([a-z-]*)\n([\s\S]*?)^```$/gm)].map(
  ([, format = '', mapping = '', body = '']) => ({ format, mapping, body }),
)

test('the page lists exactly the fields and marks the required ones', () => {
  const rows = [...PAGE.matchAll(/^\| `(\w+)` \| (yes|no) \|/gm)].map(([, name, required]) => [name, required])
  assert.deepEqual(
    rows,
    FIELD_NAMES.map((name) => [name, FIELDS[name].required ? 'yes' : 'no']),
  )
})

test('the page has an example of each format and mapping, and all are accepted', async () => {
  assert.deepEqual(
    EXAMPLES.map(({ format, mapping }) => mapping || format),
    ['ndjson', 'csv', ...Object.keys(MAPPINGS)],
  )
  for (const { format, mapping, body } of EXAMPLES) {
    const records = body.split('\n').length - (format === 'csv' && mapping === '' ? 2 : 1)
    const report = await ingestCdrs(
      { warehouse, accountsExist: async () => new Set(['1001']) },
      {
        stream: inChunks(body),
        content_type: format === 'csv' ? 'text/csv' : 'application/x-ndjson',
        ...(mapping !== '' && { mapping, account_id: '1001' }),
      },
    )
    assert.deepEqual(report, { accepted: records, duplicates: 0, rejected: 0, errors: [] }, mapping || format)
  }
})

test('the same call in the formats of three switches gives equal records', async () => {
  const filter = {
    start_call_start_time: new Date('2026-03-01T12:00:00Z'),
    start_call_end_time: new Date('2026-03-01T12:00:01Z'),
    direction: 'outbound',
  } as const
  const rows = await exportedRows(warehouse, { account_id: '1001', filter })
  const same = rows.filter((row) => row['billed_duration'] === 67)
  assert.equal(same.length, 3)
  for (const row of same) {
    assert.equal(row['destination'], '+12065550100')
    assert.equal(row['result'], 'completed')
    assert.equal(row['duration'], 70)
    assert.equal(row['call_fail_reason'], '')
    assert.equal(row['total_cost'], '0')
  }
})

test('the limits on the page match the code', () => {
  const MiB = 1024 * 1024
  assert.equal(LIMITS.line_bytes, MiB)
  assert.equal(LIMITS.errors, 100)
  assert.equal(LIMITS.unknown_fields, 20)
  assert.equal(2 ** LIMITS.zstd_window_log, 32 * MiB)
  assert.deepEqual([LIMITS.batch_rows_idle, LIMITS.batch_rows, LIMITS.batch_bytes], [10_000, 30_000, 16 * MiB])
  assert.equal(STORE_LIMITS.insert_rows, 60_000)
  assert.deepEqual([LIMITS.id_chars, LIMITS.text_chars, LIMITS.tags, LIMITS.tag_chars], [255, 1024, 100, 255])
  assert.equal(LIMITS.unavailable_ms, 30_000)
})
