import type { WriterKind } from '../world.ts'
import { accounts } from './accounts.ts'
import { bulkValidations } from './bulk-validations.ts'
import { calendarLinks } from './calendar-links.ts'
import { callRecords } from './call-records.ts'
import { clock } from './clock.ts'
import { cnams } from './cnams.ts'
import { datasets } from './datasets.ts'
import { e911 } from './e911.ts'
import { edgeStrategies } from './edge-strategies.ts'
import { exports } from './exports.ts'
import { inventory } from './inventory.ts'
import { accountKeys, operatorKeys, ownKeys } from './keys.ts'
import { numberOrders } from './number-orders.ts'
import { notifications } from './notifications.ts'
import { numbers } from './numbers.ts'
import { people } from './people.ts'
import { portOrders } from './port-orders.ts'
import { portouts } from './portouts.ts'
import { routes } from './routes.ts'

export const writerKinds: readonly WriterKind[] = [
  accounts,
  accountKeys,
  operatorKeys,
  ownKeys,
  people,
  routes,
  edgeStrategies,
  cnams,
  e911,
  bulkValidations,
  datasets,
  numbers,
  inventory,
  numberOrders,
  portouts,
  callRecords,
  exports,
  notifications,
  portOrders,
  calendarLinks,
  clock,
]
