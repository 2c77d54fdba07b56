import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Stories } from './support/stage.ts'

const stories: Stories = (stage) => {
  it('makes an access key that a program then uses, and that is refused once it is revoked', async () => {
    const { page, close } = await stage.visit('owner', '/developers')
    await page.getByRole('button', { name: 'Make a key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('What it is for').fill('Nightly export')
    await dialog.getByText(/^Read everything/).click()
    await dialog.getByRole('button', { name: 'Make the key' }).click()
    const made = dialog.getByRole('button', { name: 'I have kept it' })
    await made.waitFor()
    const [access_key, secret_key] = await dialog.locator('code').allTextContents()
    const Authorization = `Basic ${Buffer.from(`${access_key}:${secret_key}`).toString('base64')}`
    const status = async () =>
      (await fetch(`${stage.service.base_url}/v2/whoami`, { headers: { Authorization } })).status
    assert.equal(await status(), 200)
    await made.click()
    await page.getByRole('button', { name: 'Revoke Nightly export' }).click()
    await dialog.getByText('Requests with this key are refused at once').waitFor()
    await dialog.getByRole('button', { name: 'Revoke the key' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await status(), 401)
    await page
      .getByRole('row', { name: /Nightly export/ })
      .getByText('Revoked')
      .waitFor()
    await close()
  })
}

export default stories
