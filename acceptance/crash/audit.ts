import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { object } from './json.ts'
import { allProcesses, usersOf } from '../support/processes.ts'
import { quiet } from './quiet.ts'
import type { Audited } from './service.ts'
import { moveClock, type World } from './world.ts'

/** Invariants that hold regardless of the requests: audit log, jobs, processes, files, alerts, and tables. */

interface ChainRow {
  chain_id: string
  sequence: string
  at_ms: string
  actor: string
  type: string
  subject_type: string
  subject_id: string
  data: string
  notification: string | null
  /** Null if the details were erased. */
  salt: Buffer | null
  content_hash: Buffer
  hash: Buffer
}

/** Housekeeping is daily. */
const day_s = 86_400

export class Audit {
  readonly #world: World
  readonly #service: Audited
  readonly #tables: string[]
  /** Jobs in the demo data that failed permanently before any fault. */
  readonly #stuck_before: readonly string[]
  /** Audit-log events at the last check. */
  events = 0

  static async open(world: World, service: Audited): Promise<Audit> {
    return new Audit(world, service, await tablesOf(world), await stuckJobs(world))
  }

  private constructor(world: World, service: Audited, tables: string[], stuck_before: readonly string[]) {
    this.#world = world
    this.#service = service
    this.#tables = tables
    this.#stuck_before = stuck_before
  }

  /** Call it while no work is left. Advances the clock by a day, so that the service cleans up. */
  async check(): Promise<void> {
    await this.#checkChains()
    await this.#checkJobs()
    this.#checkProcesses()
    await this.#checkTables()
    await this.#checkFiles()
    await this.#checkAlerts()
  }

