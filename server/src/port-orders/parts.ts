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
  config: {
    mode: 'demo' | 'production'
    /** Whom the numbers come to, as the LOA names it. */
    carrier_name: string
    /** Dollars for each number. */
    port_price: string
  }
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
