import { createRootRoute, createRoute, redirect, retainSearchParams } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import { loadSession } from '../account.ts'
import { accountSearch } from '../search.ts'
import { lazyPage } from './lazy-page.ts'

/** The routes that have no page of their own: what is around all pages, and around those of somebody who is signed in. */

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Of the browser's tab, and in the rail. */
    title?: string
    /** In the rail, and for whom. */
    rail?: { icon: LucideIcon; side: 'account' | 'operator' | 'both' }
    /** What keys do on this page, beside those of every page. */
    keys?: readonly (readonly [key: string, does: string])[]
  }
}

const failedAlone = lazyPage(() => import('./failed.tsx'), 'FailedAlone')

/** What every page is below. */
export const root = createRootRoute({
  validateSearch: accountSearch,
  search: { middlewares: [retainSearchParams(['account'])] },
  component: lazyPage(() => import('./root.tsx'), 'Root'),
  errorComponent: failedAlone,
  notFoundComponent: lazyPage(() => import('./not-found.tsx'), 'NotFound'),
})

/** Everything that needs somebody who is signed in. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const session = await loadSession()
    if (session === null)
      throw redirect({ to: '/sign-in', search: { return_to: location.href, openid_error: undefined } })
  },
  component: lazyPage(() => import('./shell.tsx'), 'Shell'),
  errorComponent: failedAlone,
})
