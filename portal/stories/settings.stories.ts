import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import decode from 'qr/decode.js'
import { addAuthenticator } from './support/authenticator.ts'
import { newVisitor, open, signInAs } from './support/browser.ts'
import { it, mailedLink, type Stories } from './support/stage.ts'

const stories: Stories = (stage) => {
  it('invites a person who joins, adds a passkey, becomes read-only, and sees every action disabled with its reason', async () => {
    const owner = await stage.visit('owner', '/settings')
    await owner.page.getByRole('button', { name: 'Invite a person' }).click()
    const dialog = owner.page.getByRole('dialog')
    await dialog.getByLabel('Email address').fill('mia@example.com')
    await dialog.getByText(/^Manager/).click()
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    const shown = stage.service.process === null ? await dialog.locator('code').textContent() : null
    const link = shown === null ? await mailedLink(stage, 'mia@example.com') : new URL(shown)
    await dialog.getByRole('button', { name: /^(Done|I’ve copied it)$/ }).click()
    await owner.page.getByRole('row', { name: /mia@example.com/ }).waitFor()

    // passkeys belong to a host name, not to an IP address
    const base_url = stage.service.base_url.replace('127.0.0.1', 'localhost')
    const mia = await newVisitor(stage.browser, base_url)
    await addAuthenticator(mia)
    await open(mia.page, `/invitation${link.hash}`)
    await mia.page.getByLabel('Your name').fill('Mia Okafor')
    await mia.page.getByLabel('Choose a password').fill('short')
    await mia.page.getByRole('button', { name: 'Join' }).click()
    await mia.page.getByText('Must have at least 12 characters').waitFor()
    await mia.page.getByLabel('Choose a password').fill('correct horse battery')
    await mia.page.getByRole('button', { name: 'Join' }).click()
    await mia.page.getByRole('button', { name: 'Mia Okafor' }).waitFor()

    await open(mia.page, '/settings/sign-in')
    await mia.page.getByRole('button', { name: 'Set up an authenticator app' }).click()
    const app = mia.page.getByRole('dialog', { name: 'Set up an authenticator app' })
    const scanned = new URL(await scannedFrom(app.getByRole('img', { name: 'QR code of the secret' })))
    assert.equal(scanned.href, await app.getByRole('link', { name: 'Open app' }).getAttribute('href'))
    assert.equal(scanned.searchParams.get('secret'), await app.locator('code').textContent())
    assert.match(decodeURIComponent(scanned.pathname), /mia@example\.com$/)
    await mia.page.keyboard.press('Escape')

    await mia.page.getByRole('button', { name: 'Add a passkey' }).click()
    await mia.page.getByLabel('Passkey name').fill('This laptop')
    await mia.page.getByRole('button', { name: 'Add', exact: true }).click()
    const codes = mia.page.getByRole('dialog', { name: 'Your recovery codes' })
    await codes.waitFor()
    assert.equal(await codes.getByRole('listitem').count(), 10)
    await codes.getByRole('button', { name: 'I’ve saved them' }).click()
    await mia.page.getByRole('row', { name: /This laptop/ }).waitFor()

    await open(owner.page, '/settings')
    await owner.page.getByRole('button', { name: 'Change role of Mia Okafor' }).click()
    await dialog.getByText(/^Read-only/).click()
    await dialog.getByRole('button', { name: 'Change the role' }).click()
    await dialog.waitFor({ state: 'detached' })

    for (const path of ['/settings', '/caller-id', '/numbers/12065550100']) {
      await open(mia.page, path)
      const verbs = mia.page.getByRole('main').getByRole('button', { name: /^(Invite|Change|Remove|Request)/ })
      await verbs.first().waitFor()
      for (const verb of await verbs.all()) {
        const name = await verb.textContent()
        assert.equal(await verb.getAttribute('aria-disabled'), 'true', `${name} of ${path}`)
      }
      await verbs.first().focus()
      await mia.page.getByRole('tooltip', { name: /read-only access/ }).waitFor()
    }
    await owner.close()
    await mia.close()
  })

  it('opens every link of an email; the last one unsubscribes without a sign-in', async (t) => {
    if (stage.service.process === null) return t.skip('the service sends its email elsewhere')
    // people with thirty emails in an hour get the rest in a daily summary, so this person is in no other story
    const owner = await stage.visit('Ray Castellano', '/settings')
    const session = (await (await owner.context.request.get('/v2/session')).json()) as {
      data: { person: { email: string }; memberships: { account_id: string }[] }
    }
    const { person, memberships } = session.data
    const account_id = memberships[0]?.account_id ?? assert.fail('he has no account')
    await stage.service.operator.createKey({ params: { account_id }, body: { name: 'For the books' } })
    const address = person.email
    const { text } = await stage.relay.arrived(
      'the notice of the key',
      (mail) => mail.to === address && mail.text.includes('For the books'),
    )
    const links = [...text.matchAll(/https?:\S+/g)].map(([url]) => new URL(url))
    assert.deepEqual(
      links.map(({ pathname }) => pathname),
      ['/developers', '/unsubscribe', '/settings/notices'],
    )
    const chosen = owner.page.getByRole('button', { name: /An access key was created/ })
    await open(owner.page, '/settings/notices')
    await owner.page.getByRole('tab', { name: 'Notifications', selected: true }).waitFor()
    assert.match((await chosen.textContent()) ?? '', /Immediately/)

    const { page, close } = await stage.visit('anyone', `/unsubscribe${links[1]?.hash}`)
    await page.getByText('An access key was created').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Done').waitFor()
    await page.getByRole('link', { name: 'Manage your notification settings' }).click()
    await page.getByRole('heading', { name: 'Demarc' }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('return_to'), '/settings/notices')
    await close()

    await open(owner.page, '/settings/notices')
    assert.match((await chosen.textContent()) ?? '', /No email/)
    await owner.close()
  })

  it('shows content below a list only with the list, without layout shifts', async () => {
    for (const [path, above, below] of [
      ['/settings', '/v2/people', 'Invitations'],
      ['/settings/notices', '/v2/notices', 'Email'],
    ] as const) {
      const { context, page, close } = await stage.visit('anyone', '/sign-in', { width: 360 })
      await signInAs(context, 'owner')
      const late = Promise.withResolvers<void>()
      const isAbove = ({ pathname }: URL) => pathname === above
      await context.route(isAbove, (route) => void late.promise.then(() => route.continue()))
      const others = page.waitForResponse(/invitations|notice_preferences/)
      await page.goto(path)
      await others
      await page.getByRole('heading', { name: 'Settings' }).waitFor()
      assert.equal(await page.getByRole('heading', { name: below }).count(), 0)
      late.resolve()
      await page.getByRole('heading', { name: below }).waitFor()
      await close()
    }
  })

  it('gives the same message for used and unknown invitations', async () => {
    const { page, close } = await stage.visit('anyone', '/invitation#never-was')
    await page.getByRole('alert').getByText('ask the person who invited you for a new one').waitFor()
    assert.equal(await page.getByLabel('Your name').count(), 0)
    await close()
  })
}

/** Decodes the displayed QR code. */
async function scannedFrom(shown: Locator): Promise<string> {
  const picture = (await shown.screenshot()).toString('base64')
  const { width, height, pixels } = await shown.page().evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    canvas?.drawImage(bitmap, 0, 0)
    const { data = [] } = canvas?.getImageData(0, 0, bitmap.width, bitmap.height) ?? {}
    return { width: bitmap.width, height: bitmap.height, pixels: Array.from(data) }
  }, picture)
  return decode({ width, height, data: Uint8Array.from(pixels) })
}

export default stories
