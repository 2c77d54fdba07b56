import assert from 'node:assert/strict'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { reportMotion } from './motion.ts'

export type Theme = 'light' | 'dark'

export interface Window {
  theme?: Theme
  width?: number
  height?: number
  /** Whether the person wants to see motion. Without it, motion that is seen fails the story. */
  motion?: boolean
}

export interface Visitor {
  context: BrowserContext
  page: Page
  /** Ends the visit. Fails the story if the page logged an error, threw one, or did something that its policy refuses. */
  close(): Promise<void>
}

/** Only what hangs takes so long: a busy machine must not fail a story. */
const hang_ms = 120_000

/** A person before a window: cookies, storage and theme of their own. */
export async function newVisitor(
  browser: Browser,
  base_url: string,
  { theme = 'light', width = 1440, height = 900, motion = false }: Window = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL: base_url,
    colorScheme: theme,
    viewport: { width, height },
    reducedMotion: motion ? 'no-preference' : 'reduce',
    timezoneId: 'America/Los_Angeles',
    locale: 'en-US',
  })
  context.setDefaultTimeout(hang_ms)
  await reportMotion(context)
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.stack ?? error.message))
  page.on('console', (message) => {
    // the browser logs refusals of the API too, which pages show
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) errors.push(message.text())
  })
  return {
    context,
    page,
    async close() {
      await context.close()
      assert.deepEqual(errors, [])
    },
  }
}

/** Signs in as one of the demo's people, the one of this name or the first with this role, on this account where one is named, as the sign-in page does. */
export async function signInAs(context: BrowserContext, who: string, account?: string): Promise<void> {
  const options = await context.request.get('/v2/sign_in')
  const { data } = (await options.json()) as {
    data: { demo_people: { id: string; name: string; role: string; account_name: string }[] }
  }
  const person = data.demo_people.find(
    ({ name, role, account_name }) =>
      (name === who || role === who) && (account === undefined || account_name === account),
  )
  assert.ok(person !== undefined, `none of the demo's people is ${who}`)
  const response = await context.request.post('/v2/sign_in/demo', { data: { person_id: person.id } })
  assert.equal(response.status(), 200, await response.text())
}

/** Opens a page from its URL alone, and waits until everything that it asks for is there. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.locator('h1').first().waitFor()
  await page.locator('[role=status][aria-label=Loading]').first().waitFor({ state: 'detached' })
  await page.evaluate(() => document.fonts.ready)
}
