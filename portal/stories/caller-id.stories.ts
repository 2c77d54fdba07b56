import assert from 'node:assert/strict'
import { it, type Stories } from './support/stage.ts'

const stories: Stories = (stage) => {
  it('requests a caller ID name, validated while typing, and lists the affected numbers before removing one', async () => {
    const { page, close } = await stage.visit('owner', '/caller-id')
    await page.getByRole('button', { name: 'Request a name' }).click()
    const dialog = page.getByRole('dialog')
    const name = dialog.getByRole('textbox', { name: 'Name' })
    const ask = dialog.getByRole('button', { name: 'Request this name' })
    await name.fill('Harbor Orthodontics')
    await dialog.getByText('19 of 15').waitFor()
    await dialog.getByText('At most 15 characters; this has 19.').first().waitFor()
    assert.equal(await ask.getAttribute('aria-disabled'), 'true')
    await name.fill('Harbor Ortho')
    await dialog.getByText('HARBOR ORTHO', { exact: true }).waitFor()
    await ask.click()
    await page
      .getByRole('row', { name: /HARBOR DENTAL Approved/ })
      .getByText(/^Since /)
      .waitFor()
    const row = page.getByRole('row', { name: /HARBOR ORTHO/ })
    await row.getByText('Awaiting approval').waitFor()
    await row.getByRole('button', { name: 'Remove HARBOR ORTHO' }).click()
    await dialog.getByText('No number uses this name').waitFor()
    await dialog.getByRole('button', { name: 'Remove the name' }).click()
    await row.waitFor({ state: 'detached' })
    await close()
  })
}

export default stories
