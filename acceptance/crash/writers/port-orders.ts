import type { OperationName, Outcome, Sending } from '../http.ts'
import { object, one } from '../json.ts'
import { documentOf } from '../receiver.ts'
import { Model, type Expected } from '../model.ts'
import { newAccount, newCount, newMark, someKey, type Account, type World, type WriterKind } from '../world.ts'
import { countOrders, type OrderModel } from './port-order-count.ts'

/** Port orders through their whole lifecycle; the operator simulates the losing carrier. */

/** Open orders. */
const most_open = 6
const over = ['Completed', 'Canceled', 'Abandoned']

export const portOrders: WriterKind = {
  name: 'port orders',
  operations: [
    'createPortOrder',
    'updatePortOrder',
    'changePortOrderNumbers',
    'addPortOrderComment',
    'uploadPortOrderFile',
    'requestPortOrderFile',
    'cancelPortOrder',
    'submitLoa',
    'transitionPortOrder',
    'resubmitPortOrder',
  ],
  async open(world) {
    const account = await newAccount(world, 'port orders')
    const orders: OrderModel = { model: new Model('port order'), changed: new Set() }
    const steps = new Steps(world, account, orders)
    return {
      step: () => steps.next(),
      count: (findings) => countOrders(world, account, orders, findings),
    }
  },
}

/** A change of an order: the request, and the resulting fields. */
type Change = Omit<Sending, 'by' | 'key'> & { by?: Sending['by']; fields: Record<string, unknown> }

const newNumber = () => `+12065${String(newCount()).padStart(6, '0')}`
const attributes = (values: Record<string, unknown>) => ({ data: { type: 'portorder', attributes: values } })

class Steps {
  readonly #world: World
  readonly #account: Account
  readonly #orders: OrderModel

  constructor(world: World, account: Account, orders: OrderModel) {
    this.#world = world
    this.#account = account
    this.#orders = orders
  }

  async next(): Promise<void> {
    const { random } = this.#world
    const open = this.#orders.model.settled().filter((expected) => !over.includes(String(field(expected, 'status'))))
    if (open.length < most_open && random.chance(0.3)) return await this.#create()
    if (open.length === 0) return await this.#create()
    await this.#change(random.pick(open))
  }

