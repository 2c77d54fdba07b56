import { appendCalls, exportCalls, type Exported } from './call-records.ts'
import { engineCopy, loadPostgres, measureCopy, psqlCopy, type Copied } from './copies.ts'
import { load } from './load.ts'
import { compare, formatNumber, mb, table, type Side } from './report.ts'
import { newAccount, withService, watchMemory, type Account, type Service } from './service.ts'

/** An export of a year, in turns with other ways to write the same file; then memory and latency during an export. */
export async function benchExports(rows: number, long: boolean): Promise<void> {
  await withService({ restarted: true }, async (service) => {
    const account = await newAccount(service)
    await appendCalls(service, account.account_id, rows)
    const first = await exportCalls(service, account)
    await loadPostgres(service, first.file)
    await compare({
      name: 'csv-gz',
      title: `Exporting ${formatNumber(rows)} call records of one year, 25 columns, as csv.gz, from the request until completed`,
      measures: [
        { name: 'time', unit: 's', digits: 2, ratio: true },
        { name: 'CPU', unit: 's', digits: 2, ratio: true },
        { name: 'file', unit: 'MB', digits: 1 },
      ],
      sides: sidesOf(service, account, first),
      warm_up: long ? 0 : 1,
    })
    await latencyDuringExport(service, account)
  })
}

const side = (name: string, copy: () => Promise<Copied>): Side => ({
  name,
  async run() {
    const { seconds, cpu_s, bytes } = await copy()
    return [seconds, cpu_s, bytes / 1e6]
  },
})

function sidesOf(service: Service, account: Account, first: Exported): Side[] {
  const demarc = () =>
    measureCopy(service, async () => {
      const { bytes, digest } = await exportCalls(service, account)
      if (digest !== first.digest) throw new Error('two exports of the same records differ')
      return bytes
    })
  return [
    side('Demarc', demarc),
    side('`psql \\copy`, `gzip -6`', () => psqlCopy(service, '-6')),
    side('`psql \\copy`, `gzip -1`', () => psqlCopy(service, '-1')),
    side('engine alone, uncompressed', () => engineCopy(service, account.account_id)),
  ]
}

/** Memory, and the latency of another client's requests, during one more export. */
async function latencyDuringExport(service: Service, account: Account): Promise<void> {
  const stopWatching = watchMemory(service.processes)
  const built = new AbortController()
  const probe = load({
    port: service.port,
    connections: 1,
    duration_s: 600,
    until: built.signal,
    request: () => `GET /v2/whoami HTTP/1.1\r\nHost: x\r\nAuthorization: ${account.authorization}\r\n\r\n`,
  })
  await exportCalls(service, account).finally(() => built.abort())
  const { p50_ms, p99_ms } = await probe
  const peak = stopWatching()
  table({
    name: 'resources',
    title: 'During an export: peak memory of each process, and GET /v2/whoami over another connection',
    head: [...Object.keys(peak).map((name) => `${name}, MB`), 'p50, ms', 'p99, ms'],
    rows: [[...Object.values(peak).map(mb), p50_ms.toFixed(2), p99_ms.toFixed(2)]],
  })
}
