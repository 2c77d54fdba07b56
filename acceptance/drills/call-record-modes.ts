import { table } from './page.ts'
import type { Recorded } from './results.ts'

/** What was run in each mode of the call-record store, for docs/operate/call-records.md. */
interface Mode {
  mode: string
  run: string
  /** The files whose tests ran it. */
  by: readonly string[]
  /** Components of drills whose results count. */
  drills?: string
  not_run: string
}

const engine = 'server/src/engines/call-records'

export const modes: readonly Mode[] = [
  { mode: '`embedded`', run: 'everything', by: [`${engine}/*.test.ts`, 'server/src/cdrs/*.test.ts'], not_run: '–' },
  {
    mode: '`server`',
    run: 'inserts and exports over HTTP and TLS, on the embedded engine; every error code at every statement; checks of version, mode, settings, and rights; a server that is too old (18.16)',
    by: ['url', 'error-codes', 'server-check'].map((name) => `${engine}/${name}.test.ts`),
    not_run: 'a server of a supported version',
  },
  {
    mode: '`cluster`',
    run: 'its statements parsed by the engine; the contract of the store, placements, and moves on two shards inside the embedded engine, where a statement that goes to a wrong shard fails',
    by: [`${engine}/schema.test.ts`, `${engine}/shards.test.ts`, 'server/src/cdrs/shards.test.ts'],
    drills: 'ClickHouse cluster',
    not_run: 'replication, quorum, failover, and Distributed inserts on servers of a supported version',
  },
  ...['`replicated-database`', '`cloud`'].map((mode) => ({
    mode,
    run: 'its statements parsed by the engine',
    by: [`${engine}/schema.test.ts`],
    not_run: 'everything else',
  })),
]

const begin = '<!-- Generated from the tests and drills: npm run check -- --write -->'
const end = '<!-- End of the generated table -->'

/** The page with a new table. Throws if the page has no place for it. */
export function pageWithModes(page: string, records: readonly Recorded[]): string {
  const [head, rest] = page.split(begin)
  const tail = rest?.split(end)[1]
  if (head === undefined || tail === undefined) throw new Error(`docs/operate/call-records.md lacks ${begin} or ${end}`)
  const rows = modes.map(({ mode, run, by, drills, not_run }) => [
    mode,
    [run, ...records.flatMap((record) => resultsOf(record, drills))].join('; '),
    by.map((file) => `\`${file}\``).join('<br>'),
    not_run,
  ])
  return `${head}${begin}\n\n${table(['Mode', 'Run', 'By', 'Not run'], rows)}\n\n${end}${tail}`
}

function resultsOf({ drill, results }: Recorded, of: string | undefined): string[] {
  return results
    .filter(({ component, ok }) => component === of && ok)
    .map(({ version, tried }) => `${tried} (drill \`${drill}\`, ${version})`)
}
