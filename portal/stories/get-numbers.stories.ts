import assert from 'node:assert/strict'
import { it, type Stories } from './support/stage.ts'

const stories: Stories = (stage) => {
  it('orders numbers from a search, with settings, and releases and restores one of them', async () => {
    const { page, close } = await stage.visit('owner', '/numbers')
    await page.getByRole('link', { name: 'Get numbers' }).click()
    await page.getByRole('button', { name: /^253/ }).click()
    await page.waitForURL((to) => to.searchParams.get('place') === '253')
    await page.getByRole('searchbox', { name: 'Digits or a word' }).fill('013')
    const rows = page.getByRole('table', { name: 'Numbers for sale' })
    for (const value of ['12535550130', '12535550131'])
      await rows.getByRole('checkbox', { name: `Select ${value}` }).check()
    // the selection stays when the search changes
    await page.getByRole('searchbox', { name: 'Digits or a word' }).fill('0145')
    await rows.getByRole('checkbox', { name: 'Select 12535550145' }).check()
    await page.getByText('$3.75', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Set up and order' }).click()
    await page.getByRole('combobox', { name: 'E911 address' }).click()
    await page.getByRole('option', { name: /Seattle practice/ }).click()
    await page.getByRole('textbox', { name: 'Alias' }).fill('Tacoma office')
    await page.getByRole('button', { name: 'Order 3 numbers' }).click()
    await page.waitForURL((to) => to.searchParams.has('order'))
    const ordered = page.getByRole('table', { name: 'Numbers of the order' }).getByRole('row', { name: /Ordered/ })
    await ordered.first().waitFor()
    assert.equal(await ordered.count(), 3)
    await page.getByRole('link', { name: 'Go to your numbers' }).click()
    await page.getByRole('searchbox', { name: 'Search numbers' }).fill('Tacoma')
    await page.waitForURL((to) => to.searchParams.get('find') === 'Tacoma')
    const own = page.getByRole('row', { name: /\(253\) 555-0130/ })
    assert.match(await own.innerText(), /Tacoma office[^]*Seattle practice/)

    await page.getByRole('link', { name: '(253) 555-0130' }).click()
    await page.getByRole('button', { name: 'Release' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('The emergency address is removed from the number.').waitFor()
    await dialog.getByText('The alias “Tacoma office” is removed.').waitFor()
    await dialog.getByRole('button', { name: 'Release the number' }).click()
    await page.getByText('(253) 555-0130 released.').waitFor()
    assert.equal(new URL(page.url()).pathname, '/numbers')
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('(253) 555-0130 restored, with the default route.').waitFor()
    const { data } = (await stage.service.account.getNumber({ params: { number: '12535550130' } })).body
    assert.equal(data.attributes.alias, null)
    await close()
  })

  it('says that a number was sold in the meantime, and orders the others', async () => {
    const { page, close } = await stage.visit('owner', '/numbers/get?place=971&spells=012')
    for (const value of ['19715550120', '19715550121'])
      await page.getByRole('checkbox', { name: `Select ${value}` }).check()
    await page.getByRole('button', { name: 'Set up and order' }).click()
    await stage.service.other.orderNumber({ params: { number: '19715550120' }, body: {} })
    await page.getByRole('button', { name: 'Order 2 numbers' }).click()
    await page.getByRole('button', { name: 'Order the available numbers' }).click()
    await page.getByRole('row', { name: /\(971\) 555-0120 Not ordered/ }).waitFor()
    await page.getByRole('row', { name: /\(971\) 555-0121 Ordered/ }).waitFor()
    await close()
  })
}

export default stories
