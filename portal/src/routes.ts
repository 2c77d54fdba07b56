import { createRoute, createRouter } from '@tanstack/react-router'
import { BookUser, Code, Hash, House, Network, PhoneCall, Settings, Siren, Truck } from 'lucide-react'
import { callRecordsSearch } from './call-records/search.ts'
import { operatorRoutes } from './operator/routes.ts'
import {
  parseSearch,
  stringifySearch,
  signInSearch,
  numbersSearch,
  getNumbersSearch,
  newPortOrderSearch,
  portOrdersSearch,
  checkSearch,
  e911Search,
  callerIdSearch,
  edgeStrategiesSearch,
  deliveriesSearch,
  referenceSearch,
} from './search.ts'
import { root, signedIn, lazyPage } from './shell/routes.ts'

/** The portal's route map. Each page is an entry here and a file in its feature's folder. The rail, command palette, stories, and screenshots read this map. */

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  staticData: { title: 'Sign in' },
  validateSearch: signInSearch,
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
  getParentRoute: () => signedIn,
  path: '/',
  staticData: { title: 'Overview', rail: { icon: House, side: 'both' } },
  component: lazyPage(() => import('./overview/page.tsx'), 'OverviewPage'),
})

const numbers = createRoute({
  getParentRoute: () => signedIn,
  path: '/numbers',
  staticData: { title: 'Numbers', rail: { icon: Hash, side: 'account' } },
  validateSearch: numbersSearch,
  component: lazyPage(() => import('./numbers/list.tsx'), 'NumbersPage'),
})

const getNumbers = createRoute({
  getParentRoute: () => signedIn,
  path: '/numbers/get',
  staticData: { title: 'Get numbers' },
  validateSearch: getNumbersSearch,
  component: lazyPage(() => import('./numbers/get.tsx'), 'GetNumbersPage'),
})

const number = createRoute({
  getParentRoute: () => signedIn,
  path: '/numbers/$number',
  staticData: { title: 'Number' },
  component: lazyPage(() => import('./numbers/number.tsx'), 'NumberPage'),
})

const portOrders = createRoute({
  getParentRoute: () => signedIn,
  path: '/port-orders',
  staticData: { title: 'Port orders', rail: { icon: Truck, side: 'account' } },
  validateSearch: portOrdersSearch,
  component: lazyPage(() => import('./port-orders/list.tsx'), 'PortOrdersPage'),
})

const newPortOrder = createRoute({
  getParentRoute: () => signedIn,
  path: '/port-orders/new',
  staticData: { title: 'New port order' },
  validateSearch: newPortOrderSearch,
  component: lazyPage(() => import('./port-orders/new.tsx'), 'NewPortOrderPage'),
})

const portOrder = createRoute({
  getParentRoute: () => signedIn,
  path: '/port-orders/$order',
  staticData: { title: 'Port order' },
  component: lazyPage(() => import('./port-orders/order.tsx'), 'PortOrderPage'),
})

const e911 = createRoute({
  getParentRoute: () => signedIn,
  path: '/e911',
  staticData: { title: 'E911', rail: { icon: Siren, side: 'account' } },
  validateSearch: e911Search,
  component: lazyPage(() => import('./e911/list.tsx'), 'E911Page'),
})

const newAddress = createRoute({
  getParentRoute: () => signedIn,
  path: '/e911/new',
  staticData: { title: 'New emergency address' },
  component: lazyPage(() => import('./e911/new.tsx'), 'NewAddressPage'),
})

const checkFile = createRoute({
  getParentRoute: () => signedIn,
  path: '/e911/check',
  staticData: { title: 'Check a file of addresses' },
  validateSearch: checkSearch,
  component: lazyPage(() => import('./e911/check.tsx'), 'CheckFilePage'),
})

const address = createRoute({
  getParentRoute: () => signedIn,
  path: '/e911/$e911_id',
  staticData: { title: 'Emergency address' },
  component: lazyPage(() => import('./e911/address.tsx'), 'AddressPage'),
})

const callerId = createRoute({
  getParentRoute: () => signedIn,
  path: '/caller-id',
  staticData: { title: 'Caller ID', rail: { icon: BookUser, side: 'account' } },
  validateSearch: callerIdSearch,
  component: lazyPage(() => import('./caller-id/list.tsx'), 'CallerIdPage'),
})

const callRecords = createRoute({
  getParentRoute: () => signedIn,
  path: '/call-records',
  staticData: { title: 'Call records', rail: { icon: PhoneCall, side: 'account' } },
  validateSearch: callRecordsSearch,
  component: lazyPage(() => import('./call-records/page.tsx'), 'CallRecordsPage'),
})

const cdrExport = createRoute({
  getParentRoute: () => signedIn,
  path: '/call-records/exports/$export_id',
  staticData: { title: 'Call-record export' },
  component: lazyPage(() => import('./call-records/export.tsx'), 'CdrExportPage'),
})

const edgeStrategies = createRoute({
  getParentRoute: () => signedIn,
  path: '/edge-strategies',
  staticData: { title: 'Edge strategies', rail: { icon: Network, side: 'account' } },
  validateSearch: edgeStrategiesSearch,
  component: lazyPage(() => import('./edge-strategies/page.tsx'), 'EdgeStrategiesPage'),
})

const developers = createRoute({
  getParentRoute: () => signedIn,
  path: '/developers',
  staticData: { title: 'Developers', rail: { icon: Code, side: 'account' } },
  component: lazyPage(() => import('./developers/page.tsx'), 'DevelopersPage'),
})

/** The parent page renders the tab named by the path. */
const developersTabs = [
  createRoute({ getParentRoute: () => developers, path: '/' }),
  createRoute({ getParentRoute: () => developers, path: '/deliveries', validateSearch: deliveriesSearch }),
] as const

/** A page, not a tab, because of its size. */
const reference = createRoute({
  getParentRoute: () => signedIn,
  path: '/developers/reference',
  staticData: { title: 'API reference' },
  validateSearch: referenceSearch,
  component: lazyPage(() => import('./reference/page.tsx'), 'ReferencePage'),
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
  getParentRoute: () => signedIn,
  path: '/settings',
  staticData: { title: 'Settings', rail: { icon: Settings, side: 'account' } },
  component: lazyPage(() => import('./settings/page.tsx'), 'SettingsPage'),
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
  parseSearch,
  stringifySearch,
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
