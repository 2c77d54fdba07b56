import * as accounts from './accounts.ts'
import * as cdrs from './cdrs.ts'
import * as cnams from './cnams.ts'
import * as documents from './order-documents.ts'
import * as e911 from './e911.ts'
import * as e911Coverage from './e911-coverage.ts'
import * as e911Datasets from './e911-datasets.ts'
import * as e911Validations from './e911-validations.ts'
import * as health from './health.ts'
import * as location from './location.ts'
import * as notifications from './notifications.ts'
import * as numberChanges from './number-changes.ts'
import * as numbers from './numbers.ts'
import type { Operation } from './operation.ts'
import * as operator from './operator.ts'
import * as portOrders from './port-orders/index.ts'
import * as routes from './voice-routes.ts'

/** Everything the service offers, by operation id. A feature's operations are added here and nowhere else. */
const modules = {
  ...health,
  ...accounts,
  ...numbers,
  ...numberChanges,
  ...routes,
  ...cnams,
  ...cdrs,
  ...e911,
  ...e911Coverage,
  ...e911Datasets,
  ...e911Validations,
  ...location,
  ...notifications,
  ...portOrders,
  ...documents,
  ...operator,
}

type Modules = typeof modules
type OperationNames = { [K in keyof Modules]: Modules[K] extends Operation ? K : never }[keyof Modules]
export type Operations = Pick<Modules, OperationNames>

const isOperation = (v: unknown): v is Operation =>
  typeof v === 'object' && v !== null && 'effect' in v && 'responses' in v

// the modules export shapes beside operations; what is left are the operations, as the type says
export const operations = Object.fromEntries(Object.entries(modules).filter(([, v]) => isOperation(v))) as Operations
