import { Readable } from 'node:stream'
import { portOrders, type CivilDate } from '@demarc/client'
import type * as z from 'zod'
import { recordUpload, stageUpload } from '../src/order-documents/index.ts'
import type { WriteContext } from '../src/platform/context.ts'
import {
  addComment,
  changeOrder,
  editFiles,
  formOf,
  operatorTransition,
  orderForFiles,
  resubmitOrder,
  signLoa,
  type OrderRow,
  type PortOrderDependencies,
} from '../src/port-orders/index.ts'

/** Steps that the customer and the operator take on a port order of the cast, each by the action of its HTTP operation. */

/** An order at the time of a step. */
export interface OrderScene {
  /** Contexts of the customer and the operator, with the clock at the time of the step. */
  account: WriteContext
  operator: WriteContext
  dependencies: PortOrderDependencies
  /** As created. */
  order: OrderRow
  /** A day, in business days from today; negative: before today. */
  day(business_days: number): CivilDate
}

type Action = (scene: OrderScene) => Promise<unknown>

export interface Step {
  /** Business days before today. */
  days_ago: number
  /** `HH:MM` in the carrier's time zone. */
  time: string
  action: Action
}

export const step = (days_ago: number, time: string, action: Action): Step => ({ days_ago, time, action })

export interface CastPortOrder {
  account: 'dentist' | 'reseller'
  /** When it was created: business days before today, and a time of day in the carrier's time zone. */
  days_ago: number
  time: string
  attributes: Omit<z.input<typeof portOrders.newPortOrder>, 'presets'>
  /** Applied on completion: the practice's voice route, name, and E911 address, and this alias. */
  preset_alias?: string
  /** The history of each order that the request was split into, and its current status. */
  orders: readonly { status: portOrders.PortOrderStatus; steps: readonly Step[] }[]
}

export const order = (status: portOrders.PortOrderStatus, ...steps: Step[]) => ({ status, steps })

/** Uploads a bill as plain text. */
export const uploadBill =
  (name: string): Action =>
  async ({ account, order }) => {
    const { provider, provider_account, billing_name, company, street, city, state, zip } = order
    const text = [
      provider,
      `Account ${provider_account}`,
      `${billing_name}, ${company}`,
      `${street}, ${city}, ${state} ${zip}`,
      'A bill made up for the demonstration.',
      '',
    ].join('\n')
    const upload = await stageUpload(account, name, Readable.from([Buffer.from(text)]))
    await recordUpload(account, { orders: { orderForFiles, editFiles } }, order.id, upload)
  }

export const sign =
  (signature_title: string): Action =>
  async ({ account, dependencies, order }) => {
    const form = await formOf(account, dependencies, order.id)
    const fields = { ...form, signature_name: order.billing_name, signature_title }
    return (await signLoa(account, dependencies, order.id, { id: order.id, fields, force: false }, signer)).order
  }

const signer = { ip: '192.0.2.10', user_agent: 'Mozilla/5.0 (demonstration)' }

export const comment =
  (text: string): Action =>
  ({ account, order }) =>
    addComment(account, order.id, { text })

/** A comment that the customer does not see. */
export const privateComment =
  (text: string): Action =>
  ({ operator, order }) =>
    addComment(operator, order.id, { text, private: true })

export const changeTo =
  (details: z.input<typeof portOrders.portOrderDetails>): Action =>
  ({ account, dependencies, order }) =>
    changeOrder(account, dependencies, order.id, portOrders.portOrderDetails.parse(details))

export const resubmit: Action = ({ account, dependencies, order }) => resubmitOrder(account, dependencies, order.id)

export const cancel: Action = ({ account, dependencies, order }) =>
  changeOrder(account, dependencies, order.id, { status: 'cancelled' })

type Transition = Parameters<typeof operatorTransition>[3]

const transition =
  (request: Transition): Action =>
  ({ operator, dependencies, order }) =>
    operatorTransition(operator, dependencies, order.id, request)

export const submit = transition({ to: 'Submitted' })

/** The losing carrier agreed to a date, in business days from today. */
export const accept =
  (business_days: number, text?: string): Action =>
  (scene) =>
    transition({ to: 'Accepted', completion_date: scene.day(business_days), comment: text })(scene)

export const reject = (reason_code: portOrders.RejectCode, reason: string): Action =>
  transition({ to: 'Rejected', reason_code, reason })

export const complete = transition({ to: 'Completed' })

export const hardCancel = (text: string): Action => transition({ to: 'Hard_canceled', comment: text })
