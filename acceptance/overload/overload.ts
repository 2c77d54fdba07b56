import { fork } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { authorization, timed } from '../support/timed-http.ts'
import { addNumbers } from '../support/cast.ts'
import type { Service } from '../support/service.ts'
import type { Load } from './generator.ts'
import { nth, type Target } from './mix.ts'
import { Sampler } from './sampler.ts'
import type { Summary } from './tally.ts'
import { environment } from '../support/environment.ts'

export interface Overload {
  /** Requests per second that a closed loop achieved. */
  sustained: number
  calibration: Summary
  load: Summary
  sampler: Sampler
  /** The longest event loop delay that the API reports. */
  loop_delay_ms: number
  /** From the end of the load until the service is ready and responds to every kind of request within `ordinary_ms`. */
  recovery_ms: number
  /** Accepted exports, and how long after the load the last one was completed. */
  exports: number
  exports_ms: number
}

const clients = 16
const times = 3
/** A slower response is not an ordinary one. */
const ordinary_ms = 1_000
/** Only a hang takes this long. */
const after_ms_max = 120_000
/** This many requests include every kind. */
const one_of_each = 1_000

/** Measures the sustainable load, sends three times as much for this many seconds, and checks the service afterward. */
export async function overload(service: Service, seconds: number, calibration_s: number): Promise<Overload> {
  const { process: own } = service
  if (!own) throw new Error('A service of its own is needed.')
  const targets = await targetsOf(service)
  const base = { base_url: service.base_url, targets }
  const calibration = await generate({ ...base, seconds: calibration_s, pace: { clients } })
  const sustained = calibration.accepted / calibration.seconds
  const { summary } = await startGenerator({ ...base, seconds, pace: { rate: times * sustained } })
  const sampler = new Sampler(own.pid, Math.min(2_000, (seconds * 1000) / 20))
  const load = await summary
  sampler.stop()
  const loop_delay_ms = await loopDelay(service)
  const ended = performance.now()
  const recovery_ms = await untilOrdinary(service, targets)
  for (const export_id of load.exports) await untilCompleted(service, export_id, ended)
  const exports = load.exports.length
  return {
    sustained,
    calibration,
    load,
    sampler,
    loop_delay_ms,
    recovery_ms,
    exports,
    exports_ms: performance.now() - ended,
  }
}

/** At a fixed rate, without calibration or sampling. */
export async function refusals(service: Service, seconds: number, rate: number): Promise<Summary> {
  const [target] = await targetsOf(service)
  return generate({ base_url: service.base_url, targets: target ? [target] : [], seconds, pace: { rate } })
}

async function targetsOf(service: Service): Promise<Target[]> {
  const [number = ''] = await addNumbers(service, ['77'])
  const operator = authorization(service.keys.operator)
  const { account_id } = (await service.account.whoami()).body.data
  const [other] = (await service.other.listNumbers({ query: { limit: 1 } })).body.data
  const other_id = (await service.other.whoami()).body.data.account_id
  return [
    { own: authorization(service.keys.account), operator, account_id: account_id ?? '', number },
    { own: authorization(service.keys.other), operator, account_id: other_id ?? '', number: String(other?.id ?? '') },
  ]
}

const generate = async (load: Load): Promise<Summary> => (await startGenerator(load)).summary

/** Resolves when the generator has opened its connections and begins. */
async function startGenerator(load: Load): Promise<{ summary: Promise<Summary> }> {
  const child = fork(new URL('generator.ts', import.meta.url), { env: environment })
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`The generator ended with ${code}.`)
  })
  exited.catch(() => undefined)
  const message = () => Promise.race([once(child, 'message'), exited])
  child.send(load)
  await message()
  // the only other message that it sends
  return { summary: message().then(([made]) => made as Summary) }
}

async function loopDelay({ base_url }: Service): Promise<number> {
  const text = await (await fetch(`${base_url}/metrics`)).text()
  return Math.round(Number(/^demarc_nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1] ?? 0) * 1000)
}

async function untilOrdinary({ base_url }: Service, targets: readonly Target[]): Promise<number> {
  const began = performance.now()
  const agent = new http.Agent({ keepAlive: true })
  const kinds = new Map(Array.from({ length: one_of_each }, (_, n) => [nth(targets, n).name, nth(targets, n).attempt]))
  kinds.set('readiness', { method: 'GET', path: '/health/ready' })
  kinds.delete('new export')
  for (const attempt of kinds.values())
    for (;;) {
      const { status, ms } = await timed(agent, base_url, attempt, after_ms_max)
      if (status !== null && status < 300 && ms < ordinary_ms) break
      if (performance.now() - began > after_ms_max) throw new Error(`Not as before: ${attempt.path} is ${status}.`)
      await sleep(50)
    }
  agent.destroy()
  return performance.now() - began
}

async function untilCompleted({ operator }: Service, export_id: string, since: number): Promise<void> {
  for (;;) {
    const { status } = (await operator.getCdrExport({ params: { export_id } })).body.data.attributes
    if (status === 'completed') return
    if (status !== 'processing') throw new Error(`Export ${export_id} is ${status}.`)
    if (performance.now() - since > after_ms_max) throw new Error(`Export ${export_id} is still processing.`)
    await sleep(100)
  }
}
