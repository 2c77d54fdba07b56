import { it as register, type TestContext } from 'node:test'
import type { Browser } from 'playwright-core'
import type { Service } from '../../../acceptance/support/service.ts'
import type { Relay } from '../../../server/src/platform/mail/testing/relay.ts'
import type { OpenIdProvider } from '../../../server/test/support/openid-provider.ts'
import type { Visitor, Window } from './browser.ts'

/** Shared by all stories: one service in demo mode and one browser. */
export interface Stage {
  readonly service: Service
  readonly browser: Browser
  /** Receives the service's email; empty if the stories use a running service. */
  readonly relay: Relay
  /** The identity provider, if the stories started the service. */
  readonly provider: OpenIdProvider
  /** Opens a URL as a demo person, by name or role, or signed out (`anyone`). */
  visit(who: string, url: string, window?: Window): Promise<Visitor>
}

/** The default export of a stories file, which calls `it` for each story. */
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

/** The link of the invitation that the service mailed to this address. */
export async function mailedLink({ relay }: Stage, email: string): Promise<URL> {
  const isInvitation = ({ to, text }: { to: string; text: string }) => to === email && text.includes('/invitation#')
  const { text } = await relay.arrived('the invitation', isInvitation)
  return new URL(/https?:\S+\/invitation#\w+/.exec(text)?.[0] ?? '')
}
