import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { it, type Stories } from './support/stage.ts'

const stories: Stories = (stage) => {
  it('loads a file after a dry run, holds a number, and reports what each thousands-block has', async () => {
    const { page, close } = await stage.visit('operator', '/operator/inventory')
    const file = [
      'number,rate_center,state,monthly_cost,setup_cost,supplier',
      '15095550110,SPOKANE,WA,1.25,1.00,own',
      '15095550111,SPOKANE,WA,1.25,1.00,own',
      '15095550112,SPOKANE,WA,free,1.00,own',
    ].join('\n')
    await page.getByRole('button', { name: 'Load numbers' }).click()
    const dialog = page.getByRole('dialog')
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      dialog.getByRole('button', { name: 'Choose a file' }).click(),
    ])
    await chooser.setFiles({ name: 'spokane.csv', mimeType: 'text/csv', buffer: Buffer.from(file) })
    await dialog.getByText('monthly_cost: Must be an amount in dollars').waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Download rejected lines' }).click(),
    ])
    const rejected = await readFile(await download.path(), 'utf8')
    assert.match(
      rejected,
      /^number,.*,line,rejected_because\r\n15095550112,SPOKANE,WA,free,1.00,own,4,"?monthly_cost: /,
    )
    await dialog.getByRole('button', { name: 'Load 2 numbers' }).click()
    await dialog.getByRole('heading', { name: 'Numbers loaded' }).waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()

    // few numbers are left there
    await page.getByRole('button', { name: 'Running short' }).click()
    await page.getByRole('row', { name: /Spokane, WA Running short 2/ }).waitFor()
    await page.getByRole('link', { name: 'Spokane, WA' }).click()
    await page.waitForURL((to) => to.searchParams.get('find') === 'Spokane, WA')
    await page.getByRole('checkbox', { name: 'Select 15095550110' }).check()
    await page.getByRole('button', { name: 'Hold, recall, or make available: 1 number' }).click()
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('For the city')
    await dialog.getByRole('button', { name: 'Hold', exact: true }).click()
    await dialog.getByText('All selected numbers changed.').waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Held', exact: true }).click()
    await page.getByRole('row', { name: /\(509\) 555-0110 Held For the city/ }).waitFor()

    await page.getByRole('tab', { name: 'Utilization' }).click()
    await page.getByRole('searchbox', { name: 'Leading digits' }).fill('509')
    await page.waitForURL((to) => to.searchParams.get('find') === '509')
    await page.getByRole('row', { name: /509-555-0/ }).waitFor()
    const [report] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ])
    assert.match(await readFile(await report.path(), 'utf8'), /\r\n509,555,0,WA,SPOKANE,0,0,0,0,1,1,0.0\r\n/)
    await close()
  })

  it('shows when released numbers return, and limits what an account may order', async () => {
    const params = { number: '14255550150' }
    await stage.service.account.orderNumber({ params, body: {} })
    await stage.service.account.releaseNumber({ params })
    const { page, close } = await stage.visit('operator', '/operator/inventory/numbers?status=aging')
    await page.getByRole('row', { name: /\(425\) 555-0150 Aging For sale again/ }).waitFor()
    const account = (await stage.service.other.whoami()).body.data.account_id ?? ''
    await page.goto(`/operator/accounts/${account}`)
    await page.getByRole('button', { name: 'Change limits' }).click()
    await page.getByRole('textbox', { name: 'Numbers on the account' }).fill('100000')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('100,000', { exact: true }).waitFor()
    await close()
  })

  it('approves an order, rejects another, and shows both to the customer', async () => {
    const { operator, other } = stage.service
    const account_id = (await other.whoami()).body.data.account_id ?? ''
    const limits = { numbers_max: null, reserved_max: null }
    await operator.setNumberPolicy({ params: { account_id }, body: { ...limits, approval: 'all' } })
    const made = ['19715550160', '19715550161', '19715550162'].map(
      async (number) => (await other.createNumberOrder({ body: { numbers: [number] } })).body.data.id,
    )
    const [first = '', second = '', third = ''] = await Promise.all(made)
    const { page, close } = await stage.visit('operator', '/operator/approvals/orders')
    await page.getByRole('button', { name: `Approve order ${first}` }).click()
    await page.getByText(`Order ${first} approved.`).waitFor()
    await page.getByRole('button', { name: `Reject order ${second}` }).click()
    await page.getByRole('textbox', { name: 'Reason' }).fill('Call us about your credit limit.')
    await page.getByRole('button', { name: 'Reject the order' }).click()
    await page.getByRole('link', { name: `Order ${second}` }).waitFor({ state: 'detached' })
    // what the customer sees
    await page.goto(`/numbers/get?order=${second}&account=${account_id}`)
    await page.getByText('Call us about your credit limit.').waitFor()
    await page.goto(`/numbers/get?order=${third}&account=${account_id}`)
    await page.getByRole('button', { name: 'Cancel the order' }).click()
    await page.getByText('Canceled', { exact: true }).waitFor()
    await operator.setNumberPolicy({ params: { account_id }, body: { ...limits, approval: 'none' } })
    await page.goto('/operator/inventory/orders?orders=completed')
    await page.getByRole('row', { name: new RegExp(`Order ${first}\\b.*Completed`) }).waitFor()
    await close()
  })

  it('keeps a reason that is being typed when the order leaves the list', async () => {
    const { operator, other } = stage.service
    const account_id = (await other.whoami()).body.data.account_id ?? ''
    const limits = { numbers_max: null, reserved_max: null }
    await operator.setNumberPolicy({ params: { account_id }, body: { ...limits, approval: 'all' } })
    const { id } = (await other.createNumberOrder({ body: { numbers: ['19715550163'] } })).body.data
    const { page, close } = await stage.visit('operator', '/operator/approvals/orders')
    await page.getByRole('button', { name: `Reject order ${id}` }).click()
    const reason = page.getByRole('textbox', { name: 'Reason' })
    await reason.fill('Call us first.')
    await operator.approveNumberOrder({ params: { numberorder_id: id } })
    // a return to the window after a minute
    await page.clock.setFixedTime(Date.now() + 60_000)
    await page.evaluate(() => globalThis.dispatchEvent(new Event('visibilitychange')))
    await page.locator('a', { hasText: `Order ${id}` }).waitFor({ state: 'detached' })
    assert.equal(await reason.inputValue(), 'Call us first.')
    await operator.setNumberPolicy({ params: { account_id }, body: { ...limits, approval: 'none' } })
    await close()
  })

  it('records a port-out, which the customer disputes and the operator rejects', async () => {
    const number = '12535550160'
    await stage.service.account.orderNumber({ params: { number }, body: {} })
    const clerk = await stage.visit('operator', '/operator/port-outs')
    await clerk.page.getByRole('row', { name: /\(206\) 555-0102.*Open/ }).waitFor()
    await clerk.page.getByRole('row', { name: /\(206\) 555-0105.*Completed/ }).waitFor()
    await clerk.page.getByRole('button', { name: 'Record a request' }).click()
    const dialog = clerk.page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Numbers' }).fill('(253) 555-0160')
    await dialog.getByRole('textbox', { name: 'Gaining carrier' }).fill('Lakeview Telephone')
    await dialog.getByRole('textbox', { name: 'Its SPID' }).fill('599x')
    await dialog.getByRole('textbox', { name: 'Its order number (PON)' }).fill('LV-20417')
    await dialog.getByRole('button', { name: 'Record', exact: true }).click()
    const row = clerk.page.getByRole('row', { name: /\(253\) 555-0160/ })
    await row.getByText(/^Complete by/).waitFor()

    const customer = await stage.visit('owner', `/numbers/${number}`)
    await customer.page.getByRole('button', { name: 'Release' }).focus()
    await customer.page.getByRole('tooltip', { name: /^Lakeview Telephone has asked for this number\./ }).waitFor()
    await customer.page.getByRole('button', { name: /^Dispute/ }).click()
    await customer.page.getByText('You disputed the request, and the operator reviews it.').waitFor()
    await customer.close()

    await clerk.page.reload()
    await row.getByText('Disputed').waitFor()
    await row.getByRole('button', { name: /^Reject/ }).click()
    await dialog.getByRole('button', { name: 'Reason' }).click()
    await clerk.page.getByRole('option', { name: /did not authorize/ }).click()
    await dialog.getByRole('button', { name: 'Reject', exact: true }).click()
    await row.getByText('Rejected').waitFor()
    await clerk.close()
  })

  it('sets a price class, and the price that an account pays', async () => {
    const { page, close } = await stage.visit('operator', '/operator/inventory/prices')
    await page.getByRole('button', { name: 'New price class' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('story')
    await page.getByRole('textbox', { name: 'Monthly cost, in dollars' }).fill('2.50')
    await page.getByRole('textbox', { name: 'Setup cost, in dollars' }).fill('5')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /story \$2\.50 \$5\.00/ }).waitFor()
    const account = (await stage.service.other.whoami()).body.data.account_id ?? ''
    await page.goto(`/operator/accounts/${account}`)
    await page.getByRole('button', { name: 'Set price of story' }).click()
    await page.getByRole('textbox', { name: 'Monthly cost, in dollars' }).fill('2.00')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /story List price \$2\.50.*Own price \$2\.00/ }).waitFor()
    await close()
  })

  it('explains to read-only staff why they can’t change the inventory', async () => {
    const { page, close } = await stage.visit('operator_read_only', '/operator/inventory')
    await page.getByRole('button', { name: 'Load numbers' }).focus()
    await page.getByRole('tooltip', { name: /^You have read-only access/ }).waitFor()
    await close()
  })
}

export default stories
