import { ConnectionError } from '@demarc/client/light'
import { lazyRouteComponent } from '@tanstack/react-router'
import { readPath } from '../api.ts'

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
