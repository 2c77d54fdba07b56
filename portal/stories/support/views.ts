import type { Page } from 'playwright-core'
import type { Service } from '../../../acceptance/support/service.ts'
import { operatorOverview, pagesOf, type PageWithUrl } from './pages.ts'

/** Views for screenshots: pages and their dialogs. */
export interface View extends Pick<PageWithUrl, 'url' | 'visitor'> {
  /** The screenshot's name. */
  name: string
  /** Opens the view from the freshly opened page. */
  steps?(page: Page): Promise<void>
}

const button = (name: string | RegExp) => async (page: Page) => {
  // the first row whose button is enabled
  const able = page.getByRole('button', { name }).and(page.locator(':not([aria-disabled=true])'))
  await able.first().click()
  await page.getByRole('dialog').waitFor()
}

const menu = (name: string) => async (page: Page) => {
  await page.getByRole('button', { name }).click()
  await page.getByRole('menu').waitFor()
}

const keys =
  (...pressed: string[]) =>
  async (page: Page) => {
    for (const key of pressed) await page.keyboard.press(key)
    await page.getByRole('dialog').waitFor()
  }

/** Dialogs and how to open them. */
const within: readonly View[] = [
  { ...operatorOverview, name: 'operator-overview' },
  { name: 'settings-dialog-invite', url: '/settings', visitor: 'owner', steps: button('Invite a person') },
  {
    name: 'settings-dialog-authenticator-app',
    url: '/settings/sign-in',
    visitor: 'owner',
    async steps(page) {
      await button('Set up an authenticator app')(page)
      await page.getByRole('img', { name: 'QR code of the secret' }).waitFor()
    },
  },
  { name: 'settings-dialog-password', url: '/settings/sign-in', visitor: 'owner', steps: button(/ password$/) },
  { name: 'settings-dialog-role', url: '/settings', visitor: 'owner', steps: button(/^Change role/) },
  { name: 'settings-dialog-remove', url: '/settings', visitor: 'owner', steps: button(/^Remove/) },
  { name: 'developers-dialog-key', url: '/developers', visitor: 'owner', steps: button('Create a key') },
  { name: 'developers-dialog-rotate', url: '/developers', visitor: 'owner', steps: button(/^Rotate/) },
  { name: 'developers-dialog-revoke', url: '/developers', visitor: 'owner', steps: button(/^Revoke/) },
  {
    name: 'developers-dialog-attempts',
    url: '/developers/deliveries',
    visitor: 'owner',
    steps: button(/, delivery /),
  },
  { name: 'invitation-refused', url: '/invitation#mistyped', visitor: 'anyone' },
  {
    name: 'numbers-dialog-change',
    url: '/numbers',
    visitor: 'owner',
    async steps(page) {
      const rows = page.getByRole('checkbox', { name: /^Select \d/ })
      await rows.first().waitFor()
      for (const row of (await rows.all()).slice(0, 3)) await row.check()
      await button(/^Change \d/)(page)
    },
  },
  { name: 'numbers-dialog-release', url: '/numbers/12065550100', visitor: 'owner', steps: button('Release') },
  {
    name: 'numbers-get-found',
    url: '/numbers/get?place=425',
    visitor: 'owner',
    async steps(page) {
      const rows = page.getByRole('checkbox', { name: /^Select \d/ })
      await rows.first().waitFor()
      for (const row of (await rows.all()).slice(0, 3)) await row.check()
    },
  },
  {
    name: 'numbers-get-setup',
    url: '/numbers/get?place=425',
    visitor: 'owner',
    async steps(page) {
      await page
        .getByRole('checkbox', { name: /^Select \d/ })
        .first()
        .check()
      await page.getByRole('button', { name: 'Set up and order' }).click()
      await page.getByRole('button', { name: 'Order 1 number' }).waitFor()
    },
  },
  {
    name: 'numbers-get-in-a-row',
    url: '/numbers/get?place=Seattle&run=2',
    visitor: 'owner',
    async steps(page) {
      const rows = page.getByRole('checkbox', { name: /^Select \d/ })
      await rows.first().waitFor()
      for (const row of (await rows.all()).slice(2, 4)) await row.check()
    },
  },
  {
    name: 'operator-port-outs-dialog-record',
    url: '/operator/port-outs',
    visitor: 'operator',
    steps: button('Record a request'),
  },
  {
    name: 'operator-account-dialog-limits',
    url: '/operator/accounts/1001',
    visitor: 'operator',
    steps: button('Change limits'),
  },
  {
    name: 'operator-account-dialog-legal-hold',
    url: '/operator/accounts/1001',
    visitor: 'operator',
    steps: button('Set a legal hold'),
  },
  { name: 'numbers-dialog-import', url: '/numbers', visitor: 'owner', steps: button('Import') },
  { name: 'numbers-dialog-api-call', url: '/numbers', visitor: 'owner', steps: button('Show as API call') },
  { name: 'caller-id-dialog-name', url: '/caller-id', visitor: 'owner', steps: button('Request a name') },
  { name: 'caller-id-dialog-remove', url: '/caller-id', visitor: 'owner', steps: button(/^Remove/) },
  { name: 'overview-palette', url: '/', visitor: 'owner', steps: keys('Control+k') },
  { name: 'overview-keys', url: '/', visitor: 'owner', steps: keys('?') },
  { name: 'overview-menu-person', url: '/', visitor: 'owner', steps: menu('Elena Núñez') },
  {
    name: 'overview-found',
    url: '/',
    visitor: 'owner',
    async steps(page) {
      await keys('Control+k')(page)
      await page.keyboard.type('555-01')
      await page
        .getByRole('menuitem', { name: /Number$/ })
        .first()
        .waitFor()
    },
  },
  { name: 'operator-queue-menu-account', url: '/operator/queue', visitor: 'operator', steps: button(/^Account: /) },
  {
    name: 'operator-street-data-counties',
    url: '/operator/street-data?counties_of=WI&county_offset=60',
    visitor: 'operator',
    async steps(page) {
      await page.getByRole('table', { name: 'Counties of WI' }).waitFor()
      const card = page.getByRole('heading', { name: /^Coverage by state/ })
      await card.evaluate((element) => element.scrollIntoView({ block: 'center' }))
    },
  },
  {
    name: 'operator-inventory-dialog-change',
    url: '/operator/inventory/numbers?find=Seattle',
    visitor: 'operator',
    async steps(page) {
      const rows = page.getByRole('checkbox', { name: /^Select \d/ })
      await rows.first().waitFor()
      for (const row of (await rows.all()).slice(0, 3)) await row.check()
      await button(/^Hold, recall/)(page)
    },
  },
  {
    name: 'operator-inventory-dialog-load',
    url: '/operator/inventory',
    visitor: 'operator',
    async steps(page) {
      await button('Load numbers')(page)
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('dialog').getByRole('button', { name: 'Choose a file' }).click(),
      ])
      const buffer = Buffer.from(
        [
          'number,rate_center,state,monthly_cost,setup_cost,supplier',
          '15095550110,SPOKANE,WA,1.25,1.00,own',
          '15095550111,SPOKANE,WA,1.25,1.00,own',
          '15095550112,SPOKANE,WA,free,1.00,own',
        ].join('\n'),
      )
      await chooser.setFiles({ name: 'spokane.csv', mimeType: 'text/csv', buffer })
      await page.getByRole('table', { name: 'Rejected lines' }).waitFor()
    },
  },
  {
    name: 'operator-queue-dialog-reject',
    url: '/operator/queue?who=carrier',
    visitor: 'operator',
    steps: keys('j', 'r'),
  },
  {
    name: 'operator-queue-dialog-reschedule',
    url: '/operator/queue?who=carrier',
    visitor: 'operator',
    async steps(page) {
      // which order is first depends on the weekday, and a submitted one has no completion date
      await page.getByRole('row').filter({ hasText: 'Accepted' }).getByRole('link').first().click()
      await keys('d')(page)
    },
  },
  {
    name: 'operator-approvals-dialog-reject',
    url: '/operator/approvals',
    visitor: 'operator',
    steps: button(/^Reject /),
  },
]

