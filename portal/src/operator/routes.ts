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
import { lazyPage, page, signedIn } from '../shell/routes.ts'
import { allQueueKeys } from './keys.ts'
import * as search from './search.ts'

/** The operator's routes, in rail order. */

const queue = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator/queue',
  staticData: { title: 'Queue', rail: { icon: ListChecks, side: 'operator' }, keys: allQueueKeys },
  validateSearch: search.queueSearch,
  component: lazyPage(() => import('./queue.tsx'), 'QueuePage'),
})

const approvals = createRoute({
  ...page('Approvals', () => import('./approvals.tsx'), 'ApprovalsPage', { icon: BadgeCheck, side: 'operator' }),
  path: '/operator/approvals',
  validateSearch: search.approvalsSearch,
})

/** The parent page renders the tab named by the path. */
const approvalsTabs = [
  createRoute({ getParentRoute: () => approvals, path: '/' }),
  createRoute({ getParentRoute: () => approvals, path: '/orders' }),
] as const

const inventory = createRoute({
  ...page('Inventory', () => import('../inventory/page.tsx'), 'InventoryPage', { icon: Boxes, side: 'operator' }),
  path: '/operator/inventory',
  validateSearch: search.inventorySearch,
})

/** The parent page renders the tab named by the path. */
const inventoryTabs = [
  createRoute({ getParentRoute: () => inventory, path: '/' }),
  createRoute({ getParentRoute: () => inventory, path: '/numbers' }),
  createRoute({ getParentRoute: () => inventory, path: '/blocks' }),
  createRoute({ getParentRoute: () => inventory, path: '/prices' }),
  createRoute({ getParentRoute: () => inventory, path: '/orders' }),
] as const

const portouts = createRoute({
  ...page('Port-outs', () => import('../inventory/port-outs.tsx'), 'PortoutsPage', {
    icon: PhoneForwarded,
    side: 'operator',
  }),
  path: '/operator/port-outs',
  validateSearch: search.portoutsSearch,
})

const streetData = createRoute({
  ...page('Street data', () => import('../street-data/page.tsx'), 'StreetDataPage', {
    icon: MapPinned,
    side: 'operator',
  }),
  path: '/operator/street-data',
  validateSearch: search.streetDataSearch,
})

const ingest = createRoute({
  ...page('Call-record ingest', () => import('../ingest/page.tsx'), 'IngestPage', {
    icon: FileInput,
    side: 'operator',
  }),
  path: '/operator/ingest',
  validateSearch: search.ingestSearch,
})

const jobs = createRoute({
  ...page('Jobs and deliveries', () => import('../jobs/page.tsx'), 'JobsPage', { icon: Workflow, side: 'operator' }),
  path: '/operator/jobs',
  validateSearch: search.jobsSearch,
})

const accounts = createRoute({
  ...page('Accounts', () => import('./accounts/list.tsx'), 'AccountsPage', { icon: Users, side: 'operator' }),
  path: '/operator/accounts',
  validateSearch: search.accountsSearch,
})

const account = createRoute({
  ...page('Account', () => import('./accounts/account.tsx'), 'AccountPage'),
  path: '/operator/accounts/$account',
})

const audit = createRoute({
  ...page('Audit log', () => import('./audit/page.tsx'), 'AuditPage', { icon: ScrollText, side: 'operator' }),
  path: '/operator/audit',
  validateSearch: search.auditSearch,
})

/** Opened from the clock in the top bar, which exists only in demo mode. */
const clock = createRoute({
  ...page('Demo clock', () => import('./clock/page.tsx'), 'ClockPage'),
  path: '/operator/clock',
  validateSearch: search.clockSearch,
})

export const operatorRoutes = [
  queue,
  accounts,
  account,
  approvals.addChildren(approvalsTabs),
  inventory.addChildren(inventoryTabs),
  portouts,
  streetData,
  ingest,
  jobs,
  audit,
  clock,
] as const
