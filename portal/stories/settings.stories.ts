import assert from 'node:assert/strict'
import { it } from 'node:test'
import { newVisitor, open } from './support/browser.ts'
import type { Stories } from './support/stage.ts'

const stories: Stories = (stage) => {
  it('invites a person, who joins, adds a passkey, is made read-only, and sees every verb disabled with its reason', async () => {
    const owner = await stage.visit('owner', '/settings')
    await owner.page.getByRole('button', { name: 'Invite somebody' }).click()
    const dialog = owner.page.getByRole('dialog')
    await dialog.getByLabel('Their e-mail address').fill('mia@example.com')
    await dialog.getByText(/^Manager/).click()
    await dialog.getByRole('button', { name: 'Make the link' }).click()
    const link = new URL((await dialog.locator('code').textContent()) ?? '')
    await dialog.getByRole('button', { name: 'I have it' }).click()
    await owner.page.getByRole('row', { name: /mia@example.com/ }).waitFor()

    // passkeys belong to a name, not to an address
    const base_url = stage.service.base_url.replace('127.0.0.1', 'localhost')
    const mia = await newVisitor(stage.browser, base_url)
    const devtools = await mia.context.newCDPSession(mia.page)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await open(mia.page, `/invitation${link.hash}`)
    await mia.page.getByLabel('Your name').fill('Mia Okafor')
    await mia.page.getByLabel('Choose a password').fill('short')
    await mia.page.getByRole('button', { name: 'Join' }).click()
    await mia.page.getByText('Must have at least 12 characters').waitFor()
    await mia.page.getByLabel('Choose a password').fill('correct horse battery')
    await mia.page.getByRole('button', { name: 'Join' }).click()
    await mia.page.getByRole('button', { name: 'Mia Okafor' }).waitFor()

    await open(mia.page, '/settings?tab=sign-in')
    await mia.page.getByRole('button', { name: 'Add a passkey' }).click()
    await mia.page.getByLabel('What you call it').fill('This laptop')
    await mia.page.getByRole('button', { name: 'Add it' }).click()
    const codes = mia.page.getByRole('dialog', { name: 'Your recovery codes' })
    await codes.waitFor()
    assert.equal(await codes.getByRole('listitem').count(), 10)
    await codes.getByRole('button', { name: 'I have kept them' }).click()
    await mia.page.getByRole('row', { name: /This laptop/ }).waitFor()

    await open(owner.page, '/settings')
    await owner.page.getByRole('button', { name: 'Change role of Mia Okafor' }).click()
    await dialog.getByText(/^Read-only/).click()
    await dialog.getByRole('button', { name: 'Change the role' }).click()
    await dialog.waitFor({ state: 'detached' })

    for (const path of ['/settings', '/caller-id', '/numbers/12065550100']) {
      await open(mia.page, path)
      const verbs = mia.page.getByRole('main').getByRole('button', { name: /^(Invite|Change|Remove|Ask for)/ })
      await verbs.first().waitFor()
      for (const verb of await verbs.all()) {
        const name = await verb.textContent()
        assert.equal(await verb.getAttribute('aria-disabled'), 'true', `${name} of ${path}`)
      }
      await verbs.first().focus()
      await mia.page.getByRole('tooltip', { name: /only read/ }).waitFor()
    }
    await owner.close()
    await mia.close()
  })

  it('says of an invitation that was used the same as of one that never was', async () => {
    const { page, close } = await stage.visit('anyone', '/invitation#never-was')
    await page.getByRole('alert').waitFor()
    assert.equal(await page.getByLabel('Your name').count(), 0)
    await close()
  })
}

export default stories
