import type { Db } from '../platform/db.ts'
import { health, jobs, operator as api } from '@demarc/client'
import { listAccounts, requireAccount } from '../accounts/index.ts'
import { createCoverage } from '../engines/street-data/index.ts'
import { timeText, type MovableClock } from '../platform/clock.ts'
import { namedPeople, type NamedPerson } from '../people/index.ts'
import { personOf } from '../platform/actor.ts'
import { listEvents, operatorChain, verifyChain } from '../platform/events.ts'
import type { Deps } from '../platform/context.ts'
import { bind, link, type Binding, type Routes } from '../platform/http/binding.ts'
import { paged, pageOf } from '../platform/http/pages.ts'
import { listAlerts } from '../platform/alerts.ts'
import { problem } from '../platform/problem.ts'
import { countJobKinds, countJobStates, listJobs, type ListedJob } from '../platform/job-list.ts'
import { moveClock, retryJob } from './actions.ts'
import { checkDependencies, type Dependencies } from './health.ts'
import { summariesOf } from './summaries.ts'
import { commit, version } from './version.ts'

interface OperatorDependencies extends Omit<Dependencies, 'coverage' | 'folders'> {
  movable: MovableClock | null
  config: { mode: string }
  database: { db: Db }
  installation: { folders: string[] }
}

export const operatorRoutes =
  (runtime: OperatorDependencies): Routes =>
  (deps) => [
    ...healthBindings(runtime),
    summaryBinding(deps),
    ...auditBindings,
    ...jobBindings,
    alertBinding,
    ...clockBindings(runtime),
  ]

const healthBindings = (runtime: OperatorDependencies): Binding[] => {
  const coverage = createCoverage(runtime.database.db)
  return [
    bind(health.live, async () => ({ body: { status: 'live' as const, version, commit } })),
    bind(health.ready, async ({ context }) => {
      const { phase, warehouse, config, isListening } = runtime
      const { folders } = runtime.installation
      const found = await checkDependencies({ phase, isListening, warehouse, coverage, folders }, context)
      const failing = Object.entries(found).filter(([, { status }]) => status === 'failing')
      if (failing.length > 0)
        throw problem(
          'not-ready',
          failing.map(([name, { detail }]) => `${name} ${detail ?? 'is failing'}`).join('; '),
          { headers: { 'retry-after': '2' } },
        )
      return { body: { status: 'ready' as const, version, commit, mode: config.mode, parts: found } }
    }),
  ]
}

const summaryBinding = (deps: Deps): Binding =>
  bind(api.listAccountSummaries, async ({ context, query, self }) => {
    const page = pageOf(query, 10)
    const { search, account_id } = query
    const rows = await listAccounts(context.tx, context.actor, { search, id: account_id, ...page.fetch })
    const summary = await summariesOf(context, rows)
    return {
      body: paged(
        self,
        page,
        rows.map((row) => ({
          type: 'account_summary' as const,
          id: row.id,
          attributes: summary(row),
          links: { self: link(deps, `/operator/accounts/${row.id}`) },
        })),
      ),
    }
  })

const auditBindings: readonly Binding[] = [
  bind(api.listEvents, async ({ context, query, self }) => {
    const page = pageOf(query, 10)
    const { account_id, event_type, subject_type, subject_id, actor } = query
    const [from, before] = [query.from, query.before].map((time) => (time === undefined ? undefined : new Date(time)))
    const filter = { chain_id: account_id, type: event_type, subject_type, subject_id, actor, from, before }
    const rows = await listEvents(context.tx, { ...filter, ...page.fetch })
    const people = await namedPeople(context.tx, [...new Set(rows.flatMap((row) => personOf(row.actor) ?? []))])
    return {
      body: paged(
        self,
        page,
        rows.map((row) => eventResource(row, people)),
      ),
    }
  }),
  bind(api.verifyEvents, async ({ context, query: { account_id } }) => {
    if (account_id !== undefined) await requireAccount(context, account_id)
    const { first_at, last_at, ...checked } = await verifyChain(context.tx, account_id ?? operatorChain)
    const times = { first_at: timeText(first_at), last_at: timeText(last_at) }
    return { body: { data: { ...checked, ...times } } }
  }),
]

const eventResource = (
  row: Awaited<ReturnType<typeof listEvents>>[number],
  people: ReadonlyMap<string, NamedPerson>,
) => ({
  type: 'event' as const,
  id: row.id,
  attributes: {
    account_id: row.chain_id === operatorChain ? null : row.chain_id,
    sequence: Number(row.sequence),
    occurred_at: timeText(row.occurred_at),
    actor: row.actor,
    person: people.get(personOf(row.actor) ?? '') ?? null,
    event_type: row.type,
    subject_type: row.subject_type,
    subject_id: row.subject_id,
    data: row.data,
    hash: row.hash.toString('hex'),
  },
})

const jobBindings: readonly Binding[] = [
  bind(jobs.listJobs, async ({ context, query, self }) => {
    const page = pageOf(query, 10)
    const now = context.clock.now()
    const { state, kind, account_id } = query
    const rows = await listJobs(context.tx, now, { state, kind, account_id }, page.fetch)
    return { body: { ...paged(self, page, rows.map(jobResource)), meta: await countJobStates(context.tx, now) } }
  }),
  bind(jobs.listJobKinds, async ({ context, self }) => {
    const now = context.clock.now()
    const kinds = await countJobKinds(context.tx, now)
    const data = kinds.map(({ kind, oldest_due_at, ...counts }) => ({
      type: 'job_kind' as const,
      id: kind,
      attributes: {
        ...counts,
        oldest_due_at: timeText(oldest_due_at),
        late_s: Math.floor((now.getTime() - (oldest_due_at ?? now).getTime()) / 1000),
      },
    }))
    return { body: { data, links: { self } } }
  }),
  bind(jobs.retryJob, async ({ context, params }) => ({
    body: { data: jobResource(await retryJob(context, params.job_id)) },
  })),
]

const jobResource = ({ kind, key, account_id, state, due_at, attempts, failures, last_error, ...job }: ListedJob) => ({
  type: 'job' as const,
  id: `${kind}:${key}`,
  attributes: {
    kind,
    key,
    account_id,
    state,
    due_at: timeText(due_at),
    attempts,
    failures,
    last_error,
    worker: job.locked_by,
    dead_at: timeText(job.dead_at),
  },
})

const alertBinding: Binding = bind(api.listAlerts, async ({ context, query, self }) => {
  const page = pageOf(query, 10)
  const rows = await listAlerts(context.tx, { state: query.state ?? 'open', ...page.fetch })
  const data = rows.map(({ id, raised_at, resolved_at, ...alert }) => ({
    type: 'alert' as const,
    id,
    attributes: { ...alert, raised_at: timeText(raised_at), resolved_at: timeText(resolved_at) },
  }))
  return { body: paged(self, page, data) }
})

const clockBindings = ({ movable }: OperatorDependencies): Binding[] => {
  const clock = (): MovableClock => {
    if (movable) return movable
    throw problem('not-found', 'The clock can be read and moved in demo mode only.')
  }
  return [
    bind(api.getClock, async () => ({ body: { data: { now: clock().now().toISOString() } } })),
    bind(api.moveClock, async ({ context, body }) => ({
      body: { data: { now: (await moveClock(context, clock(), body)).toISOString() } },
    })),
  ]
}
