import type { Outbound } from '../platform/outbound/index.ts'
import type { BusinessHours } from './calendar/porting-interval.ts'
import { carrierFor, manualCarrier } from './carriers/carrier.ts'
import type { LosingCarrier } from './carriers/carrier.ts'
import { simulatedCarrier } from './carriers/simulated.ts'
import type { OrderRow } from './store.ts'

/** What port orders depend on besides the database; passed in by app.ts. */
export interface PortOrderDependencies {
  outbound: Pick<Outbound, 'checkUrl'>
  config: {
    mode: 'demo' | 'production'
    /** The gaining carrier as the LOA names it. */
    carrier_name: string
    /** Dollars per number. */
    port_price: string
    /** Most numbers that an account can have on unsigned orders. */
    unsigned_numbers: number
  }
}

export const businessHoursOf = (zone: string, country: 'US' | 'CA'): BusinessHours => ({ zone, calendar: { country } })

/** The adapters of losing carriers. The simulated carrier exists only in demo mode. */
export function carriersOf({ config }: PortOrderDependencies, hours: BusinessHours): LosingCarrier[] {
  return config.mode === 'demo' ? [simulatedCarrier(hours), manualCarrier] : [manualCarrier]
}

export function carrierOf(
  dependencies: PortOrderDependencies,
  zone: string,
  { provider, country }: Pick<OrderRow, 'provider' | 'country'>,
): LosingCarrier {
  return carrierFor(provider, carriersOf(dependencies, businessHoursOf(zone, country)))
}
