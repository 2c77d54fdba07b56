import type { CastPortOrder } from './cast-port-order.ts'
import { ofDentist } from './port-orders-of-dentist.ts'
import { ofReseller } from './port-orders-of-reseller.ts'

/**
 * Port orders of the cast, which between them have every status. Orders whose provider starts with `Simulated ` continue when
 * they are signed or corrected or when the clock moves; the others wait for the operator.
 */

export const castPortOrders: readonly CastPortOrder[] = [...ofDentist, ...ofReseller]