  /** Every chain: numbered without gaps, each hash recomputed from its row and the previous hash. */
  async #checkChains(): Promise<void> {
    const { database, findings, http, operator } = this.#world
    const rows = await database.rows<ChainRow>(`
      select chain_id, sequence, (extract(epoch from occurred_at) * 1000)::bigint as at_ms, actor, type, subject_type,
        subject_id, data::text, notification::text, salt, content_hash, hash
      from event order by chain_id, sequence`)
    this.events = rows.length
    let previous: ChainRow | undefined
    for (const row of rows) {
      const first = previous?.chain_id !== row.chain_id
      const sequence = first ? 1 : Number(previous?.sequence) + 1
      const where = `event ${row.sequence} of chain ${row.chain_id}`
      if (Number(row.sequence) !== sequence) findings.lose(`an event: ${where} follows ${sequence - 1}`)
      const hash = hashOf(row, first ? Buffer.alloc(0) : (previous?.hash ?? Buffer.alloc(0)))
      findings.expect(hash.equals(row.hash), `${where} has another hash than its content`)
      previous = row
    }
    for (const chain of new Set(rows.map((row) => row.chain_id))) {
      const query = chain === '0' ? {} : { account_id: chain }
      const { intact } = object(object(await http.read({ operation: 'verifyEvents', by: operator, query }))['data'])
      findings.expect(intact === true, `the service finds chain ${chain} broken`)
    }
  }

  async #checkJobs(): Promise<void> {
    const stuck = await stuckJobs(this.#world)
    for (const what of stuck)
      if (!this.#stuck_before.includes(what)) this.#world.findings.wrong(`a job that is dead or held: ${what}`)
  }

  #checkProcesses(): void {
    const { data } = this.#service
    // listed before and after the tree, because servers start and end processes at any time
    const before = new Set(usersOf(data).map(({ pid }) => pid))
    const tree = this.#service.tree()
    const own = new Set(tree.map(({ pid }) => pid))
    for (const { pid, command } of usersOf(data))
      if (before.has(pid) && !own.has(pid))
        this.#world.findings.wrong(`process ${pid} has no parent in the service: ${command}`)
    for (const { pid, state, command } of tree)
      this.#world.findings.expect(state !== 'T', `process ${pid} is stopped: ${command}`)
  }

  async #checkTables(): Promise<void> {
    const { database, findings } = this.#world
    const tables = await tablesOf(this.#world)
    for (const name of tables) findings.expect(this.#tables.includes(name), `table ${name} was left`)
    const [streets] = await database.rows<{ count: string }>(
      'select count(*) from e911_street where dataset_id not in (select id from e911_dataset)',
    )
    findings.expect(streets?.count === '0', `${streets?.count} streets of no dataset`)
  }

  /** Faults lose nothing, so the service's own checks must not find anything missing. */
  async #checkAlerts(): Promise<void> {
    for (const { message } of await this.#world.database.rows<{ message: string }>('select message from alert'))
      this.#world.findings.wrong(`an alert: ${message}`)
  }

  /** Unreferenced files are deleted; referenced files are intact, byte for byte. */
  async #checkFiles(): Promise<void> {
    const { findings, database } = this.#world
    const folder = path.join(this.#service.data, 'files')
    await moveClock(this.#world, day_s)
    await quiet(this.#world, this.#service)
    const needed = new Set((await database.rows<{ sha256: string }>(needed_files)).map(({ sha256 }) => sha256))
    const found = new Set<string>()
    for (const file of await filesIn(folder)) {
      const name = path.basename(file)
      if (path.basename(path.dirname(file)) === 'tmp') {
        findings.wrong(await describeDraft(file))
        continue
      }
      found.add(name)
      findings.expect(needed.has(name), `file ${path.relative(folder, file)} belongs to no row`)
      findings.expect((await digestOf(file)) === name, `file ${name} has other bytes`)
    }
    for (const name of needed) if (!found.has(name)) findings.lose(`file ${name}, which a row refers to`)
    for (const name of await readdir(this.#service.temp))
      findings.wrong(`${name} was left in the folder for temporary files`)
  }
}

/** Call it while no work is left: before that, uploaded files also exist. */
const needed_files = `
  select sha256 from cdr_export where sha256 is not null and file_removed_at is null
  union select sha256 from e911_validation where sha256 is not null and expired_at is null
  union select sha256 from port_order_document where sha256 is not null
  union select refused_sha256 from cdr_ingest where refused_sha256 is not null
  union select sha256 from cdr_cold_file`

/** As the threat model defines it: SHA-256 over the previous hash and the row as a JSON array, with its details as a salted hash. */
function hashOf(row: ChainRow, before: Buffer): Buffer {
  const details = row.salt === null ? row.content_hash : sha256(row.salt, [row.data, row.notification ?? 'null'])
  const texts = [row.actor, row.type, row.subject_type, row.subject_id, details.toString('hex')]
  return sha256(before, [row.chain_id, row.sequence, row.at_ms, ...texts.map((each) => JSON.stringify(each))])
}

const sha256 = (before: Buffer, values: readonly string[]): Buffer =>
  createHash('sha256')
    .update(before)
    .update(`[${values.join(', ')}]`)
    .digest()

async function stuckJobs({ database }: World): Promise<string[]> {
  const rows = await database.rows<{ what: string }>(`
    select kind || ' ' || key || ': ' || coalesce(last_error, 'no error') as what from job
    where dead_at is not null or locked_until is not null`)
  return rows.map(({ what }) => what)
}

async function tablesOf({ database }: World): Promise<string[]> {
  const rows = await database.rows<{ name: string }>(
    "select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace",
  )
  return rows.map(({ name }) => name)
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
}

/** An unfinished file is named after the process that writes it, which tells a request that never ended from a missed sweep. */
async function describeDraft(file: string): Promise<string> {
  const { size, mtimeMs } = await stat(file)
  const pid = Number(path.basename(file).split('-')[1])
  const writer = allProcesses().find((each) => each.pid === pid)
  const described = writer
    ? `process ${pid}, ${writer.state}: ${writer.command.slice(0, 100)}`
    : `process ${pid}, ended`
  const age_s = Math.round((Date.now() - mtimeMs) / 1000)
  return `the unfinished file tmp/${path.basename(file)} was left: ${size} bytes, written ${age_s} s ago by ${described}`
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  return hash.digest('hex')
}
