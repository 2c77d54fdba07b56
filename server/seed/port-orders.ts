import type { CastPortOrder } from './port-order-steps.ts'
import { ofDentist } from './port-orders-of-dentist.ts'
import { ofReseller } from './port-orders-of-reseller.ts'

/**
 * Port orders of the cast, which between them have every status. Orders whose provider starts with `Simulated ` continue when
 * they are signed or corrected or when the clock moves; the others wait for the operator.
 */

export const castPortOrders: readonly CastPortOrder[] = [
  ...ofDentist.map((order) => ({ ...order, account: 'dentist' as const })),
  ...ofReseller.map((order) => ({ ...order, account: 'reseller' as const })),
]
