import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runLine } from './support/run.ts'

const env = { DEMARC_URL: 'http://127.0.0.1:1', DEMARC_ACCESS_KEY: 'a', DEMARC_SECRET_KEY: 'b' }

/** More due rows than fit on a page, of one of two classes. */
const due = Array.from({ length: 2500 }, (_, i) => ({
  type: 'retention_plan',
  id: `exports:${i}`,
  attributes: {
    class: 'exports',
    account_id: String(i),
    period: '24 months',
    count: 1,
    oldest_at: null,
    is_held: false,
  },
}))
const classes = [
  { class: 'exports', period: '24 months', cutoff_at: null, count: due.length },
  { class: 'call_records', period: null, cutoff_at: null, count: 0 },
]

/** The responses of a service with these rows, and the limits and offsets it was asked for. */
function serviceWithRows() {
  const asked: string[] = []
  const service: typeof fetch = (input) => {
    const { searchParams } = new URL(input instanceof Request ? input.url : input)
    const [limit, offset] = [Number(searchParams.get('limit')), Number(searchParams.get('offset'))]
    asked.push(`${limit} from ${offset}`)
    const next =
      offset + limit < due.length
        ? `${env.DEMARC_URL}/operator/retention?limit=${limit}&offset=${offset + limit}`
        : undefined
    const data = due.slice(offset, offset + limit)
    return Promise.resolve(Response.json({ data, links: { self: '/operator/retention', next }, meta: { classes } }))
  }
  return { service, asked }
}

const planned = async (options: string) => {
  const { service, asked } = serviceWithRows()
  const { stdout, stderr, status } = await runLine(`retention plan --json ${options}`, { env, fetch: service })
  assert.equal(status, 0, stderr)
  const rows: { class: string; account_id: string | null; period: string; count: number }[] = JSON.parse(stdout)
  return { asked, rows }
}

test('the plan lists every page, and then the classes with nothing to delete', async () => {
  const { asked, rows } = await planned('')
  assert.deepEqual(asked, ['1000 from 0', '1000 from 1000', '1000 from 2000'])
  assert.deepEqual(
    rows.slice(0, due.length).map(({ account_id }) => account_id),
    due.map(({ attributes }) => attributes.account_id),
  )
  assert.deepEqual(
    rows.slice(due.length).map((row) => [row.class, row.period, row.count]),
    [['call_records', 'forever', 0]],
  )
})

test('the plan has no more rows than the limit, and starts at the offset', async () => {
  for (const [options, count, first] of [
    ['--limit 3', 3, '0'],
    ['--limit 1500', 1500, '0'],
    ['--offset 2400 --limit 7', 7, '2400'],
    ['--offset 2499', 2, '2499'],
  ] as const) {
    const { rows } = await planned(options)
    assert.deepEqual([rows.length, rows[0]?.account_id], [count, first], options)
  }
})
