import assert from 'node:assert/strict'
import { AxeBuilder } from '@axe-core/playwright'
import { keyboardOf } from './support/keyboard.ts'
import { it, type Stories } from './support/stage.ts'

const stories: Stories = (stage) => {
  it('uploads street data, shows progress and skipped rows, and removes it', async () => {
    const { page, close } = await stage.visit('operator', '/operator/street-data')
    await page.getByText(/^Streets of QC, WI in 2 datasets/).waitFor()
    const name = `Story ${Date.now()}`
    const rows = Array.from(
      { length: 40 },
      (_, i) => `${10 + i},Mallow${String.fromCharCode(97 + (i % 26))} St,Hertford,NC,27944`,
    )
    const text = ['number,street,city,region,postcode', ...rows, 'x,Mallowa St,Hertford,NC,27944'].join('\n')
    await page.getByRole('button', { name: 'Load a file' }).click()
    const dialog = page.getByRole('dialog')
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      dialog.getByRole('button', { name: 'Choose a file' }).click(),
    ])
    await chooser.setFiles({ name: 'addresses.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
    await dialog.getByRole('button', { name: /Format/ }).click()
    await page.getByRole('option', { name: /^OpenAddresses, CSV/ }).click()
    await dialog.getByRole('button', { name: 'Load', exact: true }).click()
    const row = page.getByRole('row', { name })
    await row.getByText('Loaded', { exact: true }).waitFor()
    // the report, directly from its URL
    await page.waitForURL(/dataset=\d+/)
    await page.reload()
    await page.getByRole('heading', { name: `Report of ${name}` }).waitFor()
    await page.getByText('1: house number not understood').waitFor()
    await page.getByRole('row', { name: /Hertford, NC 27944 Covered Corrected or refused/i }).waitFor()
    await page.getByRole('button', { name: `Remove ${name}` }).click()
    await dialog.getByRole('button', { name: 'Remove the dataset' }).click()
    await row.waitFor({ state: 'detached' })
    await close()
  })

  it('expands a state’s counties by keyboard, lowest coverage first', async () => {
    const { page, close } = await stage.visit('operator', '/operator/street-data')
    const { press } = keyboardOf(page)
    const state = page.getByRole('button', { name: 'Counties of WI' })
    await press(state)
    const counties = page.getByRole('table', { name: 'Counties of WI' })
    // Milwaukee has the most ZIP codes and no data
    await counties.getByRole('row').nth(1).getByText('FIPS 55079').waitFor()
    // the demo has towns in two of the 72 counties
    await page.goto(page.url().replace('counties_of=WI', 'counties_of=WI&county_offset=60'))
    await counties.getByRole('row', { name: /^Adams FIPS 55001 Partial 1 of 4 3 without data 32$/ }).waitFor()
    const { violations } = await new AxeBuilder({ page }).analyze()
    assert.deepEqual(violations, [])
    await press(state)
    await counties.waitFor({ state: 'detached' })
    await close()
  })
}

export default stories
