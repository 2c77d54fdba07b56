import { createRootRoute, createRoute, redirect, retainSearchParams } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import { loadSession } from '../account.ts'
import { accountSearch } from '../search.ts'
import { lazyPage } from './lazy-page.ts'

/** Layout routes: the frame of all pages, and of pages that require a session. */

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The title in the browser tab and the rail. */
    title?: string
    /** Which rail lists the page. */
    rail?: { icon: LucideIcon; side: 'account' | 'operator' | 'both' }
    /** The page's own keys. */
    keys?: readonly (readonly [key: string, does: string])[]
  }
}

const failedAlone = lazyPage(() => import('./failed.tsx'), 'FailedAlone')

/** The parent of every page. */
export const root = createRootRoute({
  validateSearch: accountSearch,
  search: { middlewares: [retainSearchParams(['account'])] },
  component: lazyPage(() => import('./root.tsx'), 'Root'),
  errorComponent: failedAlone,
  notFoundComponent: lazyPage(() => import('./not-found.tsx'), 'NotFound'),
})

/** The parent of pages that require a session. */
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
