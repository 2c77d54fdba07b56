import { createRoute } from '@tanstack/react-router'
import {
  BadgeCheck,
  Boxes,
  FileInput,
  ListChecks,
  MapPinned,
  PhoneForwarded,
  ScrollText,
  Users,
  Workflow,
} from 'lucide-react'
import { signedIn, lazyPage } from '../shell/routes.ts'
import { allQueueKeys } from './keys.ts'
import {
  accountsSearch,
  approvalsSearch,
  auditSearch,
  clockSearch,
  inventorySearch,
  portoutsSearch,
  queueSearch,
  streetDataSearch,
  ingestSearch,
  jobsSearch,
} from './search.ts'

/** The operator's routes, in rail order. */

const queue = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator/queue',
  staticData: { title: 'Queue', rail: { icon: ListChecks, side: 'operator' }, keys: allQueueKeys },
  validateSearch: queueSearch,
  component: lazyPage(() => import('./queue.tsx'), 'QueuePage'),
})

const approvals = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator/approvals',
  staticData: { title: 'Approvals', rail: { icon: BadgeCheck, side: 'operator' } },
  validateSearch: approvalsSearch,
  component: lazyPage(() => import('./approvals.tsx'), 'ApprovalsPage'),
})

const inventory = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator/inventory',
  staticData: { title: 'Inventory', rail: { icon: Boxes, side: 'operator' } },
  validateSearch: inventorySearch,
  component: lazyPage(() => import('../inventory/page.tsx'), 'InventoryPage'),
})

/** The parent page renders the tab named by the path. */
const inventoryTabs = [
  createRoute({ getParentRoute: () => inventory, path: '/' }),
  createRoute({ getParentRoute: () => inventory, path: '/numbers' }),
  createRoute({ getParentRoute: () => inventory, path: '/blocks' }),
] as const

const portouts = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator/port-outs',
  staticData: { title: 'Port-outs', rail: { icon: PhoneForwarded, side: 'operator' } },
  validateSearch: portoutsSearch,
  component: lazyPage(() => import('../inventory/port-outs.tsx'), 'PortoutsPage'),
})

const streetData = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator/street-data',
  staticData: { title: 'Street data', rail: { icon: MapPinned, side: 'operator' } },
  validateSearch: streetDataSearch,
  component: lazyPage(() => import('../street-data/page.tsx'), 'StreetDataPage'),
})

const ingest = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator/ingest',
  staticData: { title: 'Call-record ingest', rail: { icon: FileInput, side: 'operator' } },
  validateSearch: ingestSearch,
  component: lazyPage(() => import('../ingest/page.tsx'), 'IngestPage'),
})

const jobs = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator/jobs',
  staticData: { title: 'Jobs and deliveries', rail: { icon: Workflow, side: 'operator' } },
  validateSearch: jobsSearch,
  component: lazyPage(() => import('../jobs/page.tsx'), 'JobsPage'),
})

const accounts = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator/accounts',
  staticData: { title: 'Accounts', rail: { icon: Users, side: 'operator' } },
  validateSearch: accountsSearch,
  component: lazyPage(() => import('./accounts/list.tsx'), 'AccountsPage'),
})

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator/accounts/$account',
  staticData: { title: 'Account' },
  component: lazyPage(() => import('./accounts/account.tsx'), 'AccountPage'),
})

const audit = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator/audit',
  staticData: { title: 'Audit log', rail: { icon: ScrollText, side: 'operator' } },
  validateSearch: auditSearch,
  component: lazyPage(() => import('./audit/page.tsx'), 'AuditPage'),
})

/** Opened from the clock in the top bar, which exists only in demo mode. */
const clock = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator/clock',
  staticData: { title: 'Demo clock' },
  validateSearch: clockSearch,
  component: lazyPage(() => import('./clock/page.tsx'), 'ClockPage'),
})

export const operatorRoutes = [
  queue,
  accounts,
  account,
  approvals,
  inventory.addChildren(inventoryTabs),
  portouts,
  streetData,
  ingest,
  jobs,
  audit,
  clock,
] as const
