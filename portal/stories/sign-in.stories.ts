import assert from 'node:assert/strict'
import { it } from 'node:test'
import { newVisitor, open, signInAs } from './support/browser.ts'
import type { Stories } from './support/stage.ts'

const stories: Stories = (stage) => {
  it('takes one click in the demo, and goes on to the page that was asked for', async () => {
    const { page, close } = await newVisitor(stage.browser, stage.service.base_url)
    await page.goto('/numbers/12065550100')
    await page.getByRole('button', { name: /Elena Núñez/ }).click()
    await page.getByRole('heading', { name: '(206) 555-0100' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/numbers/12065550100')
    await close()
  })

  it('refuses a wrong password in the words of the API, and keeps the address', async () => {
    const { page, close } = await newVisitor(stage.browser, stage.service.base_url)
    await page.goto('/sign-in')
    await page.getByLabel('E-mail address').fill('nobody@example.com')
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('alert').waitFor()
    assert.equal(await page.getByLabel('E-mail address').inputValue(), 'nobody@example.com')
    await close()
  })

  it('loses nothing that was typed when the session ends in the middle of a form', async () => {
    const { context, page, close } = await newVisitor(stage.browser, stage.service.base_url)
    await signInAs(context, 'owner')
    await open(page, '/numbers/12065550102')
    await page.getByRole('button', { name: 'Change' }).click()
    await page.getByLabel('Alias').fill('Night line')
    await context.clearCookies()
    await page.getByRole('button', { name: 'Show what changes' }).click()
    const again = page.getByRole('dialog', { name: 'Sign in again' })
    await again.getByRole('button', { name: /Elena Núñez/ }).click()
    // what was sent is sent again by itself
    await page.getByText('Alias: After hours → Night line').waitFor()
    await page.getByRole('button', { name: 'Change it' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('Night line, SEATTLE').waitFor()
    await close()
  })

  it('ends with a sign-out, after which a page asks to sign in', async () => {
    const { context, page, close } = await newVisitor(stage.browser, stage.service.base_url)
    await signInAs(context, 'owner')
    await open(page, '/numbers')
    await page.getByRole('button', { name: 'Elena Núñez' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Demarc' }).waitFor()
    await page.goto('/numbers')
    await page.getByRole('button', { name: /Elena Núñez/ }).waitFor()
    await close()
  })
}

export default stories
