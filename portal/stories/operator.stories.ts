import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { run } from '../../acceptance/support/cast.ts'
import { newOrder, signLoa } from './support/orders.ts'
import { it, longStory, type Stage, type Stories } from './support/stage.ts'

const stories: Stories = (stage) => {
  longStory(
    'handles a clerk’s day by keyboard only: 30 orders submitted, rejected, accepted, and completed',
    async (t) => {
      const names = await signedOrders(stage, 30)
      const { page, close } = await stage.visit('operator', '/operator/queue')
      const desk = deskOf(page)
      await desk.gather(names)
      await desk.press('s', 'Submit 30 orders')
      await page.getByText('Submit: 30 orders.').waitFor()

      // from here on they wait on the carrier
      await desk.turnTo('2', names)
      const rejections = ['7401', 'zip code', 'pin', 'authorized']
      const refused = names.slice(0, rejections.length)
      for (const [i, words] of rejections.entries()) {
        const name = refused[i] ?? ''
        await desk.goTo(name)
        await page.keyboard.press('r')
        const dialog = dialogOf(page, `Reject ${name}`)
        await dialog.getByRole('textbox', { name: 'Reason', exact: true }).waitFor()
        await page.keyboard.type(words)
        await dialog.getByRole('radio').first().waitFor()
        await desk.send(dialog)
      }
      const dated = names.slice(4, 8)
      for (const [i, name] of dated.entries()) {
        await desk.goTo(name)
        await page.keyboard.press('a')
        const dialog = dialogOf(page, `Accept ${name}`)
        const date = dialog.getByRole('textbox', { name: 'FOC date' })
        const suggested = await date.inputValue()
        for (let day = 0; day <= i; day++) await page.keyboard.press('ArrowDown')
        await dialog.getByText(`${4 + i} business days from today.`).waitFor()
        assert.ok((await date.inputValue()) > suggested)
        await desk.send(dialog)
      }
      const others = names.slice(8)
      await desk.gather(others)
      await desk.press('a', 'Accept 22 orders')
      await page.getByText('Accept: 22 orders.').waitFor()
      await desk.gather([...dated, ...others])
      await desk.press('c', 'Complete 26 orders')
      await page.getByText('Complete: 26 orders.').waitFor()

      // what remains is disabled with a reason
      await desk.turnTo('4', refused)
      await desk.goTo(refused[0] ?? '')
      await page.keyboard.press('c')
      await page.getByText('Statuses that allow it: Accepted.').first().waitFor()
      const { body } = await stage.service.operator.listPortOrderQueue({ query: { limit: 200 } })
      const left = new Map(body.data.map(({ attributes }) => [attributes.alias, attributes.status]))
      assert.deepEqual(
        names.filter((name) => left.has(name)),
        refused,
      )
      for (const name of refused) assert.equal(left.get(name), 'Rejected')
      const keys = desk.keys()
      t.diagnostic(`${keys} keys for ${names.length} orders: ${(keys / names.length).toFixed(1)} for each`)
      assert.ok(keys <= 8 * names.length)
      await close()
    },
  )

  longStory('accepts an order, last loaded before its submission, while it loads again', async () => {
    const names = await signedOrders(stage, 3)
    const { page, close } = await stage.visit('operator', '/operator/queue')
    const desk = deskOf(page)
    for (const each of names) await desk.goTo(each)
    await desk.gather(names)
    await desk.press('s', 'Submit 3 orders')
    await desk.turnTo('2', names)
    // the first and the last one were open during the submission
    const listed = (await page.getByRole('rowheader').allInnerTexts()).map(nameIn)
    const [, name = ''] = listed.filter((each) => names.includes(each))
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route(/\/v2\/portorders\/\d+$/, async (route) => {
      await released
      await route.continue()
    })
    await desk.goTo(name)
    await page.keyboard.press('a')
    await dialogOf(page, `Accept ${name}`).waitFor()
    release()
    await close()
  })

  it('advances to the next order and opens an order from its URL', async () => {
    const [first = '', second = ''] = await signedOrders(stage, 2)
    const { page, close } = await stage.visit('operator', '/operator/queue')
    const desk = deskOf(page)
    await desk.goTo(first)
    await page.reload()
    await page.getByRole('region', { name: 'Order details' }).getByRole('heading', { name: first }).waitFor()
    // keys typed into the search while its code loads don't trigger queue verbs
    await page.keyboard.press('Control+k')
    await page.keyboard.press('s')
    await page.getByRole('searchbox', { name: 'A number, an order, a page, or a verb' }).waitFor()
    assert.equal(await dialogOf(page, `Submit ${first}`).count(), 0)
    await page.keyboard.press('Escape')
    await page.getByText('The customer signed the LOA.').waitFor()
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    for (const does of ['Reschedule', 'select and go to next', 'Search and commands'])
      await keys.getByText(does).waitFor()
    await page.keyboard.press('Escape')
    // from inside its field too
    await page.keyboard.press('r')
    await dialogOf(page, `Reject ${first}`).getByRole('textbox', { name: 'Reason', exact: true }).press('Escape')
    await dialogOf(page, `Reject ${first}`).waitFor({ state: 'detached' })
    await desk.press('s', `Submit ${first}`)
    await page.getByRole('region', { name: 'Order details' }).getByRole('heading', { name: second }).waitFor()
    await close()
  })

  it('rejects a caller ID name with a reason the customer sees, and approves another', async () => {
    const [good, bad] = ['CLERK APPROVES', 'CLERK REJECTS']
    for (const value of [good, bad])
      await stage.service.account.createCnam({ body: { data: { type: 'cnam', attributes: { value } } } })
    const { page, close } = await stage.visit('operator', '/operator/approvals')
    await page.getByRole('button', { name: `Reject ${bad}` }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('It names nobody.')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: bad }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: `Approve ${good}` }).click()
    await page.getByRole('row', { name: good }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Rejected' }).click()
    await page.reload()
    await page.getByRole('row', { name: bad }).getByText('It names nobody.').waitFor()
    await close()
  })

  it('recovers from an empty page and an unknown account, and shows private comments', async () => {
    const { page, close } = await stage.visit('operator', '/operator/queue?who=all&offset=5000')
    const first = page.getByRole('button', { name: 'Go to the first page' })
    await first.click()
    await page.getByRole('table').getByRole('row').nth(1).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('offset'), null)
    await page.goto('/operator/audit?offset=9000000')
    await first.click()
    await page.getByRole('table', { name: 'Audit log' }).waitFor()
    await page.goto('/operator/accounts/none')
    await page.getByText('Account not found').waitFor()
    const { data } = (await stage.service.operator.listEvents({ query: { event_type: 'portorder.noted', limit: 1 } }))
      .body
    const { account_id, subject_id } = data[0]?.attributes ?? assert.fail('the demo has no private comment')
    await page.goto(`/port-orders/${subject_id}?account=${account_id}`)
    await page.getByText('We added a private comment.').first().waitFor()
    await close()
  })

  it('lists the operator’s tasks and links to them', async () => {
    const { page, close } = await stage.visit('operator', '/')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const { body } = await stage.service.operator.listPortOrderQueue({ query: { who: 'operator', limit: 1 } })
    const order = body.data[0] ?? assert.fail('no order waits for the operator')
    for (const task of [/names? awaiting approval$/, /endpoints? (is|are) failing$/])
      await page.getByRole('link', { name: task }).waitFor()
    await page.getByRole('link', { name: order.attributes.alias }).first().click()
    await page
      .getByRole('region', { name: 'Order details' })
      .getByRole('heading', { name: order.attributes.alias })
      .waitFor()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('link', { name: /names? awaiting approval$/ }).click()
    await page.getByRole('heading', { name: 'Approvals' }).waitFor()
    await close()
  })
}

