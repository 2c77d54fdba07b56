import assert from 'node:assert/strict'
import { run } from '../../acceptance/support/cast.ts'
import type { BrowserContext, Page } from 'playwright-core'
import { addAuthenticator, codeOf } from './support/authenticator.ts'
import { newVisitor, open, signInAs } from './support/browser.ts'
import { it, mailedLink, type Stage, type Stories } from './support/stage.ts'

const stories: Stories = (stage) => {
  it('signs in with one click in the demo, continues to the requested page, and explains missing pages', async () => {
    const { page, close } = await newVisitor(stage.browser, stage.service.base_url)
    await page.goto('/numbers/12065550100')
    await page.getByRole('button', { name: /Elena Núñez/ }).click()
    await page.getByRole('heading', { name: '(206) 555-0100' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/numbers/12065550100')
    // a link to another customer's account
    await page.goto('/numbers?account=777')
    await page.getByRole('heading', { name: 'You don’t have access to account 777' }).waitFor()
    await page.getByRole('link', { name: 'Go to Harbor Dental' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    assert.equal(new URL(page.url()).search, '')
    // a remedy for people without a key
    await page.goto('/numbers/12065559999')
    await page.getByRole('alert').getByText('check that the resource belongs to the account you are using.').waitFor()
    await close()
  })

  it('shows the API’s message for a wrong password and keeps the email address', async () => {
    const { page, close } = await newVisitor(stage.browser, stage.service.base_url)
    await page.goto('/sign-in')
    await page.getByLabel('Email address').fill('nobody@example.com')
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('alert').waitFor()
    assert.equal(await page.getByLabel('Email address').inputValue(), 'nobody@example.com')
    await close()
  })

  it('keeps a form’s input when the session expires', async () => {
    const { context, page, close } = await newVisitor(stage.browser, stage.service.base_url)
    await signInAs(context, 'owner')
    await open(page, '/numbers/12065550102')
    await page.getByRole('button', { name: 'Change' }).click()
    await page.getByLabel('Alias').fill('Night line')
    await context.clearCookies()
    await page.getByRole('button', { name: 'Preview changes' }).click()
    const again = page.getByRole('dialog', { name: 'Sign in again' })
    await again.getByRole('button', { name: /Elena Núñez/ }).click()
    // the request is sent again automatically
    await page.getByText('Alias: After hours → Night line').waitFor()
    await page.getByRole('button', { name: 'Change it' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText(/Night line · Seattle/).waitFor()
    await close()
  })

  it('keeps a new port order and a new address when the session expires', async () => {
    const { context, page, close } = await stage.visit('owner', '/port-orders/new')
    const signInAgain = async () => {
      const again = page.getByRole('dialog', { name: 'Sign in again' })
      await again.getByRole('button', { name: /Elena Núñez/ }).click()
      await again.waitFor({ state: 'detached' })
    }
    await page.getByRole('textbox', { name: 'Numbers' }).fill('6085557801')
    await page.getByRole('button', { name: 'Continue with 1 number' }).click()
    const carrier = page.getByRole('textbox', { name: 'Losing carrier' })
    await carrier.fill('Lakeside Bell')
    await context.clearCookies()
    // fields are checked on blur
    await page.keyboard.press('Tab')
    await signInAgain()
    await page.getByRole('button', { name: 'Save and check the order' }).click()
    await page.getByText('The order isn’t saved yet.').waitFor()
    assert.equal(await carrier.inputValue(), 'Lakeside Bell')

    await open(page, '/e911/new')
    const typed = { Label: 'Annex', 'First name': 'Rosa', 'Last name': 'Diaz', 'House number': '100' }
    const field = (name: string) => page.getByRole('textbox', { name, exact: true })
    for (const [name, text] of Object.entries(typed)) await field(name).fill(text)
    await context.clearCookies()
    const rest = { Street: 'N Main St', City: 'Friendship', 'Postal code': '53934' }
    for (const [name, text] of Object.entries(rest)) await field(name).fill(text)
    await page.getByRole('combobox', { name: 'State' }).fill('WI')
    await page.getByRole('option', { name: 'WI' }).click()
    await signInAgain()
    await page.getByText('Valid address').waitFor()
    for (const [name, text] of Object.entries({ ...typed, ...rest })) assert.equal(await field(name).inputValue(), text)
    await close()
  })

  it('signs in with an authenticator code, a recovery code, and a passkey', async () => {
    const base_url = stage.service.base_url.replace('127.0.0.1', 'localhost')
    const noor = await newVisitor(stage.browser, base_url)
    const { page } = noor
    await addAuthenticator(noor)
    const email = `noor-${run}@example.com`
    await open(page, `/invitation${(await invitationOf(stage, email)).hash}`)
    await page.getByLabel('Your name').fill('Noor Haddad')
    await page.getByLabel('Choose a password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Join' }).click()
    const menu = page.getByRole('button', { name: 'Noor Haddad' })
    await menu.waitFor()

    await open(page, '/settings/sign-in')
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click()
    const setUp = page.getByRole('dialog', { name: 'Set up an authenticator app' })
    const secret = await setUp.locator('code').innerText()
    await setUp.getByLabel('Code shown in the app').fill(codeOf(secret))
    await setUp.getByRole('button', { name: 'Finish' }).click()
    const codes = page.getByRole('dialog', { name: 'Your recovery codes' })
    const recovery_code = await codes.getByRole('listitem').first().innerText()
    await codes.getByRole('button', { name: 'I’ve saved them' }).click()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByLabel('Passkey name').fill('This laptop')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('row', { name: /This laptop/ }).waitFor()

    const signOut = async () => {
      await menu.click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
    }
    const password = async () => {
      await signOut()
      await page.getByLabel('Email address').fill(email)
      await page.getByLabel('Password').fill('correct horse battery')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'One more step' }).waitFor()
    }
    await password()
    const code = page.getByLabel('Authenticator code')
    await code.fill(codeOf(secret, 5))
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await code.fill(codeOf(secret, 1))
    await page.keyboard.press('Enter')
    await menu.waitFor()
    await password()
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await page.getByLabel('Recovery code').fill(recovery_code)
    await page.keyboard.press('Enter')
    await menu.waitFor()
    await signOut()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await menu.waitFor()
    await noor.close()
  })

  it('signs in with an identity provider and explains unknown users and cancellation', async (t) => {
    if (stage.service.process === null)
      return t.skip('the service that is given has no identity provider of these stories')
    const { provider } = stage
    provider.asks = true
    for (const [email, consent, said] of [
      ['elena@harbor-dental.example', 'Go on', null],
      ['stranger@example.com', 'Go on', 'This email address has not been invited. Ask an account owner to invite you.'],
      ['elena@harbor-dental.example', 'Cancel', 'You canceled the sign-in.'],
    ] as const) {
      provider.who = { email, email_verified: true }
      const { context, page, close } = await stage.visit('anyone', '/sign-in')
      await page.getByRole('button', { name: 'Sign in with Harbor ID' }).click()
      await page.getByRole('link', { name: consent }).click()
      if (said === null) await page.getByRole('heading', { name: 'Overview' }).waitFor()
      else await page.getByRole('alert').getByText(said).waitFor()
      assert.equal(new URL(page.url()).pathname, said === null ? '/' : '/sign-in')
      if (said === null) await expiredWithin(page, context)
      await close()
    }
  })

  it('requires a sign-in after signing out', async () => {
    const { context, page, close } = await newVisitor(stage.browser, stage.service.base_url)
    await signInAs(context, 'owner')
    await open(page, '/numbers')
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog', { name: 'Search' }).locator('input').fill('sign out')
    await page.getByRole('menuitem', { name: /^Sign out/ }).click()
    await page.getByRole('heading', { name: 'Demarc' }).waitFor()
    await page.goto('/numbers')
    await page.getByRole('button', { name: /Elena Núñez/ }).waitFor()
    await close()
  })
}

export default stories

/** The session of a person who only uses the provider expires during input; they sign in again in another window. */
async function expiredWithin(page: Page, context: BrowserContext): Promise<void> {
  await open(page, '/numbers/12065550102')
  await page.getByRole('button', { name: 'Change' }).click()
  await page.getByLabel('Alias').fill('Weekend line')
  await context.clearCookies()
  await page.getByRole('button', { name: 'Preview changes' }).click()
  const again = page.getByRole('dialog', { name: 'Sign in again' })
  const signIn = again.getByRole('button', { name: 'Sign in with Harbor ID' })

  await page.evaluate(() => {
    const opens = window.open.bind(window)
    // simulates a pop-up blocker
    window.open = () => {
      window.open = opens
      return null
    }
  })
  await signIn.click()
  await again.getByRole('alert').getByText('Your browser blocked the window.').waitFor()
  await again.getByText(/in this window, but you’ll lose your input on this page/).waitFor()

  const opening = context.waitForEvent('page')
  await signIn.click()
  const other = await opening
  await other.getByRole('link', { name: 'Cancel' }).click()
  await other.getByRole('alert').getByText('You canceled the sign-in.').waitFor()
  await other.getByRole('button', { name: 'Sign in with Harbor ID' }).click()
  const closed = other.waitForEvent('close')
  await other.getByRole('link', { name: 'Go on' }).click()
  await page.getByText(/Alias: .* → Weekend line/).waitFor()
  await closed
}

/** The customer's invitation link for this address. */
async function invitationOf(stage: Stage, email: string): Promise<URL> {
  const { browser, service } = stage
  const context = await browser.newContext({ baseURL: service.base_url })
  await signInAs(context, 'owner')
  // as described in the API
  const session = (await (await context.request.get('/v2/session')).json()) as { data: { csrf_token: string } }
  const response = await context.request.post('/v2/invitations', {
    data: { email, role: 'manager' },
    headers: { 'Demarc-CSRF': session.data.csrf_token },
  })
  const { data } = (await response.json()) as { data: { url: string | null } }
  await context.close()
  return data.url === null ? await mailedLink(stage, email) : new URL(data.url)
}
