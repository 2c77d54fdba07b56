import {
  createRootRoute,
  createRoute,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
  type StaticDataRouteOption,
} from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import { loadSession } from '../account.ts'
import { accountSearch } from '../search.ts'
import { ConnectionError } from '@demarc/client/light'
import { readPath } from '../api.ts'

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

/** Loads a page's code when it opens. If that code was replaced by a newer build, the router reloads the portal. If the service is unreachable, a reload would leave the portal, so the page fails instead and can be retried. */
export const lazyPage: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => load().catch(failed), name)

async function failed(error: unknown): Promise<never> {
  try {
    await readPath('/health')
  } catch (silence) {
    // any response means the service is reachable
    if (silence instanceof ConnectionError) throw silence
  }
  throw error
}

const failedAlone = lazyPage(() => import('./failed.tsx'), 'FailedAlone')

/** The parent of every page. */
export const root = createRootRoute({
  validateSearch: accountSearch,
  search: { middlewares: [retainSearchParams(['account'])] },
  component: lazyPage(() => import('./root.tsx'), 'Root'),
  errorComponent: failedAlone,
  notFoundComponent: lazyPage(() => import('./failed.tsx'), 'NotFound'),
})

type Rail = NonNullable<StaticDataRouteOption['rail']>

/** The route of a page that requires a session, without its path and parameters. Pages with a rail entry are in the palette, too. */
export const page = <M extends Record<string, unknown>, Name extends keyof M & string>(
  title: string,
  load: () => Promise<M>,
  name: Name,
  rail?: Rail,
) => ({
  getParentRoute: () => signedIn,
  staticData: { title, ...(rail && { rail }) },
  component: lazyPage(load, name),
})

/** The parent of pages that require a session. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const session = await loadSession()
    if (session === null) throw redirect({ to: '/sign-in', search: { return_to: location.href } })
  },
  component: lazyPage(() => import('./shell.tsx'), 'Shell'),
  errorComponent: failedAlone,
})