export default stories

const dialogOf = (page: Page, name: string): Locator => page.getByRole('dialog', { name })

/** Presses and counts the queue's keys. */
function deskOf(page: Page) {
  let keys = 0
  const { keyboard } = page
  const [press, type] = [keyboard.press.bind(keyboard), keyboard.type.bind(keyboard)]
  keyboard.press = (key, options) => {
    keys++
    return press(key, options)
  }
  keyboard.type = (text, options) => {
    keys += text.length
    return type(text, options)
  }
  const order = page.getByRole('region', { name: 'Order details' })
  const rows = page.getByRole('rowheader')
  const send = async (dialog: Locator) => {
    await dialog.waitFor()
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
  }
  /** The row names and the index of the open one, or -1. */
  const rowsNow = async () => {
    const names = (await rows.allInnerTexts()).map(nameIn)
    const [current] = await page.locator('tr[aria-current] th').allInnerTexts()
    return { names, at: current === undefined ? -1 : names.indexOf(nameIn(current)) }
  }
  /** After a verb the keys are on the next order, whose row the page marks a little later. */
  const isMarked = () => {
    const id = `queue-${new URL(location.href).searchParams.get('order')}`
    const marked = document.querySelector('[data-current=true]')?.id
    return marked === (document.getElementById(id) === null ? undefined : id)
  }
  /** Faster than the page follows, like an experienced clerk. */
  const goTo = async (name: string) => {
    await rows.filter({ hasText: name }).waitFor()
    await page.waitForFunction(isMarked)
    const { names, at } = await rowsNow()
    const to = names.indexOf(name)
    for (let i = at; i !== to; i += Math.sign(to - at)) await page.keyboard.press(to > at ? 'j' : 'k')
    await order.getByRole('heading', { name, exact: true }).waitFor()
  }
  return {
    keys: () => keys,
    goTo,
    send,
    async turnTo(key: string, names: readonly string[]) {
      await page.keyboard.press(key)
      await rows.filter({ hasText: names.at(-1) ?? '' }).waitFor()
    },
    /** Moves through these orders and selects each. */
    async gather(names: readonly string[]) {
      const wanted = new Set(names)
      const listed = (await rowsNow()).names
      const first = listed.findIndex((name) => wanted.has(name))
      const last = listed.findLastIndex((name) => wanted.has(name))
      await goTo(listed[first] ?? '')
      for (const name of listed.slice(first, last + 1)) await page.keyboard.press(wanted.has(name) ? 'J' : 'j')
      await page.getByText(`${names.length} orders selected`).waitFor()
    },
    /** A verb by its key, submitted with Enter. */
    async press(key: string, dialog: string) {
      await page.keyboard.press(key)
      await send(dialogOf(page, dialog))
    },
  }
}

/** The first line of a row's head. */
const nameIn = (text: string): string => text.split('\n')[0] ?? ''

let made = 0

/** Creates signed orders of the customer, by name. */
async function signedOrders(stage: Stage, count: number): Promise<string[]> {
  const names: string[] = []
  // a few at a time, because the service limits concurrent requests per account
  while (names.length < count)
    names.push(
      ...(await Promise.all(Array.from({ length: Math.min(3, count - names.length) }, () => signedOrder(stage)))),
    )
  return names
}

async function signedOrder(stage: Stage): Promise<string> {
  const place = String(++made).padStart(2, '0')
  const alias = `Clerk’s day ${run}-${place}`
  const id = await newOrder(stage, { alias, numbers: [`+16084${run}${place}`] })
  await signLoa(stage, id)
  return alias
}
