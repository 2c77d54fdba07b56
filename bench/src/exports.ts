import { appendCalls } from './call-records.ts'
import { cpuSoFar, duckdbCopy, engineCopy, hasCommand, loadPostgres, psqlCopy, type Copied } from './copies.ts'
import { exportInside } from './export-inside.ts'
import { exportCalls, type Exported } from './export-request.ts'
import { load } from './load.ts'
import { printLoopDelay } from './loop-delay.ts'
import { peersMissing } from './peers.ts'
import { comparison, inTurns, mb, median, seconds, table, type Side } from './report.ts'
import type { Form } from './results.ts'
import { cpuOf, newAccount, startService, watchMemory, type Account, type Service } from './service.ts'

/**
 * An export of a year with `rows` call records, from the request to its completion, beside other ways to make a file of the same
 * records; then what the service needs meanwhile.
 */
export async function benchExports(rows: number, form: Form): Promise<void> {
  const service = await startService({ DEMARC_REQUESTS_PER_MINUTE: '1000000000' }, { restarted: true })
  try {
    const account = await newAccount(service)
    await ingest(service, account.account_id, rows)
    const first = await exportCalls(service, account)
    const parquet = await exportCalls(service, account, 'parquet')
    await loadPostgres(service, first.file)
    const { sides, skipped } = sidesOf(service, account, first, parquet)
    comparison({
      ...(await inTurns(sides, 5, form === 'long' ? 0 : 1)),
      name: 'csv-gz',
      title: `A year of ${rows.toLocaleString('en-US')} call records, 25 columns, as csv.gz, request to completed`,
      measures: [
        { name: 'time', unit: 's', digits: 2, ratio: true },
        { name: 'CPU', unit: 's', digits: 2, ratio: true },
        { name: 'file', unit: 'MB', digits: 1, ratio: false },
      ],
      skipped,
    })
    await uncompressed(service, account.account_id, rows, form)
    await meanwhile(service, account)
    await duringIngest(service, account, rows)
  } finally {
    await service.stop()
  }
}

const side = (name: string, copy: () => Promise<Copied>): Side => ({
  name,
  async run() {
    const { seconds, cpu_s, bytes } = await copy()
    return [seconds, cpu_s, bytes / 1e6]
  },
})

function sidesOf(service: Service, account: Account, first: Exported, parquet: Exported) {
  const skipped: { name: string; reason: string }[] = []
  const sides = [
    side('Demarc', async () => {
      const cpu = () => cpuSoFar(Object.values(service.processes()).flat())
      const before = cpu()
      const { ms, bytes, digest } = await exportCalls(service, account)
      if (digest !== first.digest) throw new Error('two exports of the same records differ')
      return { seconds: ms / 1000, cpu_s: (cpu() - before) / 1e6, bytes }
    }),
    side('`psql \\copy`, `gzip -6`', () => psqlCopy(service, ['gzip', '-6'])),
    side('`psql \\copy`, `gzip -1`', () => psqlCopy(service, ['gzip', '-1'])),
  ]
  if (hasCommand('pigz')) sides.push(side('`psql \\copy`, `pigz -6`', () => psqlCopy(service, ['pigz', '-6'])))
  else skipped.push({ name: '`psql \\copy`, `pigz`', reason: 'On Debian: `apt-get install pigz`.' })
  const missing = peersMissing()
  if (missing === null) sides.push(side('DuckDB, from Parquet', () => duckdbCopy(service, parquet.file)))
  else skipped.push({ name: 'DuckDB, from Parquet', reason: missing })
  const { account_id } = account
  sides.push(
    side('the engine alone, the same lines uncompressed', () => engineCopy(service, account_id, false)),
    side('the same, then `gzip` on one core', () => engineCopy(service, account_id, true)),
  )
  return { sides, skipped }
}

