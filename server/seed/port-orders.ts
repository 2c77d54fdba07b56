import type { CastPortOrder } from './cast-port-order.ts'
import { ofDentist } from './port-orders-of-dentist.ts'
import { ofReseller } from './port-orders-of-reseller.ts'

/**
 * Port orders of the cast. Between them they are in every status. Orders with a provider whose name begins with `Simulated `
 * are those whose next step can be tried out by signing, correcting, or moving the clock; the others wait for the operator.
 */

export const castPortOrders: readonly CastPortOrder[] = [...ofDentist, ...ofReseller]
