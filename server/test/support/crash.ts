import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { DemarcError, type ResponseBody, type cdrs } from '@demarc/client'
import { loadFactor } from '../../src/platform/patience.ts'
import { verified, type Receiver } from './receiver.ts'
import { isThere, startService, type ProcessName, type Service } from './service.ts'
import { eventually } from './eventually.ts'

/** Kills one process of the service while an export is in progress, and checks the outcome. */

export const stages = ['requested', 'building', 'writing', 'callback pending'] as const
export type Stage = (typeof stages)[number]

type Export = ResponseBody<typeof cdrs.getCdrExport>['data']

/** How long other processes may run after the main process was killed, on an idle machine. */
const exit_timeout_ms = 10_000

/** Waits until processes have ended by themselves. */
export const untilGone = (pids: readonly number[]) =>
  eventually(() => !pids.some(isThere), exit_timeout_ms * loadFactor())

/** Requests an export of the reseller's whole history, which takes long enough to kill a process during it. */
async function requestExport({ other }: Service, callback_url: string | null): Promise<string> {
  const filter_parameters = { start_call_start_time: '2000-01-01 00:00:00', start_call_end_time: '2100-01-01 00:00:00' }
  const body = { data: { type: 'cdrexport', attributes: { callback_url, filter_parameters } } }
  return (await other.createCdrExport({ body })).body.data.id
}

/** Waits for the end of an export. */
async function ended(service: Service, export_id: string): Promise<Export> {
  let found: Export | undefined
  await eventually(async () => {
    const { body } = await retryUnavailable(() => service.other.getCdrExport({ params: { export_id } }))
    found = body.data
    return found.attributes.status !== 'processing'
  })
  assert.ok(found)
  assert.equal(found.attributes.status, 'completed', String(found.attributes.failure_reason))
  return found
}

/** Retries while the response is a 503. */
async function retryUnavailable<T>(request: () => Promise<T>): Promise<T> {
  let result: { value: T } | undefined
  await eventually(async () => {
    try {
      result = { value: await request() }
      return true
    } catch (error) {
      if (error instanceof DemarcError && error.status === 503) return false
      throw error
    }
  })
  return result?.value ?? assert.fail()
}

/** The digest of the bytes that the link of an export leads to. */
async function downloaded({ attributes }: Export): Promise<string> {
  const response = await fetch(attributes.download_url ?? assert.fail('no link'))
  assert.equal(response.status, 200)
  return createHash('sha256')
    .update(Buffer.from(await response.arrayBuffer()))
    .digest('hex')
}

/** The digest of the same export when no process is killed. */
export async function uninterruptedDigest(service: Service): Promise<string> {
  return await downloaded(await ended(service, await requestExport(service, null)))
}

export interface KillResult {
  victim: ProcessName
  stage: Stage
  /** From the kill until the export was completed and its callback received. */
  recovered_ms: number
  /** How often the callback was received: once, or again with the same id. */
  callbacks: number
}

/**
 * Requests an export, kills a process at a stage of it, restarts the service if that was its main process, and checks
 * that the export is completed exactly once, with the same file as an uninterrupted one, and its callback delivered.
 * Returns the service that runs afterward. `path` is that of the callback.
 */
export async function killAt(
  service: Service,
  receiver: Receiver,
  kill: { victim: ProcessName; stage: Stage; path: string; digest: string },
): Promise<{ service: Service; result: KillResult }> {
  const { victim, stage, digest } = kill
  let killed = false
  // no response until the kill, so that the callback is pending
  receiver.respond = ({ path: at }) =>
    stage === 'callback pending' && at === kill.path && !killed ? () => undefined : 204
  const id = await requestExport(service, receiver.url(kill.path))
  await reached(service, receiver, id, kill)
  const pid = service.pid(victim) ?? assert.fail(`no ${victim} runs`)
  const pids = service.pids()
  const began = performance.now()
  killed = true
  process.kill(pid, 'SIGKILL')
  const after = victim === 'main' ? await restart(service, pids) : service
  const done = await ended(after, id)
  const event_id = await delivered(after, id)
  const recovered_ms = Math.round(performance.now() - began)

  assert.equal(done.attributes.sha256, digest, 'the file of an uninterrupted export')
  assert.equal(await downloaded(done), digest)
  const { secret } = (await after.other.getSigningSecret()).body.data.attributes
  const requests = await receiver.waitFor(1, kill.path)
  for (const request of requests) {
    const payload = verified(request, secret) as { data: Export }
    assert.equal(payload.data.attributes.sha256, digest)
    assert.equal(request.headers['webhook-id'], `evt_${event_id}`)
  }
  return { service: after, result: { victim, stage, recovered_ms, callbacks: requests.length } }
}

/** Waits for a stage, or returns if it has passed: the kill may come at any moment. */
async function reached(
  service: Service,
  receiver: Receiver,
  export_id: string,
  { stage, path: at }: { stage: Stage; path: string },
): Promise<void> {
  if (stage === 'requested') return
  if (stage === 'callback pending') return void (await receiver.waitFor(1, at))
  const passed = async () => {
    const { body } = await service.other.getCdrExport({ params: { export_id } })
    return body.data.attributes.status !== 'processing'
  }
  // the worker first creates a draft, then writes rows into it
  await eventually(
    async () => draftSizes(service).some((bytes) => stage === 'building' || bytes > 0) || (await passed()),
  )
}

function draftSizes({ folder }: Service): number[] {
  const drafts = path.join(folder, 'data', 'files', 'tmp')
  return readdirSync(drafts).flatMap((name) => statSync(path.join(drafts, name), { throwIfNoEntry: false })?.size ?? [])
}

/** Waits until the other processes of a killed main process have exited, then starts the service over the same data. */
async function restart(service: Service, pids: readonly number[]): Promise<Service> {
  await untilGone(pids)
  return await startService(service.folder)
}

/** Waits until the one notification of the one completion is delivered; returns the event's id. */
async function delivered({ operator }: Service, export_id: string): Promise<string> {
  const query = { subject_type: 'cdrexport', subject_id: export_id }
  const { data: events } = (await retryUnavailable(() => operator.listEvents({ query }))).body
  assert.deepEqual(
    events.map((e) => e.attributes.event_type),
    ['cdrexport.completed', 'cdrexport.requested'],
  )
  const event_id = events[0]?.id ?? assert.fail()
  await eventually(async () => {
    const { data } = (await retryUnavailable(() => operator.listNotificationsAsOperator({ query: { limit: 20 } }))).body
    const notifications = data.filter((n) => n.attributes.event_id === event_id)
    assert.ok(notifications.length <= 1, 'one notification per event')
    return notifications[0]?.attributes.status === 'delivered'
  })
  return event_id
}
