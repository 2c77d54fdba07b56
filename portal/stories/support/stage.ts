import { it as register, type TestContext } from 'node:test'
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

const suite = process.env['DEMARC_TEST_SUITE']
let is_first = true

/** Begins the stories of a file. `npm test` runs the first of each file, and the full suite the others. */
export function registerStories(stories: Stories, stage: Stage): void {
  is_first = true
  stories(stage)
}

/** `it` of node:test, for a story. */
export function it(name: string, story: (t: TestContext) => Promise<void>): void {
  const is_quick = is_first
  is_first = false
  if (suite === 'quick' ? is_quick : suite !== 'rest' || !is_quick) void register(name, story)
}

/** The same for a story that takes long: never the one that `npm test` runs. */
export function longStory(name: string, story: (t: TestContext) => Promise<void>): void {
  if (suite !== 'quick') void register(name, story)
}
