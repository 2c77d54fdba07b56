import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { AxeBuilder } from '@axe-core/playwright'
import type { Locator, Page, Route } from 'playwright-core'
import { run } from '../../acceptance/support/cast.ts'
import { open } from './support/browser.ts'
import { keyboardOf } from './support/keyboard.ts'
import { newOrder, signLoa } from './support/orders.ts'
import { it, type Stories } from './support/stage.ts'

const bill = { name: 'bill.txt', mimeType: 'text/plain', buffer: Buffer.from('Lakeside Bell\nAccount 4711-22\n') }

/** The billing details the customer enters, by field label. */
const details = {
  'Losing carrier': 'Lakeside Bell',
  'Account number (optional)': '4711-22',
  Company: 'Harbor Dental',
  'Authorized person': 'Elena Núñez',
  Street: '318 Center St',
  City: 'Friendship',
  'ZIP or postal code': '53934',
}

const orderName = 'Order name (optional)'
const name = `Branch office ${run}`

const stories: Stories = (stage) => {
  it('ports numbers by keyboard from paste to Completed, with a corrected rejection, while the clerk works in another window without reloads', async () => {
    const [holder, clerk] = await Promise.all([
      stage.visit('owner', '/port-orders'),
      stage.visit('operator', '/operator/queue'),
    ])
    const { page } = holder
    const keys = keyboardOf(page)
    const loads = [page, clerk.page].map((each) => loadsOf(each))
    await keys.press(page.getByRole('link', { name: 'Port numbers' }))
    await keys.write(
      page.getByRole('textbox', { name: 'Numbers' }),
      `Front desk: (608) 4${run.slice(0, 2)}-${run.slice(2)}91\n6084${run}92; 911`,
    )
    await keys.press(page.getByRole('button', { name: 'Continue with 2 numbers' }))
    await step(page, 'Who is your current carrier?')
    for (const [label, value] of Object.entries({ ...details, [orderName]: name }))
      await keys.write(field(page, label), value)
    await keys.choose(
      page.getByRole('button', { name: 'State or province' }),
      page.getByRole('option', { name: 'WI', exact: true }),
    )
    await keys.press(page.getByRole('button', { name: 'Save and check the order' }))
    await step(page, 'The latest bill')
    const chooser = page.waitForEvent('filechooser')
    await keys.press(page.getByRole('button', { name: 'Choose files' }))
    await (await chooser).setFiles(bill)
    await page.getByRole('link', { name: 'bill.txt' }).waitFor()
    await keys.press(page.getByRole('button', { name: 'Continue' }))
    await step(page, 'How should the numbers be set up?')
    await keys.choose(
      page.getByRole('button', { name: / Route$/ }),
      page.getByRole('option', { name: /^Practice PBX/ }),
    )
    await page.getByText('Route: on 2 numbers, immediately.').waitFor()
    await keys.press(page.getByRole('button', { name: 'Continue' }))
    await step(page, 'Read and sign the LOA')
    await keys.write(page.getByRole('textbox', { name: 'Your name' }), 'Elena Núñez')
    await keys.write(page.getByRole('textbox', { name: 'Your title' }), 'Owner')
    // the input appears in the LOA
    await page.getByRole('article', { name: 'Letter of Agency' }).getByText('Elena Núñez', { exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await step(page, '2 numbers on the way')
    await keys.press(page.getByRole('link', { name: 'Follow this order' }))
    await move(page, 'Waiting on us')

    // the clerk's queue was open before this order existed
    const desk = clerkOf(clerk.page, name)
    await desk.open()
    await desk.act('Submit')
    await move(page, 'Waiting on the losing carrier')
    await desk.follow('Waiting on carrier')
    await desk.act('Reject', async (dialog) => {
      await dialog.getByRole('textbox', { name: 'Reason', exact: true }).fill('7401')
      await dialog.getByRole('textbox', { name: 'What the carrier said (optional)' }).fill('No account 4711-22.')
    })
    await move(page, 'Waiting on you')
    const rejection = page.getByRole('region', { name: 'Why it was rejected' })
    assert.match(await rejection.innerText(), /No account 4711-22\.[^]*Account number is currently: 4711-22/)
    await desk.follow('All')
    await keys.write(rejection.getByRole('textbox', { name: 'Account number' }), '4711-23')
    await page.keyboard.press('Enter')
    await rejection.waitFor({ state: 'detached' })

    await desk.pane.getByText('Review', { exact: true }).waitFor()
    await desk.pane.getByText('4711-23').waitFor()
    await desk.act('Submit')
    await desk.act('Accept')
    await page.getByText(/^FOC date .*\d business days? left/).waitFor()
    await desk.act('Complete')
    await move(page, 'Port complete')
    await page.getByText('The port is complete. The numbers are on this account.').waitFor()
    assert.deepEqual(
      loads.map((count) => count()),
      [0, 0],
    )
    await keys.press(page.getByRole('link', { name: `(608) 4${run.slice(0, 2)}-${run.slice(2)}91` }))
    await page.getByText('Practice PBX', { exact: true }).waitFor()
    await holder.close()
    await clerk.close()
  })

  it('shows the final state of an order that changed twice within a second', async () => {
    const id = await newOrder(stage, { numbers: [`+16084${run}94`] })
    await signLoa(stage, id)
    const moveTo = (to: 'Submitted' | 'Hard_canceled') =>
      stage.service.operator.transitionPortOrder({ params: { portorder_id: id }, body: { to } })
    const { page, close } = await stage.visit('owner', `/port-orders/${id}`)
    await page.getByText('You signed the LOA.').waitFor()
    // timestamps have whole seconds: both changes happen in one, with a poll in between
    const asked = ({ pathname }: URL) => pathname === `/v2/portorders/${id}`
    const submitted = async (route: Route) => {
      await sleep(1000 - (Date.now() % 1000))
      await moveTo('Submitted')
      await route.continue()
    }
    await page.route(asked, submitted, { times: 1 })
    await page.getByText('We submitted the order to the losing carrier.').waitFor()
    await moveTo('Hard_canceled')
    await page.getByText('We canceled the order.').waitFor()
    await close()
  })

  it('shows how an order ended while its timeline was still loading', async () => {
    const id = await newOrder(stage, { numbers: [`+16084${run}96`] })
    await signLoa(stage, id)
    const to = (status: 'Submitted' | 'Hard_canceled') =>
      stage.service.operator.transitionPortOrder({ params: { portorder_id: id }, body: { to: status } })
    await to('Submitted')
    const { page, close } = await stage.visit('owner', '/port-orders')
    // the first timeline is read before the order ends, and arrives after the page shows that it has
    const ended = page.getByText('Hard canceled', { exact: true }).first().waitFor()
    const timeline = ({ pathname }: URL) => pathname === `/v2/portorders/${id}/timeline`
    const delayed = async (route: Route) => {
      const response = await route.fetch()
      await to('Hard_canceled')
      await ended
      await route.fulfill({ response })
    }
    await page.route(timeline, delayed, { times: 1 })
    await page.goto(`/port-orders/${id}`)
    await page.getByText('We canceled the order.').waitFor()
    // the page may show the new timeline before the delayed response is sent
    await ended
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await close()
  })

  it('shows each number’s portability and how orders are split', async () => {
    const { page, close } = await stage.visit('owner', '/port-orders/new')
    await page
      .getByRole('textbox', { name: 'Numbers' })
      .fill('6085557201\n+1 888 555 7202\n608-555-0190\n(608) 555-0195\n60855572')
    const found = page.getByRole('status', { name: 'Portability' })
    await found.getByText('held by Simulated Other Carrier').waitFor()
    const text = await found.innerText()
    assert.match(text, /3 numbers can be ported, as a group of 3 orders/)
    assert.match(text, /Toll-free/)
    assert.match(text, /1 number can’t be ported and will be left out\s+\(608\) 555-0190\s+\S/)
    await page.getByText('Not recognized: 60855572').waitFor()
    await close()
  })

  it('shows the check’s findings at their fields and keeps the draft across reloads', async () => {
    const { page, close } = await stage.visit('owner', '/port-orders/new')
    await page.getByRole('textbox', { name: 'Numbers' }).fill('6085557301')
    // before it is created, the window stores it
    await page.reload()
    await page.getByRole('button', { name: 'Continue with 1 number' }).click()
    await field(page, 'Losing carrier').fill(details['Losing carrier'])
    await field(page, 'PIN (optional)').fill('4711')
    await page.reload()
    assert.equal(await field(page, 'Losing carrier').inputValue(), details['Losing carrier'])
    assert.equal(await field(page, 'PIN (optional)').inputValue(), '', 'what is secret is not kept')
    for (const [label, value] of Object.entries({
      ...details,
      'ZIP or postal code': '98101',
      'Account number (optional)': '',
    }))
      await field(page, label).fill(value)
    await page.getByRole('button', { name: 'State or province' }).click()
    await page.getByRole('option', { name: 'WI', exact: true }).click()
    await page.getByRole('button', { name: 'Save and check the order' }).click()
    await page.getByText(/The check found/).waitFor()
    const url = page.url()
    await page.goto('/port-orders')
    await page.goto(url)
    const zip = page.locator('[data-field=zip]')
    assert.equal(await zip.getByRole('textbox').inputValue(), '98101')
    await zip.getByLabel(/Error|Warning/).waitFor()
    const { violations } = await new AxeBuilder({ page }).analyze()
    assert.deepEqual(violations, [])
    await zip.getByRole('textbox').fill('53934')
    await page.getByRole('textbox', { name: 'Account number (optional)' }).fill('4711-22')
    await page.getByRole('textbox', { name: 'City' }).focus()
    await page.getByText('The check found no problems.').waitFor()
    const { body } = await stage.service.account.getPortOrder({ params: { portorder_id: idOf(page) } })
    assert.equal(body.data.attributes.billing_address.zip, '53934')
    await close()
  })

  it('finds an order by number, id, or name and keeps filters in the URL', async () => {
    const { page, close } = await stage.visit('owner', '/port-orders')
    await page.getByRole('heading', { name: 'Needs your attention' }).waitFor()
    const search = page.getByRole('searchbox', { name: 'Search port orders' })
    const orders = page.getByRole('table').getByRole('rowheader')
    const { body } = await stage.service.account.listPortOrders({ query: { alias: 'Westfield office' } })
    for (const typed of ['(608) 555-0114', body.data[0]?.id ?? '', 'westfield']) {
      await search.fill(typed)
      await page.waitForURL((url) => url.searchParams.get('find') === typed)
      await orders.filter({ hasNotText: 'Westfield office' }).first().waitFor({ state: 'detached' })
      await orders.getByText('Westfield office').waitFor()
    }
    assert.match(page.url(), /find=westfield/)
    await page.goto('/port-orders?status=Accepted')
    await orders.first().waitFor()
    assert.equal(await page.getByRole('cell', { name: /^(Pending|Rejected)$/ }).count(), 0)
    await close()
  })

  it('shows the list and the customer’s tasks together without layout shifts and wraps long names at 360 px', async () => {
    const alias = 'W'.repeat(100)
    const id = await newOrder(stage, { numbers: [`+16084${run}93`], alias })
    const { context, page, close } = await stage.visit('owner', `/port-orders/${id}`, { width: 360 })
    const width = () => page.evaluate(() => document.documentElement.scrollWidth)
    assert.equal(await width(), 360)
    await open(page, '/port-orders')
    const named = await page.getByRole('link', { name: alias }).first().boundingBox()
    assert.ok(named !== null && named.x + named.width < 360, 'it is cut off')
    for (const [path, below] of [
      ['/port-orders', page.getByRole('searchbox', { name: 'Search port orders' })],
      ['/', page.getByRole('heading', { name: 'In progress' })],
    ] as const) {
      const late = Promise.withResolvers<void>()
      await context.route(/who=account/, (route) => void late.promise.then(() => route.continue()))
      const others = page.waitForResponse(/v2\/portorders\?(?!.*who=account)/)
      await page.goto(path)
      await others
      await page.getByRole('status', { name: 'Loading' }).first().waitFor()
      assert.equal(await below.isVisible(), false, path)
      late.resolve()
      await below.waitFor()
      await page.getByRole('heading', { name: 'Needs your attention' }).waitFor()
      assert.equal(await width(), 360, path)
      await context.unroute(/who=account/)
    }
    await close()
  })

  it('confirms the consequence before canceling and explains why a submitted order can’t be canceled', async () => {
    const { page, close } = await stage.visit('owner', '/port-orders?status=Accepted')
    await page.getByRole('table').getByRole('rowheader').getByRole('link').first().click()
    const cancel = page.getByRole('button', { name: 'Cancel order' })
    assert.equal(await cancel.getAttribute('aria-disabled'), 'true')
    await cancel.focus()
    await page.getByRole('tooltip').getByText('Contact support to cancel it. A fee may apply.').waitFor()
    await page.goto(`/port-orders/${await newOrder(stage, { numbers: ['+16085557401'] })}`)
    await cancel.click()
    const dialog = page.getByRole('dialog')
    assert.match(await dialog.innerText(), /becomes Canceled\. This can’t be undone\. No fee\./)
    await dialog.getByRole('button', { name: 'Cancel the order' }).click()
    await move(page, 'Order closed')
    await close()
  })
}

export default stories

const field = (page: Page, label: string) => page.getByRole('textbox', { name: label, exact: true })

const step = (page: Page, name: string) => page.getByRole('heading', { level: 2, name }).waitFor()

const move = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()

const idOf = (page: Page): string => new URL(page.url()).searchParams.get('order') ?? assert.fail('no order in the URL')

/** The clerk's actions on this order. */
function clerkOf(page: Page, name: string) {
  const pane = page.getByRole('region', { name: 'Order details' })
  const open = async () => {
    await page.getByRole('rowheader').getByRole('link', { name }).click()
    await pane.getByRole('heading', { name }).waitFor()
  }
  return {
    pane,
    open,
    /** Opens the queue filter that lists the order now. */
    async follow(side: string) {
      await page.getByRole('group', { name: 'Waiting on' }).getByRole('button', { name: side }).click()
      await open()
    },
    /** Runs a verb of the order, with input. */
    async act(verb: string, say: (dialog: Locator) => Promise<void> = async () => undefined) {
      await pane.locator(`button:has-text("${verb}"):not([aria-disabled=true])`).click()
      const dialog = page.getByRole('dialog', { name: `${verb} ${name}` })
      await say(dialog)
      await dialog.getByRole('button', { name: verb, exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
    },
  }
}

/** Counts page reloads from now on. */
function loadsOf(page: Page): () => number {
  let loads = 0
  page.on('load', () => loads++)
  return () => loads
}