/** Every page and its dialogs. */
export async function viewsOf(service: Service): Promise<View[]> {
  const pages = await pagesOf(service)
  return [...pages.map(({ path, url, visitor }) => ({ name: nameOf(path), url, visitor })), ...within]
}

/** Views by their names in docs/pictures. */
const pictured: Readonly<Record<string, string>> = {
  overview: 'overview',
  'call-records': 'call-records',
  'port-orders-order': 'port-order',
  'numbers-get-in-a-row': 'get-numbers',
  'numbers-get-setup': 'get-numbers-setup',
  'numbers-number': 'number',
  'operator-inventory': 'inventory',
}

/** The pictures of the README and the docs. */
export async function readmeViewsOf(service: Service): Promise<View[]> {
  const views = await viewsOf(service)
  return [
    ...views.flatMap((view) => {
      const name = pictured[view.name]
      return name === undefined ? [] : [{ ...view, name }]
    }),
    {
      name: 'queue',
      url: '/operator/queue?who=all',
      visitor: 'operator',
      async steps(page) {
        await page.keyboard.press('j')
        await page.getByRole('heading', { name: 'Timeline' }).waitFor()
      },
    },
  ]
}

/** `/numbers/$number` is `numbers-number`. */
const nameOf = (path: string): string => path.replaceAll(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'overview'
