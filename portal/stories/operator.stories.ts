import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { run } from '../../acceptance/support/cast.ts'
import { newOrder, signLoa } from './support/orders.ts'
import { it, longStory, type Stage, type Stories } from './support/stage.ts'

const stories: Stories = (stage) => {
  longStory(
    'does a day at the clerk’s desk by keyboard only: 30 orders submitted, rejected, accepted and completed',
    async (t) => {
      const names = await signedOrders(stage, 30)
      const { page, close } = await stage.visit('operator', '/operator/queue')
      const desk = deskOf(page)
      await desk.gather(names)
      await desk.press('s', 'Submit 30 orders')
      await page.getByText('Submit: 30 orders.').waitFor()

      // from here on they are with the carrier
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

      // what could not be done says why, and nothing is left that could
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

  it('goes on to the next order, and shows what is worked on from its URL alone', async () => {
    const [first = '', second = ''] = await signedOrders(stage, 2)
    const { page, close } = await stage.visit('operator', '/operator/queue')
    const desk = deskOf(page)
    await desk.goTo(first)
    await page.reload()
    await page.getByRole('region', { name: 'The order' }).getByRole('heading', { name: first }).waitFor()
    // what is typed into the search before its code is there is no verb of the queue
    await page.keyboard.press('Control+k')
    await page.keyboard.press('s')
    await page.getByRole('searchbox', { name: 'A number, an order, a page or a verb' }).waitFor()
    assert.equal(await dialogOf(page, `Submit ${first}`).count(), 0)
    await page.keyboard.press('Escape')
    await page.getByText('The holder signed the letter.').waitFor()
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    for (const does of ['Reschedule', 'Select, and next', 'Search and commands']) await keys.getByText(does).waitFor()
    await page.keyboard.press('Escape')
    // from within its field too
    await page.keyboard.press('r')
    await dialogOf(page, `Reject ${first}`).getByRole('textbox', { name: 'Reason', exact: true }).press('Escape')
    await dialogOf(page, `Reject ${first}`).waitFor({ state: 'detached' })
    await desk.press('s', `Submit ${first}`)
    await page.getByRole('region', { name: 'The order' }).getByRole('heading', { name: second }).waitFor()
    await close()
  })

  it('decides about caller-ID names: one rejected with a reason that the holder reads, one approved', async () => {
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

  it('leads back from a page that has become empty and from an account that there is not, and tells of private comments', async () => {
    const { page, close } = await stage.visit('operator', '/operator/queue?who=all&offset=5000')
    const first = page.getByRole('button', { name: 'Show the first page' })
    await first.click()
    await page.getByRole('table').getByRole('row').nth(1).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('offset'), null)
    await page.goto('/operator/audit?offset=9000000')
    await first.click()
    await page.getByRole('table', { name: 'Audit log' }).waitFor()
    await page.goto('/operator/accounts/none')
    await page.getByText('There is no such account').waitFor()
    const { data } = (await stage.service.operator.listEvents({ query: { event_type: 'portorder.noted', limit: 1 } }))
      .body
    const { account_id, subject_id } = data[0]?.attributes ?? assert.fail('the demo has no private comment')
    await page.goto(`/port-orders/${subject_id}?account=${account_id}`)
    await page.getByText('We wrote a private comment.').first().waitFor()
    await close()
  })

  it('begins with what waits for the operator, and leads to it', async () => {
    const { page, close } = await stage.visit('operator', '/')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const { body } = await stage.service.operator.listPortOrderQueue({ query: { who: 'operator', limit: 1 } })
    const order = body.data[0] ?? assert.fail('no order waits for the operator')
    for (const task of [/names? waits?$/, /jobs? (was|were) given up$/, /receivers? fails?$/])
      await page.getByRole('link', { name: task }).waitFor()
    await page.getByRole('link', { name: order.attributes.alias }).first().click()
    await page
      .getByRole('region', { name: 'The order' })
      .getByRole('heading', { name: order.attributes.alias })
      .waitFor()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('link', { name: /names? waits?$/ }).click()
    await page.getByRole('heading', { name: 'Approvals' }).waitFor()
    await close()
  })
}

export default stories

const dialogOf = (page: Page, name: string): Locator => page.getByRole('dialog', { name })

/** The keys of the queue, which are counted. */
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
  const order = page.getByRole('region', { name: 'The order' })
  const rows = page.getByRole('rowheader')
  const send = async (dialog: Locator) => {
    await dialog.waitFor()
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
  }
  /** The names of the rows, and the place of the one that is shown; -1 where none is. */
  const rowsNow = async () => {
    const names = (await rows.allInnerTexts()).map(nameIn)
    const [current] = await page.locator('tr[aria-current] th').allInnerTexts()
    return { names, at: current === undefined ? -1 : names.indexOf(nameIn(current)) }
  }
  /** Faster than the page follows, as who does it all day. */
  const goTo = async (name: string) => {
    await rows.filter({ hasText: name }).waitFor()
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
    /** Goes down from the first of these orders to the last, and selects each. */
    async gather(names: readonly string[]) {
      const wanted = new Set(names)
      const listed = (await rowsNow()).names
      const first = listed.findIndex((name) => wanted.has(name))
      const last = listed.findLastIndex((name) => wanted.has(name))
      await goTo(listed[first] ?? '')
      for (const name of listed.slice(first, last + 1)) await page.keyboard.press(wanted.has(name) ? 'J' : 'j')
      await page.getByText(`${names.length} orders selected`).waitFor()
    },
    /** A verb by its letter, sent by Enter. */
    async press(key: string, dialog: string) {
      await page.keyboard.press(key)
      await send(dialogOf(page, dialog))
    },
  }
}

/** The first line of a row's head. */
const nameIn = (text: string): string => text.split('\n')[0] ?? ''

let made = 0

/** Orders of the holder whose letters are signed, by their names. */
async function signedOrders(stage: Stage, count: number): Promise<string[]> {
  const names: string[] = []
  // a few at a time: more than that at once the service refuses to one account
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
