import { setTimeout as sleep } from 'node:timers/promises'
import { finalStatuses, portOrders, type DemarcClient } from '@demarc/client'
import { portOrderIds } from '../../complete-ids.ts'
import type { Context } from '../../context.ts'
import { timedOut, usage } from '../../failure.ts'
import type { Input } from '../../input.ts'
import type { Item } from '../../output.ts'
import { textOf } from '../../table.ts'
import { shared, type Verb } from '../../verb.ts'
import { oneLine, visible } from '../../visible.ts'

/** Statuses in which an order no longer changes. */
const final: readonly string[] = finalStatuses

export const watchPort: Verb = {
  name: 'watch',
  summary: 'Follow the timeline of a port order',
  description: 'Ends when the order is final or reaches the status in --until.',
  operations: ['getPortOrder', 'getPortOrderTimeline'],
  arguments: [{ name: 'order', summary: 'ID of the port order', complete: portOrderIds }],
  options: [
    { name: 'until', value: 'status', summary: 'Also end at this status', choices: portOrders.portOrderStatuses },
    shared.timeout,
  ],
  examples: ['port watch 7', 'port watch 7 --until Accepted --timeout 2h', 'port watch 7 --ndjson'],
  async run(context, input) {
    const client = await context.client()
    const portorder_id = input.argument('order')
    const events = watch(context, client, portorder_id, input)
    if (context.output.format !== 'table') return context.output.list(events, ['occurred_at', 'event', 'by', 'details'])
    for await (const { occurred_at, event, by, details } of events)
      await context.output.bytes(eventLine(occurred_at, event, by, details))
  },
}

const eventLine = (at: unknown, event: unknown, by: unknown, details: unknown): string =>
  `${visible(oneLine(`${String(at)}  ${String(event).padEnd(event_width)}  ${String(by).padEnd(by_width)}  ${String(details)}`))}\n`

const event_width = 22
const by_width = 8
/** Fields left out of a line: digests and versions are evidence of the signature, not for reading. */
const proofs = /_sha256$|_version$/

const pause_ms = 1_000

/** Prints events as they happen until the order is final. */
async function* watch(
  context: Context,
  client: DemarcClient,
  portorder_id: string,
  input: Input,
): AsyncGenerator<Item> {
  const timeout_ms = input.duration_ms('timeout') ?? Number.POSITIVE_INFINITY
  const until = input.text('until')
  const deadline = performance.now() + timeout_ms
  let seen = 0
  let said = ''
  for (;;) {
    // reads the order first; an event in between is shown with the next ones
    const { status, next } = (await client.getPortOrder({ params: { portorder_id } })).body.data.attributes
    for await (const event of client.getPortOrderTimeline.all({ params: { portorder_id }, query: { offset: seen } })) {
      seen++
      yield shownEvent(event.attributes)
    }
    if (status === until) return
    if (final.includes(status)) {
      if (until === undefined) return
      throw usage('--until', `Order ${portorder_id} is ${status}, which is final, so it cannot become ${until}.`)
    }
    const waiting = `${status}. ${next.what}${next.due_at === null ? '' : ` Until ${next.due_at}.`}`
    if (waiting !== said) await context.remark(waiting)
    said = waiting
    const left_ms = deadline - performance.now()
    if (left_ms <= 0)
      throw timedOut(
        `Order ${portorder_id} is still ${status}.`,
        `To keep watching, run demarc port watch ${portorder_id}.`,
      )
    await sleep(Math.min(pause_ms, left_ms), undefined, { signal: context.signal })
  }
}

interface TimelineEvent {
  event_type: string
  occurred_at: string
  by: string
  data: Readonly<Record<string, unknown>>
}

const shownEvent = ({ event_type, occurred_at, by, data }: TimelineEvent): Item => ({
  occurred_at,
  event: event_type.replace(/^portorder\./, ''),
  by,
  details: Object.entries(data)
    .filter(([name, value]) => value !== null && value !== '' && !proofs.test(name))
    .map(([name, value]) => `${name}: ${textOf(value)}`)
    .join(', '),
  data,
})
