import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { newVisitor, open, signInAs } from './support/browser.ts'
import { it, type Stories } from './support/stage.ts'

const stories: Stories = (stage) => {
  it('finds a number by digits in any format and by alias while typing', async () => {
    const { page, close } = await stage.visit('owner', '/numbers')
    const search = page.getByRole('searchbox', { name: 'Search numbers' })
    const numbers = page.getByRole('table').getByRole('rowheader')
    for (const [typed, found] of [
      ['(425) 555', '(425) 555-0103'],
      ['appoint', '(800) 555-0104'],
    ] as const) {
      await search.fill(typed)
      await numbers.filter({ hasNotText: found }).first().waitFor({ state: 'detached' })
      assert.deepEqual(await numbers.allInnerTexts(), [found])
    }
    // the search is in the URL and can be shared
    assert.match(page.url(), /find=appoint/)
    await close()
  })

  it('goes back from a number to the filtered list, and from there to the list without the filter', async () => {
    const { page, close } = await stage.visit('owner', '/')
    await page.getByRole('link', { name: 'Numbers', exact: true }).first().click()
    await page.waitForURL((to) => to.pathname === '/numbers')
    const search = page.getByRole('searchbox', { name: 'Search numbers' })
    await search.pressSequentially('425')
    await page.waitForURL((to) => to.searchParams.get('find') === '425')
    await page.getByRole('link', { name: '(425) 555-0103' }).click()
    await page.waitForURL((to) => to.pathname === '/numbers/14255550103')
    await page.goBack()
    await page.waitForURL((to) => to.pathname === '/numbers' && to.searchParams.get('find') === '425')
    await page.goBack()
    await page.waitForURL((to) => to.pathname === '/numbers' && to.search === '')
    await page.getByRole('row', { name: /Front desk/ }).waitFor()
    assert.equal(await search.inputValue(), '')
    await page.goBack()
    await page.waitForURL((to) => to.pathname === '/')
    await close()
  })

  it('ignores unknown values in the URL', async () => {
    const { page, close } = await stage.visit('owner', '/numbers?cnam_id=abc&e911=perhaps&offset=-50')
    await page.getByRole('row', { name: /Front desk/ }).waitFor()
    await close()
  })

  it('opens a number, order, name, or address from text pasted into the global search', async () => {
    const [order] = (await stage.service.account.listPortOrders({ query: { limit: 1 } })).body.data
    const id = order?.id ?? assert.fail('the demo has no port order')
    const { page, close } = await stage.visit('owner', '/')
    for (const [pasted, found, url] of [
      ['tel:+1 (425) 555-0103', /^\(425\) 555-0103 · Bellevue office\s*Number$/, '/numbers/14255550103'],
      [`#${id}`, /Port order$/, `/port-orders/${id}`],
      ['harbor dental 2', /^HARBOR DENTAL 2\s*Caller ID name$/, '/caller-id'],
      ['export', /^Export call records\s*Command$/, '/call-records'],
      ['access key', /^Access keys\s*Page$/, '/developers'],
      ['port a number', /^Port numbers\s*Command$/, '/port-orders/new'],
      ['seattle pr', /^Seattle practice · .*\s*E911 address$/, '/e911/'],
    ] as const) {
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('dialog', { name: 'Search' }).locator('input').fill(pasted)
      await page.getByRole('menuitem', { name: found }).waitFor()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.waitForURL((to) => to.pathname.startsWith(url))
    }
    await close()
  })

  it('changes many numbers at once after a preview with refusals', async () => {
    const { page, close } = await stage.visit('owner', '/numbers')
    await page.locator('thead label').click()
    await page.getByRole('button', { name: /^Change \d+ numbers$/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'E911 address' }).click()
    await page.getByRole('option', { name: /Seattle practice/ }).click()
    await dialog.getByRole('button', { name: 'Preview changes' }).click()
    const refused = dialog.getByRole('row', { name: /\(800\) 555-0104/ })
    await refused.waitFor()
    assert.match(await refused.innerText(), /Refused\s+Number: Toll-free numbers cannot have/)
    const waiting = dialog.getByRole('row', { name: /\(425\) 555-0103/ })
    assert.match(await waiting.innerText(), /Will change\s+E911 address: none → Seattle practice/)
    await dialog.getByRole('button', { name: /^Change / }).click()
    await dialog.getByText(/^Changed: \d/).waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByText('No address').waitFor({ state: 'detached' })
    const { data } = (await stage.service.account.getNumber({ params: { number: '14255550103' } })).body
    assert.notEqual(data.relationships.e911_address.data, null)
    await close()
  })

  it('selects all matching numbers and changes them in batches that can be stopped and resumed', async () => {
    const { context, page, close } = await newVisitor(stage.browser, stage.service.base_url)
    await signInAs(context, 'owner', 'Cascade Voice Partners')
    const stopped = Promise.withResolvers<void>()
    // the first batch is held until the rest is stopped
    await page.route('**/v2/numbers?*', async (route) => {
      const request = route.request()
      if (request.method() !== 'GET' && !request.url().includes('dry_run=true')) await stopped.promise
      await route.continue()
    })
    await open(page, '/numbers?find=er+05')
    await page.locator('thead label').click()
    await page.getByRole('button', { name: 'Select all that match' }).click()
    await page.getByRole('button', { name: 'Change 100 numbers' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Failover route' }).click()
    await page.getByRole('option', { name: /Birch/ }).first().click()
    await dialog.getByRole('button', { name: 'Preview changes' }).click()
    await dialog.getByRole('button', { name: 'Change 100 numbers' }).click()
    await dialog.getByRole('button', { name: 'Stop' }).click()
    stopped.resolve()
    await dialog.getByRole('button', { name: 'Continue with the other 50' }).click()
    await dialog.getByText('Changed: 100').waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await close()
  })

  it('shows read-only users every action, disabled with the reason', async () => {
    const { page, close } = await stage.visit('read_only', '/numbers/12065550100')
    const change = page.getByRole('button', { name: 'Change' })
    assert.equal(await change.getAttribute('aria-disabled'), 'true')
    await change.focus()
    await page.getByRole('tooltip', { name: /You have read-only access to Harbor Dental/ }).waitFor()
    for (const [path, verb] of [
      ['/port-orders', 'Port numbers'],
      ['/e911', 'New address'],
    ] as const) {
      await open(page, path)
      assert.equal(await page.getByRole('button', { name: verb }).first().getAttribute('aria-disabled'), 'true')
      assert.equal(await page.getByRole('link', { name: verb }).count(), 0)
    }
    await close()
  })

  it('imports a CSV with names and shows refused rows with reasons', async () => {
    const { page, close } = await stage.visit('owner', '/numbers')
    await page.getByRole('button', { name: 'Import' }).click()
    const dialog = page.getByRole('dialog')
    const rows = [
      'number,alias,failover,e911',
      '12065550101,Dr. Núñez,Answering service,',
      '8005550104,,,Seattle practice',
      '12065550102,,Nowhere,',
      '12065559999,Not ours,,',
    ]
    await dialog.locator('input[type=file]').setInputFiles({
      name: 'numbers.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(rows.join('\n')),
    })
    await dialog.getByText('numbers.csv: 4 rows').waitFor()
    await dialog.getByRole('button', { name: 'Preview changes' }).click()
    await dialog.getByText('Refused: 3').waitFor()
    await dialog.getByText('Failover route: The route "Nowhere" was not found or is not unique.').waitFor()
    await dialog.getByRole('button', { name: 'Change it' }).click()
    await dialog.getByText('Changed: 1').waitFor()
    await dialog.getByText('Failover route: none → Answering service').waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await close()
  })

  it('imports a CSV of 200 numbers and reports three refusals with line, field, and reason', async () => {
    const { other } = stage.service
    const values = (await other.listNumbers({ query: { limit: 200 } })).body.data.map(
      ({ attributes }) => attributes.value,
    )
    // none of the numbers has these values yet
    const before = values.map((value) => ({ value, primary_route_id: null, e911_id: null }))
    await other.updateNumbers({ body: { mode: 'each', numbers: before } })
    const lines = values.map((value) => `${value},Elm Print Shop,Fir Hardware,`)
    const long = 'a'.repeat(101)
    lines[2] = `${values[2]},Nowhere,Fir Hardware,`
    lines[99] = '12065550100,Elm Print Shop,Fir Hardware,'
    lines[150] = `${values[150]},Elm Print Shop,Fir Hardware,${long}`
    const refused = [
      ['4', values[2], 'Route', 'The route "Nowhere" was not found or is not unique.'],
      ['101', '12065550100', 'Number', 'No number 12065550100 is on this account.'],
      ['152', values[150], 'Alias', 'At most 100 characters.'],
    ]
    const { page, close } = await stage.visit('Ray Castellano', '/numbers')
    await page.getByRole('button', { name: 'Import' }).click()
    const dialog = page.getByRole('dialog')
    const buffer = Buffer.from(['number,route,e911,alias', ...lines].join('\n'))
    await dialog.locator('input[type=file]').setInputFiles({ name: 'all.csv', mimeType: 'text/csv', buffer })
    await dialog.getByText('all.csv: 200 rows').waitFor()
    await dialog.getByRole('button', { name: 'Preview changes' }).click()
    await dialog.getByRole('button', { name: 'Change 197 numbers' }).click()
    await dialog.getByText('Changed: 197').waitFor()
    await dialog.getByText('Refused: 3').waitFor()
    // refusals come first
    const rows = (await dialog.locator('tbody tr').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))
    for (const [i, [line, , field, reason]] of refused.entries())
      for (const said of [` ${line} Refused`, `${field}: ${reason}`]) assert.ok(rows[i]?.includes(said), rows[i])

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Download the report' }).click(),
    ])
    const report = (await readFile(await download.path(), 'utf8')).split('\r\n').map((line) => line.split(',', 4))
    assert.equal(report.filter(([, , result]) => result === 'changed').length, 197)
    assert.deepEqual(
      report.filter(([, , result]) => result === 'refused'),
      refused.map(([line, value, field]) => [line, value, 'refused', field]),
    )

    const query = { limit: 200 }
    const [numbers, routes, e911s] = await Promise.all([
      other.listNumbers({ query }),
      other.listRoutes({ query }),
      other.listE911s({ query }),
    ])
    const route = routes.body.data.find(({ attributes }) => attributes.alias === 'Elm Print Shop')?.id
    const address = e911s.body.data.find(({ attributes }) => attributes.label === 'Fir Hardware')?.id
    const done = numbers.body.data.filter(
      ({ relationships: { primary_route, e911_address } }) =>
        String(primary_route.data?.id) === route && String(e911_address.data?.id) === address,
    )
    assert.equal(done.length, 197)
    await close()
  })

  it('exports the filtered numbers as an importable CSV', async () => {
    const { page, close } = await stage.visit('owner', '/numbers?find=appointments')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ])
    const text = await readFile(await download.path(), 'utf8')
    assert.equal(text, 'number,alias,route,failover,cnam,e911\r\n18005550104,Appointments,Practice PBX,,,\r\n')
    await close()
  })
}

export default stories