/** No request can ask for an export without compression: what its job would do is done here. */
async function uncompressed(service: Service, account_id: string, rows: number, form: Form): Promise<void> {
  const cpu = () => cpuSoFar(Object.values(service.processes()).flat()) + cpuOf([process.pid])
  const inside = async (): Promise<Copied> => {
    const before = cpu()
    const { seconds, bytes } = await exportInside(service, account_id, 'none')
    return { seconds, cpu_s: (cpu() - before) / 1e6, bytes }
  }
  const sides = [
    side('the job of an export, to a synced file', inside),
    side('`psql \\copy`', () => psqlCopy(service, [])),
    side('`psql \\copy`, `gzip -6`', () => psqlCopy(service, ['gzip', '-6'])),
    side('the engine alone, without totals, proof or digest', () => engineCopy(service, account_id, false)),
  ]
  comparison({
    ...(await inTurns(sides, 5, form === 'long' ? 0 : 1)),
    name: 'csv',
    title: `The same ${rows.toLocaleString('en-US')} call records as CSV without compression`,
    measures: [
      { name: 'time', unit: 's', digits: 2, ratio: true },
      { name: 'CPU', unit: 's', digits: 2, ratio: true },
      { name: 'file', unit: 'MB', digits: 1, ratio: false },
    ],
    skipped: [],
  })
}

/** An export while records of the same account and time range arrive as fast as they are taken. */
async function duringIngest(service: Service, account: Account, rows: number): Promise<void> {
  const before = await exportCalls(service, account)
  const ingested = appendCalls(service, account.account_id, rows, rows)
  const exports: number[] = []
  const ended = new AbortController()
  const whole = ingested.finally(() => ended.abort())
  do exports.push((await exportCalls(service, account)).ms)
  while (!ended.signal.aborted)
  const ingest_ms = await whole
  table(
    'Exports of the account one after the other while as many records again arrive for it over HTTP',
    ['exports completed', 'before, s', 'meanwhile, median s', 'slowest, s', 'records/s meanwhile'],
    [
      [
        String(exports.length),
        seconds(before.ms),
        seconds(median(exports)),
        seconds(Math.max(...exports)),
        ((rows / ingest_ms) * 1000).toFixed(0),
      ],
    ],
    'during-ingest',
  )
}

async function ingest(service: Service, account_id: string, rows: number): Promise<void> {
  const api = service.processes()['api'] ?? []
  const cpu = cpuOf(api)
  const took_ms = await appendCalls(service, account_id, rows)
  table(
    'Ingest over HTTP, NDJSON, generator on the same machine, one client, once',
    ['records', 'seconds', 'records/s', 'API CPU µs/record'],
    [
      [
        rows.toLocaleString('en-US'),
        seconds(took_ms),
        ((rows / took_ms) * 1000).toFixed(0),
        ((cpuOf(api) - cpu) / rows).toFixed(1),
      ],
    ],
    'ingest',
  )
}

/** Memory and latency while one more export is built. A second client's requests show the delay of the API's event loop. */
async function meanwhile(service: Service, account: Account): Promise<void> {
  const stopWatching = watchMemory(service.processes)
  const built = new AbortController()
  const probe = load({
    port: Number(new URL(service.base_url).port),
    connections: 1,
    duration_s: 600,
    until: built.signal,
    request: () => `GET /v2/whoami HTTP/1.1\r\nHost: x\r\nAuthorization: ${account.authorization}\r\n\r\n`,
  })
  await exportCalls(service, account).finally(() => built.abort())
  const { p50_ms, p99_ms } = await probe
  const peak = stopWatching()
  table('Peak resident memory while exporting, MB', Object.keys(peak), [Object.values(peak).map(mb)], 'memory')
  table(
    'GET /v2/whoami from one connection while exporting',
    ['p50 ms', 'p99 ms'],
    [[p50_ms.toFixed(2), p99_ms.toFixed(2)]],
    'latency',
  )
  await printLoopDelay(service)
}
