import type { Browser } from 'playwright-core'
import type { Service } from '../../../acceptance/support/service.ts'
import type { Relay } from '../../../server/src/notices/testing/relay.ts'
import type { OpenIdProvider } from '../../../server/test/support/openid-provider.ts'
import type { Visitor, Window } from './browser.ts'

/** What all stories have: one service in demo mode, and one browser. */
export interface Stage {
  readonly service: Service
  readonly browser: Browser
  /** What the service mails; nothing where the stories did not start it. */
  readonly relay: Relay
  /** Where the service lets people sign in, if these stories have started it. */
  readonly provider: OpenIdProvider
  /** Somebody of the demo, by name or role (or nobody: `anyone`), opens a page from its URL alone. */
  visit(who: string, url: string, window?: Window): Promise<Visitor>
}

/** The stories of a file, as its default export: it calls `it` for each. */
export type Stories = (stage: Stage) => void
