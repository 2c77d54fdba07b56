import { createRoute, createRouter } from '@tanstack/react-router'
import { BookUser, Code, Hash, House, Network, PhoneCall, Settings, Siren, Truck } from 'lucide-react'
import { callRecordsSearch } from './call-records/search.ts'
import { operatorRoutes } from './operator/routes.ts'
import * as search from './search.ts'
import { lazyPage, page, root, signedIn } from './shell/routes.ts'

/** The portal's route map. Each page is an entry here and a file in its feature's folder. The rail, command palette, stories, and screenshots read this map. */

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  staticData: { title: 'Sign in' },
  validateSearch: search.signInSearch,
  component: lazyPage(() => import('./sign-in/page.tsx'), 'SignInPage'),
})

/** The final page of a window that was opened to sign in again. */
const signInDone = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/done',
  staticData: { title: 'Signed in' },
  component: lazyPage(() => import('./sign-in/done.tsx'), 'SignInDonePage'),
})

/** The target of invitation links. The token follows the `#`, which browsers don't send to servers. */
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  staticData: { title: 'Invitation' },
  component: lazyPage(() => import('./invitation/page.tsx'), 'InvitationPage'),
})

/** The target of unsubscribe links, with the token after the `#`. */
const unsubscribe = createRoute({
  getParentRoute: () => root,
  path: '/unsubscribe',
  staticData: { title: 'Email' },
  component: lazyPage(() => import('./unsubscribe/page.tsx'), 'UnsubscribePage'),
})

const overview = createRoute({
  ...page('Overview', () => import('./overview/page.tsx'), 'OverviewPage', { icon: House, side: 'both' }),
  path: '/',
})

const numbers = createRoute({
  ...page('Numbers', () => import('./numbers/list.tsx'), 'NumbersPage', { icon: Hash, side: 'account' }),
  path: '/numbers',
  validateSearch: search.numbersSearch,
})

const getNumbers = createRoute({
  ...page('Get numbers', () => import('./numbers/get.tsx'), 'GetNumbersPage'),
  path: '/numbers/get',
  validateSearch: search.getNumbersSearch,
})

const number = createRoute({
  ...page('Number', () => import('./numbers/number.tsx'), 'NumberPage'),
  path: '/numbers/$number',
})

const portOrders = createRoute({
  ...page('Port orders', () => import('./port-orders/list.tsx'), 'PortOrdersPage', { icon: Truck, side: 'account' }),
  path: '/port-orders',
  validateSearch: search.portOrdersSearch,
})

const newPortOrder = createRoute({
  ...page('New port order', () => import('./port-orders/new.tsx'), 'NewPortOrderPage'),
  path: '/port-orders/new',
  validateSearch: search.newPortOrderSearch,
})

const portOrder = createRoute({
  ...page('Port order', () => import('./port-orders/order.tsx'), 'PortOrderPage'),
  path: '/port-orders/$order',
})

const e911 = createRoute({
  ...page('E911', () => import('./e911/list.tsx'), 'E911Page', { icon: Siren, side: 'account' }),
  path: '/e911',
  validateSearch: search.e911Search,
})

const newAddress = createRoute({
  ...page('New emergency address', () => import('./e911/new.tsx'), 'NewAddressPage'),
  path: '/e911/new',
})

const checkFile = createRoute({
  ...page('Check a file of addresses', () => import('./e911/check.tsx'), 'CheckFilePage'),
  path: '/e911/check',
  validateSearch: search.checkSearch,
})

const address = createRoute({
  ...page('Emergency address', () => import('./e911/address.tsx'), 'AddressPage'),
  path: '/e911/$e911_id',
})

const callerId = createRoute({
  ...page('Caller ID', () => import('./caller-id/list.tsx'), 'CallerIdPage', { icon: BookUser, side: 'account' }),
  path: '/caller-id',
  validateSearch: search.callerIdSearch,
})

const callRecords = createRoute({
  ...page('Call records', () => import('./call-records/page.tsx'), 'CallRecordsPage', {
    icon: PhoneCall,
    side: 'account',
  }),
  path: '/call-records',
  validateSearch: callRecordsSearch,
})

const cdrExport = createRoute({
  ...page('Call-record export', () => import('./call-records/export.tsx'), 'CdrExportPage'),
  path: '/call-records/exports/$export_id',
})

const edgeStrategies = createRoute({
  ...page('Edge strategies', () => import('./edge-strategies/page.tsx'), 'EdgeStrategiesPage', {
    icon: Network,
    side: 'account',
  }),
  path: '/edge-strategies',
  validateSearch: search.edgeStrategiesSearch,
})

const developers = createRoute({
  ...page('Developers', () => import('./developers/page.tsx'), 'DevelopersPage', { icon: Code, side: 'account' }),
  path: '/developers',
})

/** The parent page renders the tab named by the path. */
const developersTabs = [
  createRoute({ getParentRoute: () => developers, path: '/' }),
  createRoute({ getParentRoute: () => developers, path: '/deliveries', validateSearch: search.deliveriesSearch }),
] as const

/** A page, not a tab, because of its size. */
const reference = createRoute({
  ...page('API reference', () => import('./reference/page.tsx'), 'ReferencePage'),
  path: '/developers/reference',
  validateSearch: search.referenceSearch,
})

const referenceIntroduction = createRoute({
  getParentRoute: () => reference,
  path: '/',
  component: lazyPage(() => import('./reference/introduction.tsx'), 'ReferenceIntroduction'),
})

const referenceOperation = createRoute({
  getParentRoute: () => reference,
  path: '/$operation',
  component: lazyPage(() => import('./reference/operation.tsx'), 'ReferenceOperation'),
})

const settings = createRoute({
  ...page('Settings', () => import('./settings/page.tsx'), 'SettingsPage', { icon: Settings, side: 'account' }),
  path: '/settings',
})

const settingsTabs = [
  createRoute({ getParentRoute: () => settings, path: '/' }),
  createRoute({ getParentRoute: () => settings, path: '/sign-in' }),
  createRoute({ getParentRoute: () => settings, path: '/notices' }),
] as const

export const routeTree = root.addChildren([
  signIn,
  signInDone,
  invitation,
  unsubscribe,
  signedIn.addChildren([
    overview,
    numbers,
    getNumbers,
    number,
    portOrders,
    newPortOrder,
    portOrder,
    e911,
    newAddress,
    checkFile,
    address,
    callerId,
    callRecords,
    cdrExport,
    edgeStrategies,
    developers.addChildren(developersTabs),
    reference.addChildren([referenceIntroduction, referenceOperation]),
    settings.addChildren(settingsTabs),
    ...operatorRoutes,
  ]),
])

export const router = createRouter({
  routeTree,
  parseSearch: search.parseSearch,
  stringifySearch: search.stringifySearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
  // a page with tabs would not render a not-found child
  notFoundMode: 'root',
  defaultErrorComponent: lazyPage(() => import('./shell/failed.tsx'), 'Failed'),
  defaultPendingMs: 300,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
