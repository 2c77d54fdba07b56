import { attachDocument, businessDocuments } from '../documents/index.ts'
import type { WriteContext } from '../platform/context.ts'
import type { Executor } from '../platform/db.ts'
import type { Outbound } from '../platform/outbound/index.ts'
import type { Place } from './calendar/porting-interval.ts'
import { carrierFor } from './carriers/carrier.ts'
import type { LosingCarrier } from './carriers/carrier.ts'
import { manualCarrier } from './carriers/manual.ts'
import { simulatedCarrier } from './carriers/simulated.ts'
import type { OrderRow } from './store.ts'

/** What port orders need besides the database: given by whoever assembles the service. */
export interface Parts {
  outbound: Pick<Outbound, 'checkUrl'>
  papers: Papers
  emergency: EmergencyAddresses
  config: {
    mode: 'demo' | 'production'
    /** Whom the numbers come to, as the LOA names it. */
    carrier_name: string
    /** Dollars for each number. */
    port_price: string
  }
}

/** What the parts of a service become here, until emergency addresses are offered. */
export const portOrderParts = ({ outbound, config }: Pick<Parts, 'outbound' | 'config'>): Parts => ({
  outbound,
  config,
  papers: { attach: attachDocument, of: businessDocuments },
  emergency: {
    whyNot: async (_tx, _account_id, id) => `No emergency address ${id} is on this account.`,
    assign: async (_c, _number, id) => `No emergency address ${id} is on this account.`,
  },
})

/** The business documents of orders. */
export interface Papers {
  /** Puts a stored file among the documents of an order. */
  attach(
    c: WriteContext,
    document: {
      account_id: string
      order_id: string
      filename: string
      digest: string
      bytes: number
      media_type: 'application/pdf'
      kind: 'loa'
    },
  ): Promise<unknown>
  /** The documents of orders of an account, by order id. */
  of(
    db: Executor,
    account_id: string,
    order_ids: readonly string[],
  ): Promise<ReadonlyMap<string, readonly { filename: string; status: 'uploaded' | 'failed' }[]>>
}

/** Emergency addresses as presets see them. */
export interface EmergencyAddresses {
  /** Why no number of the account can have the address; null when it can, and then it stays until the transaction ends. */
  whyNot(tx: Executor, account_id: string, id: string): Promise<string | null>
  /** Gives a number (11 digits) the address; what stands against it, or null when it is done. */
  assign(c: WriteContext, number: string, id: string): Promise<string | null>
}

export const placeOf = (zone: string, country: 'US' | 'CA'): Place => ({ zone, calendar: { country } })

/** Who plays losing carriers here. Only a demo has one that plays by script. */
export function carriersOf({ config }: Parts, place: Place): LosingCarrier[] {
  return config.mode === 'demo' ? [simulatedCarrier(place), manualCarrier] : [manualCarrier]
}

/** The losing carrier of an order. */
export function carrierOf(
  parts: Parts,
  zone: string,
  { provider, country }: Pick<OrderRow, 'provider' | 'country'>,
): LosingCarrier {
  return carrierFor(provider, carriersOf(parts, placeOf(zone, country)))
}
