import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Stage, Stories } from './support/stage.ts'

const stories: Stories = (stage) => {
  it('does a day at the clerk’s desk by keyboard only: orders submitted, accepted, rejected and completed, several at once', async () => {
    const names = await signedOrders(stage, 10)
    const { page, close } = await stage.visit('operator', '/desk/queue')
    const desk = deskOf(page)
    for (const name of names) await desk.select(name)
    await desk.press('s', 'Submit 10 orders')
    await page.getByText('Submit: 10 orders.').waitFor()

    await page.goto('/desk/queue?who=all')
    const [first = '', second = '', ...others] = names
    await desk.goTo(first)
    await page.keyboard.press('c')
    await page.getByText('Statuses that allow it: Accepted.').first().waitFor()
    await page.keyboard.press('r')
    await dialogOf(page, `Reject ${first}`).getByRole('textbox', { name: 'Reason', exact: true }).waitFor()
    await page.keyboard.insertText('7401')
    await dialogOf(page, `Reject ${first}`).getByText('Account number does not match').waitFor()
    await desk.send(dialogOf(page, `Reject ${first}`))
    await desk.stands(first, 'Rejected')
    await desk.goTo(second)
    await page.keyboard.press('a')
    const accept = dialogOf(page, `Accept ${second}`)
    const date = accept.getByRole('textbox', { name: 'FOC date' })
    const suggested = await date.inputValue()
    await page.keyboard.press('ArrowDown')
    await accept.getByText('4 business days from today.').waitFor()
    assert.ok((await date.inputValue()) > suggested)
    await desk.send(accept)
    await desk.stands(second, 'Accepted')

    for (const name of others) await desk.select(name)
    await desk.press('a', `Accept ${others.length} orders`)
    await page.getByText(`Accept: ${others.length} orders.`).waitFor()
    for (const name of [second, ...others]) await desk.select(name)
    await desk.press('c', 'Complete 9 orders')
    await page.getByText('Complete: 9 orders.').waitFor()
    await page
      .getByRole('rowheader')
      .filter({ hasText: others[0] ?? '' })
      .waitFor({ state: 'detached' })
    await close()
  })

  it('goes on to the next order, and shows what is worked on from its URL alone', async () => {
    const [first = '', second = ''] = await signedOrders(stage, 2)
    const { page, close } = await stage.visit('operator', '/desk/queue')
    const desk = deskOf(page)
    await desk.goTo(first)
    await page.reload()
    await page.getByRole('region', { name: 'The order' }).getByRole('heading', { name: first }).waitFor()
    await page.getByText('The holder signed the letter.').waitFor()
    await desk.press('s', `Submit ${first}`)
    await page.getByRole('region', { name: 'The order' }).getByRole('heading', { name: second }).waitFor()
    await close()
  })

  it('decides about caller-ID names: one rejected with a reason that the holder reads, one approved', async () => {
    const [good, bad] = ['CLERK APPROVES', 'CLERK REJECTS']
    for (const value of [good, bad])
      await stage.service.account.createCnam({ body: { data: { type: 'cnam', attributes: { value } } } })
    const { page, close } = await stage.visit('operator', '/desk/approvals')
    await page.getByRole('button', { name: `Reject ${bad}` }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('It names nobody.')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: bad }).getByText('It names nobody.').waitFor()
    await page.getByRole('button', { name: `Approve ${good}` }).click()
    await page.getByRole('row', { name: good }).waitFor({ state: 'detached' })
    await close()
  })
}

export default stories

const dialogOf = (page: Page, name: string): Locator => page.getByRole('dialog', { name })

/** The keys of the queue. */
function deskOf(page: Page) {
  const order = page.getByRole('region', { name: 'The order' })
  const rows = page.getByRole('rowheader')
  const send = async (dialog: Locator) => {
    await dialog.waitFor()
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
  }
  const goTo = async (name: string) => {
    const heading = order.getByRole('heading', { name, exact: true })
    await rows.filter({ hasText: name }).waitFor()
    const names = await rows.allInnerTexts()
    const to = names.findIndex((each) => each.startsWith(`${name}\n`))
    const current = await page.locator('tr[aria-current] th').allInnerTexts()
    const at = names.findIndex((each) => each === current[0])
    const steps = at === -1 ? to + 1 : to - at
    for (let step = 0; step < Math.abs(steps); step++) {
      const next = names[at === -1 ? step : at + Math.sign(steps) * (step + 1)] ?? ''
      await page.keyboard.press(steps > 0 ? 'j' : 'k')
      await page
        .locator('tr[aria-current] th')
        .filter({ hasText: next.split('\n')[0] ?? '' })
        .waitFor()
    }
    await heading.waitFor()
  }
  return {
    goTo,
    send,
    async select(name: string) {
      await goTo(name)
      await page.keyboard.press('x')
      await page.getByRole('row', { name }).and(page.locator('[data-selected]')).waitFor()
    },
    /** A verb by its letter, sent by Enter. */
    async press(key: string, dialog: string) {
      await page.keyboard.press(key)
      await send(dialogOf(page, dialog))
    },
    stands: (name: string, status: string) =>
      page.getByRole('row').filter({ hasText: name }).getByText(status, { exact: true }).waitFor(),
  }
}

let made = 0

/** Orders of the holder whose letters are signed, by their names. */
async function signedOrders({ service: { account } }: Stage, count: number): Promise<string[]> {
  const names: string[] = []
  for (let i = 0; i < count; i++) {
    const alias = `Clerk’s day ${String(++made).padStart(2, '0')}`
    const attributes = {
      alias,
      numbers: [`+1608555${String(7600 + made)}`],
      provider: 'Lakeside Bell',
      billing_name: 'Elena Núñez',
      street: '318 Center St',
      city: 'Friendship',
      state: 'WI',
      zip: '53934',
      country: 'US' as const,
      usage_type: 'Residential',
    }
    const created = await account.createPortOrder({ body: { data: { type: 'portorder', attributes } } })
    const id = created.body.data.type === 'portorder' ? created.body.data.id : assert.fail('no order was created')
    const { data } = (await account.getLoa({ params: { portorder_id: id } })).body
    const signed = { ...data.attributes, signature_name: 'Elena Núñez', signature_title: 'Owner' }
    await account.submitLoa({ params: { portorder_id: id }, body: { data: { ...data, attributes: signed } } })
    names.push(alias)
  }
  return names
}
