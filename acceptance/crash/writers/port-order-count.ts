import type { Findings } from '../findings.ts'
import { isObject, object, type Json, type Resource } from '../json.ts'
import { documentOf } from '../receiver.ts'
import { sha256 } from '../records.ts'
import type { Found, Expected, Model } from '../model.ts'
import { listAll, type Account, type World } from '../world.ts'

/** Counts port orders, with their documents, their events, their callbacks, and the numbers that arrived. */

export interface OrderModel {
  model: Model
  /** Marks of the orders that were changed since the last count. */
  changed: Set<string>
}

/** Events that notify a status URL. */
const transitions = ['signed', 'submitted', 'accepted', 'rejected', 'resubmitted', 'completed', 'canceled'].map(
  (verb) => `portorder.${verb}`,
)

interface Event {
  id: string
  type: string
}

export async function countOrders(
  world: World,
  { keys: by }: Account,
  { model, changed }: OrderModel,
  findings: Findings,
): Promise<void> {
  const { http } = world
  const orders = await listAll(http, by, 'listPortOrders')
  const known = new Map(model.all().map((expected) => [expected.mark, expected]))
  const found: Found[] = []
  for (const order of orders) {
    const mark = String(order.attributes['alias'])
    const params = { portorder_id: order.id }
    const events = changed.has(mark) ? await eventsOf(world, by, params) : null
    const history = events?.map(({ type }) => type) ?? known.get(mark)?.fields.get('history')?.[0]
    found.push({ id: order.id, mark, fields: { ...fieldsOf(order), history } })
    if (events === null) continue
    checkCallbacks(world, order, events, findings)
    checkFiles(await listAll(http, by, 'listPortOrderFiles', { params }), findings)
  }
  model.compare(found, findings)
  for (const expected of model.all())
    if (expected.there === 'no' && world.receiver.at(urlOf(world, expected)).length > 0)
      findings.wrong(`a callback of ${expected.mark}, which is not there`)
  await checkNumbers(world, by, model, findings)
  changed.clear()
}

const urlOf = ({ receiver }: World, { mark }: Pick<Expected, 'mark'>) => receiver.url(`/${mark.replace(' ', '/')}`)

function fieldsOf({ attributes }: Resource): Json {
  const documents = listOf(attributes['business_documents'], 'filename')
  const ours = documents.filter((name) => /^(uploaded|pulled)-/.test(name))
  const statuses = new Set(listOf(attributes['business_documents'], 'status'))
  return {
    status: attributes['status'],
    provider_account: attributes['provider_account'],
    preset_alias: object(attributes['presets'])['alias'],
    numbers: attributes['numbers'],
    comments: listOf(attributes['comments'], 'text'),
    documents: statuses.has('failed') ? 'failed' : ours,
    loas: documents.length - ours.length,
  }
}

/** One member of each object in a list, in order. */
function listOf(list: unknown, name: string): string[] {
  return Array.isArray(list) ? list.map((each) => String(object(each)[name])).sort() : []
}

async function eventsOf({ http }: World, by: Account['keys'], params: Record<string, string>): Promise<Event[]> {
  const events = await listAll(http, by, 'getPortOrderTimeline', { params })
  return events
    .map(({ id, attributes }) => ({ id, type: String(attributes['event_type']) }))
    .filter(({ type }) => transitions.includes(type))
}

/** Each status change sends one event with its own id. */
function checkCallbacks(world: World, order: Resource, events: readonly Event[], findings: Findings): void {
  const mark = String(order.attributes['alias'])
  const callbacks = world.receiver.at(urlOf(world, { mark }))
  const expected = new Map(events.map(({ id, type }) => [`evt_${id}`, type]))
  for (const [id, type] of expected)
    if (!callbacks.some((each) => each.id === id)) findings.lose(`the callback ${id} (${type}) of ${mark}`)
  for (const { id, type } of callbacks)
    if (expected.get(id) !== type)
      findings.double(`a callback ${id} (${type}) of ${mark}, of which there is no such event`)
}

/** Documents have the bytes that were sent or pulled. */
function checkFiles(files: readonly Resource[], findings: Findings): void {
  for (const { id, attributes } of files) {
    if (attributes['source'] === 'service') continue
    const name = String(attributes['file'])
    const expected = sha256(documentOf(`/documents/${name}`))
    const isIntact = attributes['status'] === 'complete' && attributes['sha256'] === expected
    findings.expect(
      isIntact,
      `document ${id} (${name}): ${String(attributes['status'])}, ${String(attributes['failure_reason'])}`,
    )
  }
}

/** The numbers of completed orders are on the account once, under their preset aliases; no other numbers are. */
async function checkNumbers({ http }: World, by: Account['keys'], model: Model, findings: Findings): Promise<void> {
  const arrived = new Map<string, unknown>()
  for (const { there, fields } of model.all()) {
    const numbers = fields.get('numbers')?.[0]
    if (there !== 'yes' || fields.get('status')?.[0] !== 'Completed' || !Array.isArray(numbers)) continue
    for (const number of numbers) arrived.set(String(number).slice(1), fields.get('preset_alias')?.[0])
  }
  const found = new Set<string>()
  for (const { id, attributes } of await listAll(http, by, 'listNumbers')) {
    if (found.has(id)) findings.double(`number ${id}`)
    found.add(id)
    if (!arrived.has(id)) findings.wrong(`number ${id} is on the account, and no order with it is complete`)
    const alias = isObject(attributes) ? attributes['alias'] : null
    if (arrived.has(id) && alias !== arrived.get(id))
      findings.lose(`number ${id} has the alias ${String(alias)}, and ${String(arrived.get(id))} was preset`)
  }
  for (const number of arrived.keys()) if (!found.has(number)) findings.lose(`number ${number} of a completed order`)
}
