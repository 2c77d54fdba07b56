import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { it, type Stories } from './support/stage.ts'

const fill = async (page: Page, fields: Readonly<Record<string, string>>) => {
  for (const [name, value] of Object.entries(fields)) await page.getByRole('textbox', { name, exact: true }).fill(value)
}

const stories: Stories = (stage) => {
  it('corrects an address with one click and assigns it to a number', async () => {
    const { page, close } = await stage.visit('owner', '/e911')
    await page.getByRole('link', { name: 'New address' }).click()
    await fill(page, {
      Label: 'Cedar annex',
      'First name': 'Rosa',
      'Last name': 'Diaz',
      'House number': '300',
      Street: 'Ceder St',
      City: 'Friendship',
      'Postal code': '53934',
    })
    const state = page.getByRole('combobox', { name: 'State' })
    await state.fill('WI')
    await page.getByRole('option', { name: 'WI' }).click()
    await page.getByText('Did you mean one of these?').waitFor()
    assert.deepEqual(await page.locator('mark').allInnerTexts(), ['CEDAR'])
    await page.getByRole('button', { name: 'Use this address' }).click()
    await page.getByText('Valid address').waitFor()
    await page.getByText('The house number itself is on record.').waitFor()
    // without street data, nothing is known about the street
    const [city, zip] = [page.getByLabel('City'), page.getByLabel('Postal code')]
    await city.fill('Milwaukee')
    await zip.fill('53202')
    await page.getByText('Street not checked').waitFor()
    await city.fill('Friendship')
    await zip.fill('53934')
    await page.getByText('Valid address').waitFor()
    await page.getByRole('button', { name: 'Save address' }).click()
    await page.getByRole('heading', { name: 'Cedar annex' }).waitFor()
    await page.getByText('Checked to address level').waitFor()
    const e911_id = page.url().split('/').at(-1) ?? assert.fail('the address has no URL')

    await page.goto('/numbers/14255550103')
    await page.getByRole('button', { name: 'Change' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'E911 address' }).click()
    await page.getByRole('option', { name: /Cedar annex/ }).click()
    await dialog.getByRole('button', { name: 'Preview changes' }).click()
    await dialog.getByRole('button', { name: 'Change it' }).click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('link', { name: 'Cedar annex' }).click()
    await page.getByRole('link', { name: '(425) 555-0103' }).waitFor()
    const { data } = (await stage.service.account.listE911Numbers({ params: { e911_id } })).body
    assert.deepEqual(
      data.map(({ attributes }) => attributes.value),
      ['14255550103'],
    )
    // an address in use can't be removed, and the button says why
    const remove = page.getByRole('button', { name: 'Remove this address' })
    assert.equal(await remove.getAttribute('aria-disabled'), 'true')
    await remove.focus()
    await page.getByRole('tooltip', { name: /Assign them another address first/ }).waitFor()
    // restore the demo's state for the other stories
    await stage.service.account.unassignE911({ params: { number: '14255550103' } })
    await stage.service.account.deleteE911({ params: { e911_id } })
    await close()
  })

  it('checks a file of addresses and counts the results', async () => {
    const { page, close } = await stage.visit('owner', '/e911/check')
    const head = 'customer,street_number,street_name,city,state,country,zip'
    const rows = ['100,N Main St', '200,Ceder St', '98765,N Main St'].map(
      (r, i) => `C-${i},${r},Friendship,WI,US,53934`,
    )
    const buffer = Buffer.from([head, ...rows, ''].join('\n'))
    await page.setInputFiles('input[type=file]', { name: 'addresses.csv', mimeType: 'text/csv', buffer })
    await page.getByText('Complete', { exact: true }).waitFor()
    const link = await page.getByRole('link', { name: 'Download results' }).getAttribute('href')
    const text = await (await fetch(link ?? '')).text()
    assert.match(text, /C-0,.*valid.*\n.*C-1,.*correction.*CEDAR ST.*\n.*C-2,.*not_geocodable/)
    await close()
  })
}

export default stories
