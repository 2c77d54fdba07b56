import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { DemarcError, type AnswerBody, type cdrs } from '@demarc/client'
import { verified, type Receiver } from './receiver.ts'
import { isThere, startService, until, type ProcessName, type Service } from './service.ts'

/** Killing one process of the service while an export is under way, and what must hold afterwards. */

export const stages = ['requested', 'building', 'writing', 'callback pending'] as const
export type Stage = (typeof stages)[number]

type Export = AnswerBody<typeof cdrs.getCdrExport>['data']

/** How long processes may outlive a main process that was killed. */
export const gone_within_ms = 10_000

/** Asks for the reseller's whole history: long enough in the making to be killed in the middle. */
async function ask({ other }: Service, callback_url: string | null): Promise<string> {
  const filter_parameters = { start_call_start_time: '2000-01-01 00:00:00', start_call_end_time: '2100-01-01 00:00:00' }
  const body = { data: { type: 'cdrexport', attributes: { callback_url, filter_parameters } } }
  return (await other.createCdrExport({ body })).body.data.id
}

/** Waits for the end of an export. */
async function ended(service: Service, export_id: string): Promise<Export> {
  let found: Export | undefined
  await until(async () => {
    const { body } = await patiently(() => service.other.getCdrExport({ params: { export_id } }))
    found = body.data
    return found.attributes.status !== 'processing'
  })
  assert.ok(found)
  assert.equal(found.attributes.status, 'completed', String(found.attributes.failure_reason))
  return found
}

/** Asks again while a part of the service is away, as its 503 says. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  let answer: { is: T } | undefined
  await until(async () => {
    try {
      answer = { is: await call() }
      return true
    } catch (error) {
      if (error instanceof DemarcError && error.status === 503) return false
      throw error
    }
  })
  return answer?.is ?? assert.fail()
}

/** The digest of the bytes that the link of an export leads to. */
async function downloaded({ attributes }: Export): Promise<string> {
  const response = await fetch(attributes.download_url ?? assert.fail('no link'))
  assert.equal(response.status, 200)
  return createHash('sha256')
    .update(Buffer.from(await response.arrayBuffer()))
    .digest('hex')
}

/** What the same export comes to when nobody is killed. */
export async function undisturbed(service: Service): Promise<string> {
  return await downloaded(await ended(service, await ask(service, null)))
}

export interface Round {
  victim: ProcessName
  stage: Stage
  /** From the kill until the export was completed and its callback there. */
  recovered_ms: number
  /** How often the callback came: once, or again with the same id. */
  callbacks: number
}

/**
 * Asks for an export, kills a process at a stage of it, starts the service again where that was its main process, and
 * checks that the export is completed exactly once, with the file that an undisturbed one has, and its callback delivered.
 * Gives the service that runs afterwards. `path` is the callback's own.
 */
export async function killAt(
  service: Service,
  receiver: Receiver,
  kill: { victim: ProcessName; stage: Stage; path: string; digest: string },
): Promise<{ service: Service; round: Round }> {
  const { victim, stage, digest } = kill
  let killed = false
  // the first answer is never given, so that the callback is pending for as long as that takes
  receiver.answer = ({ path: at }) =>
    stage === 'callback pending' && at === kill.path && !killed ? () => undefined : 204
  const id = await ask(service, receiver.url(kill.path))
  await reached(service, receiver, id, kill)
  const pid = service.pid(victim) ?? assert.fail(`no ${victim} runs`)
  const pids = service.pids()
  const began = performance.now()
  killed = true
  process.kill(pid, 'SIGKILL')
  const after = victim === 'main' ? await startAgain(service, pids) : service
  const done = await ended(after, id)
  const event_id = await delivered(after, id)
  const recovered_ms = Math.round(performance.now() - began)

  assert.equal(done.attributes.sha256, digest, 'the file that an undisturbed export has')
  assert.equal(await downloaded(done), digest)
  const { secret } = (await after.other.getSigningSecret()).body.data.attributes
  const arrivals = await receiver.come(1, kill.path)
  for (const arrival of arrivals) {
    const told = verified(arrival, secret) as { data: Export }
    assert.equal(told.data.attributes.sha256, digest)
    assert.equal(arrival.headers['webhook-id'], `evt_${event_id}`)
  }
  return { service: after, round: { victim, stage, recovered_ms, callbacks: arrivals.length } }
}

/** Waits for a stage. One that has passed already is as good: every moment must do. */
async function reached(
  service: Service,
  receiver: Receiver,
  export_id: string,
  { stage, path: at }: { stage: Stage; path: string },
): Promise<void> {
  if (stage === 'requested') return
  if (stage === 'callback pending') return void (await receiver.come(1, at))
  const passed = async () => {
    const { body } = await service.other.getCdrExport({ params: { export_id } })
    return body.data.attributes.status !== 'processing'
  }
  // a draft is the first trace of a worker at it; then rows are written into that
  await until(async () => draftSizes(service).some((bytes) => stage === 'building' || bytes > 0) || (await passed()))
}

function draftSizes({ folder }: Service): number[] {
  const drafts = path.join(folder, 'data', 'files', 'tmp')
  return readdirSync(drafts).flatMap((name) => statSync(path.join(drafts, name), { throwIfNoEntry: false })?.size ?? [])
}

/** Everything that belonged to a killed main process must go by itself; then the service is started over the same data. */
async function startAgain(service: Service, pids: readonly number[]): Promise<Service> {
  await until(() => !pids.some(isThere), gone_within_ms)
  return await startService(service.folder)
}

/** Waits until the one notification of the one completion is delivered; gives the event's id. */
async function delivered({ operator }: Service, export_id: string): Promise<string> {
  const query = { subject_type: 'cdrexport', subject_id: export_id }
  const { data: events } = (await patiently(() => operator.listEvents({ query }))).body
  assert.deepEqual(
    events.map((e) => e.attributes.event_type),
    ['cdrexport.completed', 'cdrexport.requested'],
  )
  const event_id = events[0]?.id ?? assert.fail()
  await until(async () => {
    const { data } = (await patiently(() => operator.listNotificationsAsOperator({ query: { limit: 20 } }))).body
    const told = data.filter((n) => n.attributes.event_id === event_id)
    assert.ok(told.length <= 1, 'one notification an event')
    return told[0]?.attributes.status === 'delivered'
  })
  return event_id
}
