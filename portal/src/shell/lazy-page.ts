import { ConnectionError } from '@demarc/client/light'
import { lazyRouteComponent } from '@tanstack/react-router'
import { readPath } from '../api.ts'

/**
 * A page whose code is loaded when it is opened. Code that is gone because the service has newer makes the router load everything
 * anew. Without a service that would leave the portal, so that then the page fails instead, and can be tried again.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => load().catch(failed), name)

async function failed(error: unknown): Promise<never> {
  try {
    await readPath('/health')
  } catch (silence) {
    // anything else is a response
    if (silence instanceof ConnectionError) throw silence
  }
  throw error
}
