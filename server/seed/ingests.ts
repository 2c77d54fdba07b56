import { Readable } from 'node:stream'
import { expireIngestJob } from '../src/cdrs/ingest.ts'
import { insertIngest, listIngests } from '../src/cdrs/ingest-store.ts'
import { ingestLimits } from '../src/cdrs/rules.ts'
import { inTransaction, type Tx } from '../src/platform/db.ts'
import { keepFile } from '../src/platform/file-references.ts'
import { schedule } from '../src/platform/jobs.ts'
import type { Deps } from '../src/platform/context.ts'
import { createRandom } from './random.ts'

/** Two weeks of call-record deliveries from the cast's switch, four a day. */

const hour_ms = 3_600_000
const every_ms = 6 * hour_ms
const deliveries = 56

/** Occasional errors in the switch's data. Counted from the last delivery. */
const refusals: Readonly<Record<number, readonly Refusal[]>> = {
  2: [
    [{ duration: ['Must be at least 0.'] }, { id: 'sw1-88121', direction: 'outbound', duration: -4 }],
    [{ account_id: ['There is no account 4711.'] }, { id: 'sw1-88140', account_id: '4711', direction: 'inbound' }],
  ],
  9: [[{ direction: ['Must be inbound or outbound.'] }, { id: 'sw1-84407', direction: 'transit' }]],
  33: [[{ start_time: ['Must be a time in ISO 8601.'] }, { id: 'sw1-70032', start_time: 'yesterday' }]],
  40: [[{ total_cost: ['Must be an exact decimal.'] }, { id: 'sw1-66518', total_cost: '1,25' }]],
}
type Refusal = readonly [messages: Record<string, string[]>, record: Record<string, unknown>]

/** The delivery that was cut off, counted the same way. */
const cut_off = 17

/**
 * Records them unless there are any. The rejected lines of two deliveries should already be deleted: for these the demo shows
 * failed jobs with an invented error.
 */
export async function seedIngests(deps: Deps, actor: string): Promise<void> {
  const now = deps.clock.now()
  if ((await listIngests(deps.db, { limit: 1, offset: 0 })).length > 0) return
  const last_ms = Math.floor((now.getTime() - hour_ms) / every_ms) * every_ms + hour_ms / 6
  const random = createRandom(1871)
  await inTransaction(deps.db, async (tx) => {
    for (let back = deliveries - 1; back >= 0; back--) {
      const lines = random.integer(400, 2600)
      const rejected = refusals[back]?.length ?? 0
      await deliver(deps, tx, {
        back,
        row: {
          received_at: new Date(last_ms - back * every_ms),
          duration_ms: random.integer(90, 400),
          actor,
          content_type: 'application/x-ndjson',
          content_encoding: 'gzip',
          mapping: null,
          account_id: null,
          bytes: String(lines * random.integer(38, 46)),
          accepted: String(lines - rejected),
          duplicates: String(random.chance(0.1) ? random.integer(20, 200) : 0),
          rejected: String(rejected),
          newest_call_at: new Date(last_ms - back * every_ms - random.integer(120, 600) * 1000),
          failure: back === cut_off ? 'The gzip body is damaged or cut off. Send it again.' : null,
        },
      })
    }
  })
}

type Row = Omit<Parameters<typeof insertIngest>[1], 'received_at'> & { received_at: Date }

async function deliver(deps: Deps, tx: Tx, { back, row }: { back: number; row: Row }): Promise<void> {
  const refused = refusals[back]
  if (refused === undefined) return void (await insertIngest(tx, row))
  const lines = refused.map(([messages, record], i) =>
    JSON.stringify({ line: 118 + 61 * i, messages, text: JSON.stringify(record) }),
  )
  const file = await deps.files.stage(Readable.from([`${lines.join('\n')}\n`]))
  try {
    const expires_at = new Date(row.received_at.getTime() + ingestLimits.refused_life_ms)
    const { id } = await insertIngest(tx, {
      ...row,
      refused_lines: refused.length,
      refused_sha256: file.digest,
      refused_bytes: String(file.bytes),
      refused_expires_at: expires_at,
    })
    await keepFile(tx, file)
    if (expires_at > deps.clock.now()) await schedule(tx, expireIngestJob, id, expires_at)
    else await makeUpGivenUp(tx, id, expires_at)
  } finally {
    await file.discard()
  }
}

/**
 * Leaves the job in the state after its last failed attempt, although none was made: nothing in the demo fails twenty times in
 * a row, and operators should see what that looks like. A retry is real and does the work.
 */
async function makeUpGivenUp(tx: Tx, key: string, due_at: Date): Promise<void> {
  const dead_at = new Date(due_at.getTime() + 20 * hour_ms)
  const last_error = 'Error: (made up for the demo) EROFS: read-only file system, unlink'
  const job = { kind: expireIngestJob, key, due_at, dead_at, last_error, attempts: 20, failures: 20 }
  await tx
    .insertInto('job')
    .values({
      ...job,
      again: false,
      locked_by: null,
      locked_until: null,
      waits_since: null,
      account_id: null,
      size: '0',
    })
    .execute()
}
