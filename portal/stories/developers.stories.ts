import assert from 'node:assert/strict'
import { verifyWebhook } from '@demarc/client'
import type { Page } from 'playwright-core'
import { startFailingServer } from '../../acceptance/support/failing-server.ts'
import { authorization } from '../../acceptance/support/timed-http.ts'
import { open } from './support/browser.ts'
import { it, type Stories } from './support/stage.ts'

/** The curl example on the page of an operation. */
async function curlExample(page: Page) {
  const curl = (await page.locator('pre').first().textContent()) ?? ''
  return {
    url: new URL(/'(http[^']+)'/.exec(curl)?.[1] ?? assert.fail(curl)),
    media: /Content-Type: ([^']+)'/.exec(curl)?.[1],
    body: /-d '([^']+)'/.exec(curl)?.[1],
  }
}

const stories: Stories = (stage) => {
  it('creates an access key that works until it is revoked', async () => {
    const { page, close } = await stage.visit('owner', '/developers')
    await page.getByRole('button', { name: 'Create a key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Key name').fill('Nightly export')
    await dialog.getByText(/^Read-only/).click()
    await dialog.getByRole('button', { name: 'Create the key' }).click()
    const made = dialog.getByRole('button', { name: 'I’ve saved it' })
    await made.waitFor()
    const [access_key = '', secret_key = ''] = await dialog.locator('code').allTextContents()
    const headers = authorization({ access_key, secret_key })
    const status = async () => (await fetch(`${stage.service.base_url}/v2/whoami`, { headers })).status
    assert.equal(await status(), 200)
    await made.click()
    await page.getByRole('button', { name: 'Revoke Nightly export' }).click()
    await dialog.getByText('Requests with this key are refused immediately').waitFor()
    await dialog.getByRole('button', { name: 'Revoke the key' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await status(), 401)
    await page
      .getByRole('row', { name: /Nightly export/ })
      .getByText('Revoked')
      .waitFor()
    await close()
  })

  it('sends a test event that verifies, shows why another failed, and resends it', async () => {
    const receiver = await startFailingServer()
    const { page, close } = await stage.visit('owner', '/developers/deliveries')
    const secret = page.locator('section', { hasText: 'Signing secret' }).locator('code').filter({ hasText: 'whsec_' })
    const first = (await secret.textContent()) ?? ''
    await page.getByRole('button', { name: 'Replace' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click()
    await page.getByText('The previous secret also signs until').waitFor()
    const second = (await secret.textContent()) ?? ''
    assert.notEqual(first, second)

    const send = async (path: string) => {
      await page.getByLabel('Your endpoint’s URL').fill(`${receiver.base_url}${path}`)
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      return page.getByRole('row').filter({ hasText: `${receiver.base_url}${path}` })
    }
    receiver.plan({ status: 204 })
    await (await send('/works')).getByText('Delivered').waitFor()
    const [arrived] = receiver.arrived
    assert.ok(arrived !== undefined)
    // both secrets sign, so an endpoint may have either
    for (const each of [first, second])
      assert.equal((await verifyWebhook(arrived.body, arrived.headers, each)).type, 'notification.tested')

    receiver.plan({ status: 503 })
    const failing = await send('/fails')
    await failing.getByRole('button', { name: /^1 attempt/ }).click()
    const attempts = page.getByRole('dialog')
    await attempts.getByText('503', { exact: true }).waitFor()
    const id = receiver.arrived[0]?.headers['webhook-id']
    receiver.plan({ status: 204 })
    await attempts.getByRole('button', { name: 'Resend' }).click()
    await failing.getByText('Delivered').waitFor()
    await failing.getByRole('button', { name: /^2 attempts/ }).waitFor()
    assert.ok(id !== undefined)
    assert.equal(receiver.arrived[0]?.headers['webhook-id'], id)
    await close()
  })

  it('finds an operation in the reference, shows how it is sent, and each page leads to its own', async () => {
    const { page, close } = await stage.visit('owner', '/developers')
    await page.getByRole('button', { name: 'Show as API call' }).click()
    await page.getByRole('dialog').getByText('refuses access keys').waitFor()
    await page.getByRole('link', { name: 'listOwnKeys in the API reference' }).click()
    await page.getByRole('heading', { name: 'List your account’s access keys' }).waitFor()
    await page.getByText('A person’s session only').waitFor()

    await page.getByRole('searchbox', { name: 'Find an operation' }).fill('port order comment')
    await page.getByRole('link', { name: /^POST .*comment/i }).click()
    await page.waitForURL(/\/developers\/reference\/addPortOrderComment\?find=/)
    await page.getByText('demarc port comment').waitFor()
    await page.getByText('client.addPortOrderComment(').waitFor()

    // the service accepts the example
    await open(page, '/developers/reference/listNumbers')
    assert.equal(await page.evaluate(() => scrollY), 0, 'the list shows its entry without moving the page')
    const { url } = await curlExample(page)
    assert.equal((await fetch(url, { headers: authorization(stage.service.keys.account) })).status, 200)

    await open(page, '/developers/reference/noSuchOperation')
    await page.getByText('Unknown operation').waitFor()
    await close()
  })

  it('shows examples in the reference that the demo service accepts', async () => {
    const { page, close } = await stage.visit('owner', '/developers')
    for (const id of ['createPortOrder', 'checkPortability', 'validateE911', 'estimateCdrExport']) {
      await open(page, `/developers/reference/${id}`)
      const { url, media, body } = await curlExample(page)
      if (id === 'createPortOrder') url.searchParams.set('dry_run', 'true') // writes nothing
      const headers = { ...authorization(stage.service.keys.account), 'Content-Type': media ?? assert.fail(id) }
      const response = await fetch(url, { method: 'POST', headers, body: body ?? assert.fail(id) })
      assert.ok(response.ok, `${id}: ${response.status} ${await response.text()}`)
    }
    await close()
  })

  it('sends a request from the reference with the session or with a key, and asks before a change', async () => {
    const { page, close } = await stage.visit('owner', '/developers/reference/listRoutes')
    const response = page.getByRole('status').filter({ hasText: 'content-type' })
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await response.getByText('200', { exact: false }).first().waitFor()

    await page.getByText('An access key', { exact: true }).click()
    await page.getByLabel('Access key', { exact: true }).fill('nobody')
    await page.getByLabel('Secret key').fill('wrong')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await response.getByRole('heading', { name: /^401/ }).waitFor()
    const { access_key, secret_key } = stage.service.keys.account
    await page.getByLabel('Access key', { exact: true }).fill(access_key)
    await page.getByLabel('Secret key').fill(secret_key)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await response.getByRole('heading', { name: /^200/ }).waitFor()
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
    assert.ok(!stored.includes(secret_key))

    await open(page, '/developers/reference/createCnam')
    await page.getByLabel(/^Body/).fill('{"value": "SENT HERE"}')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('dialog').getByText('can change data').waitFor()
    await page.getByRole('button', { name: 'Send it' }).click()
    await response.getByRole('heading', { name: /^201/ }).waitFor()
    await close()
  })
}

export default stories