  async #create(): Promise<void> {
    const { http, random, receiver } = this.#world
    const alias = newMark('order')
    const status_url = receiver.url(`/${alias.replace(' ', '/')}`)
    const numbers = [newNumber(), newNumber()]
    const json = attributes({
      alias,
      status_url,
      numbers,
      billing_name: 'Anna Berg',
      street: '88 Pine Street',
      city: 'Seattle',
      state: 'WA',
      zip: '98101',
      country: 'US',
      provider: 'Old Telephone Company',
      usage_type: 'Residential',
    })
    const by = this.#account.keys
    const outcome = await http.send({ operation: 'createPortOrder', by, json, key: someKey(random) })
    const fields = {
      status: 'Pending',
      provider_account: '',
      preset_alias: null,
      numbers,
      comments: [],
      documents: [],
      loas: 0,
      history: [],
    }
    this.#orders.model.created(alias, fields, outcome)
    this.#orders.changed.add(alias)
  }

  async #change(expected: Expected): Promise<void> {
    const { http, random } = this.#world
    const change = await this.#changeOf(expected, String(field(expected, 'status')))
    if (change === null) return
    const { fields, ...request } = change
    const takes_key = request.operation !== 'uploadPortOrderFile'
    const sending = { by: this.#account.keys, ...request, key: takes_key ? someKey(random) : undefined }
    sending.params = { portorder_id: expected.id ?? '', ...request.params }
    const outcome: Outcome = await http.send(sending)
    this.#orders.model.changed(expected, fields, outcome)
    this.#orders.changed.add(expected.mark)
  }

  /** The possible changes of an order in this status; null if it can't be changed now. */
  async #changeOf(expected: Expected, status: string): Promise<Change | null> {
    const { random } = this.#world
    const to = (next: string, verb: string, json = {}) => this.#transition(expected, next, verb, json)
    const reject = () => to('Rejected', 'rejected', { reason_code: 'pin_mismatch' })
    const accept = () => to('Accepted', 'accepted', { completion_date: '2099-06-16' })
    const edits = [() => details(), () => comment(expected), () => upload(expected), () => this.#pull(expected)]
    const choices: Record<string, (() => Change | Promise<Change | null>)[]> = {
      Pending: [
        ...edits,
        () => numbers(expected),
        () => presets(),
        () => this.#sign(expected),
        () => this.#sign(expected),
        () => cancel(expected, 'Canceled', random.chance(0.5)),
      ],
      Processing: [() => to('Submitted', 'submitted'), () => comment(expected), reject],
      Submitted: [accept, accept, reject, () => presets()],
      Accepted: [() => to('Completed', 'completed'), () => presets(), reject],
      Rejected: [
        () => resubmit(expected),
        () => resubmit(expected),
        () => details(),
        () => cancel(expected, 'Abandoned', random.chance(0.5)),
      ],
      Review: [() => to('Submitted', 'submitted'), () => comment(expected)],
    }
    return await random.pick(choices[status] ?? [() => comment(expected)])()
  }

  #transition(expected: Expected, status: string, verb: string, json: object): Change {
    const by = this.#world.operator
    return {
      operation: 'transitionPortOrder',
      by,
      json: { to: status, ...json },
      fields: moved(expected, status, verb),
    }
  }

  async #sign(expected: Expected): Promise<Change | null> {
    const params = { portorder_id: expected.id ?? '' }
    const body = await this.#world.http.read({ operation: 'getLoa', by: this.#account.keys, params })
    if (body === null) return null
    const form = object(object(body)['data'])
    const signature = { signature_name: 'Anna Berg', signature_title: 'Owner' }
    const json = { data: { ...form, attributes: { ...one(body).attributes, ...signature } } }
    return { operation: 'submitLoa', json, fields: { ...moved(expected, 'Processing', 'signed'), loas: 1 } }
  }

  #pull(expected: Expected): Change {
    const name = `${newMark('pulled').replace(' ', '-')}.pdf`
    const url = this.#world.receiver.url(`/documents/${name}`)
    return {
      operation: 'requestPortOrderFile',
      json: { url },
      fields: { documents: added(expected, 'documents', name) },
    }
  }
}

const field = (expected: Expected, name: string): unknown => expected.fields.get(name)?.[0]

/** A list of the order with one more entry. */
function added(expected: Expected, name: string, value: string): string[] {
  const list = field(expected, name)
  return [...(Array.isArray(list) ? list.map(String) : []), value].sort()
}

function moved(expected: Expected, status: string, verb: string): Record<string, unknown> {
  const history = field(expected, 'history')
  return { status, history: [...(Array.isArray(history) ? history : []), `portorder.${verb}`] }
}

function details(): Change {
  const provider_account = `AC-${newCount()}`
  return { operation: 'updatePortOrder', json: attributes({ provider_account }), fields: { provider_account } }
}

function presets(): Change {
  const alias = newMark('ported')
  return { operation: 'updatePortOrder', json: { presets: { alias } }, fields: { preset_alias: alias } }
}

function numbers(expected: Expected): Change {
  const number = newNumber()
  const fields = { numbers: added(expected, 'numbers', number) }
  return { operation: 'changePortOrderNumbers', json: { add: [number] }, fields }
}

function comment(expected: Expected): Change {
  const text = newMark('comment')
  return { operation: 'addPortOrderComment', json: { text }, fields: { comments: added(expected, 'comments', text) } }
}

function upload(expected: Expected): Change {
  const name = `${newMark('uploaded').replace(' ', '-')}.pdf`
  const bytes = { type: 'application/pdf', body: documentOf(`/documents/${name}`) }
  return {
    operation: 'uploadPortOrderFile',
    params: { file: name },
    bytes,
    fields: { documents: added(expected, 'documents', name) },
  }
}

function resubmit(expected: Expected): Change {
  return { operation: 'resubmitPortOrder', fields: moved(expected, 'Review', 'resubmitted') }
}

/** The API has two requests for this. */
function cancel(expected: Expected, status: string, first: boolean): Change {
  const operation: OperationName = first ? 'cancelPortOrder' : 'updatePortOrder'
  return { operation, json: attributes({ status: 'cancelled' }), fields: moved(expected, status, 'canceled') }
}
