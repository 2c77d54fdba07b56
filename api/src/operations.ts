import * as accounts from './accounts.ts'
import * as activity from './activity.ts'
import * as cdrIngests from './cdr-ingests.ts'
import * as cdrs from './cdrs.ts'
import * as cdrSummary from './cdr-summary.ts'
import * as cnams from './cnams.ts'
import * as documents from './order-documents.ts'
import * as e911 from './e911.ts'
import * as e911Coverage from './e911-coverage.ts'
import * as e911Datasets from './e911-datasets.ts'
import * as e911Validations from './e911-validations.ts'
import * as health from './health.ts'
import * as inventory from './inventory.ts'
import * as inventoryOperator from './inventory-operator.ts'
import * as jobs from './jobs.ts'
import * as location from './location.ts'
import * as notices from './notices.ts'
import * as notifications from './notifications.ts'
import * as numberChanges from './number-changes.ts'
import * as numberOrders from './number-orders.ts'
import * as numberPolicy from './number-policy.ts'
import * as numbers from './numbers.ts'
import type { Operation } from './operation.ts'
import * as operator from './operator.ts'
import * as people from './people/index.ts'
import * as portOrders from './port-orders/index.ts'
import * as portouts from './portouts.ts'
import * as priceClasses from './price-classes.ts'
import * as retention from './retention.ts'
import * as search from './search.ts'
import * as routes from './voice-routes.ts'

/** Every module with operations. This is the only place where a new feature is added. */
const modules = [
  health,
  accounts,
  activity,
  search,
  numbers,
  numberChanges,
  inventory,
  numberOrders,
  numberPolicy,
  inventoryOperator,
  portouts,
  priceClasses,
  routes,
  cnams,
  cdrs,
  cdrSummary,
  cdrIngests,
  e911,
  e911Coverage,
  e911Datasets,
  e911Validations,
  location,
  notices,
  notifications,
  portOrders,
  documents,
  operator,
  retention,
  people,
  jobs,
] as const

/** The intersection of a union's members. */
type Intersection<U> = (U extends U ? (member: U) => void : never) extends (all: infer All) => void ? All : never

/** The exports of all modules. An intersection keeps the published types as references to the modules. */
type Modules = Intersection<(typeof modules)[number]>
type OperationNames = { [K in keyof Modules]: Modules[K] extends Operation ? K : never }[keyof Modules]
/** Every operation by its id. */
export type Operations = Pick<Modules, OperationNames>

const isOperation = (v: unknown): v is Operation =>
  typeof v === 'object' && v !== null && 'effect' in v && 'responses' in v

/** Every operation by its id. */
export const operations = asOperations(
  Object.fromEntries(modules.flatMap((module) => Object.entries(module).filter(([, v]) => isOperation(v)))),
)

/** The modules also export schemas, which the filter removes. */
function asOperations(found: object): Operations {
  return found as Operations
}
