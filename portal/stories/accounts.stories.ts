import assert from 'node:assert/strict'
import { Database } from '../../acceptance/support/database.ts'
import { signInAs } from './support/browser.ts'
import { it, type Stories } from './support/stage.ts'

const stories: Stories = (stage) => {
  it('takes an account from its creation to a key that a program uses, is replaced and then refused', async () => {
    const { page, close } = await stage.visit('operator', '/operator/accounts')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Create an account' }).click()
    await dialog.getByLabel('Name of the holder').fill('Lantern Books')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Lantern Books' }).waitFor()
    await page.getByText('Nobody can reach it').waitFor()
    await page.getByText('Nobody can sign in to it yet').waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? assert.fail('the page has no id')

    await page.getByRole('button', { name: 'Make a key' }).click()
    await dialog.getByLabel('What it is for').fill('Billing')
    await dialog.getByText(/^Read everything/).click()
    const status = async (make: string) => {
      await dialog.getByRole('button', { name: make }).click()
      const kept = dialog.getByRole('button', { name: 'I have kept it' })
      await kept.waitFor()
      const credentials = (await dialog.locator('code').allTextContents()).slice(0, 2).join(':')
      await kept.click()
      const Authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
      return async () => {
        const response = await fetch(`${stage.service.base_url}/v2/whoami`, { headers: { Authorization } })
        return [response.status, response.ok ? (await response.json()).data.account_id : null]
      }
    }
    const first = await status('Make the key')
    assert.deepEqual(await first(), [200, id])
    await page.getByRole('button', { name: 'Rotate Billing' }).click()
    const second = await status('Make the new key')
    assert.deepEqual(
      [await first(), await second()],
      [
        [200, id],
        [200, id],
      ],
    )
    const replaced = page.getByRole('row', { name: /Billing/ }).filter({ hasText: 'until' })
    await replaced.getByRole('button', { name: 'Revoke Billing' }).click()
    await dialog.getByRole('button', { name: 'Revoke the key' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.deepEqual(
      [await first(), await second()],
      [
        [401, null],
        [200, id],
      ],
    )
    await page.getByText('An access key was revoked', { exact: false }).first().waitFor()

    // what its holder sees first
    for (const [path, title] of [
      ['/', 'Begin with your numbers'],
      ['/numbers', 'No numbers yet'],
      ['/e911', 'No emergency addresses yet'],
    ] as const) {
      await page.goto(`${path}?account=${id}`)
      await page.getByRole('heading', { name: title }).waitFor()
    }
    await close()
  })

  it('finds an account while one types, by a part of its name or its id, and sees it as its holder does', async () => {
    const { page, close } = await stage.visit('operator', '/operator/accounts')
    const rows = page.getByRole('rowheader')
    await page.getByRole('searchbox', { name: 'Search accounts' }).fill('cascade')
    await rows.filter({ hasText: 'Harbor Dental' }).waitFor({ state: 'detached' })
    assert.equal(await rows.count(), 1)
    await page.reload()
    await rows.filter({ hasText: 'Cascade Voice Partners' }).waitFor()
    assert.equal(await rows.count(), 1)

    await page.getByRole('button', { name: 'Account: Demarc Telephone. Change it' }).click()
    await page.getByRole('searchbox', { name: 'A part of the name, or the id' }).fill('1002')
    const found = page.getByRole('menuitem', { name: /Cascade Voice Partners/ })
    await page.getByRole('menuitem', { name: /Harbor Dental/ }).waitFor({ state: 'detached' })
    await found.waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Account: Cascade Voice Partners. Change it' }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('account'), '1002')
    // the others can still be found from there
    await page.getByRole('button', { name: 'Account: Cascade Voice Partners. Change it' }).click()
    await page.getByRole('menuitem', { name: /Harbor Dental/ }).waitFor()
    await close()
  })

  it('opens an entry of the audit log with what was before, goes on to others like it, and checks the chain', async () => {
    const { account, operator } = stage.service
    const [number] = (await account.listNumbers({ query: { limit: 1 } })).body.data
    const value = number?.attributes.value ?? assert.fail('the demo has no number')
    const alias = number?.attributes.alias ?? null
    await account.updateNumber({
      params: { number: value },
      body: { data: { type: 'number', attributes: { alias: 'Seen in the log' } } },
    })
    await account.updateNumber({ params: { number: value }, body: { data: { type: 'number', attributes: { alias } } } })
    const account_id = (await account.whoami()).body.data.account_id ?? ''

    const { page, context, close } = await stage.visit(
      'operator',
      `/operator/audit?of=${account_id}&what=number.changed`,
    )
    await page.getByRole('link', { name: 'Number changed' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Number changed' })
    await dialog.getByRole('row', { name: /alias/ }).getByText('Seen in the log').waitFor()
    await page.reload()
    await dialog.getByRole('button', { name: 'Everything about this number' }).click()
    await page.getByText(`About number ${value}`).waitFor()

    // a sign-in is on no account's chain, and yet says whose it was
    await signInAs(context, 'owner', 'Harbor Dental')
    await signInAs(context, 'operator')
    await page.goto('/operator/audit?of=0&what=person.signed_in')
    await page
      .getByRole('row', { name: /Elena Núñez.*@.*, of Harbor Dental$/ })
      .first()
      .waitFor()
    await page.goto(`/operator/audit?of=${account_id}&what=number.changed`)

    await page.getByRole('button', { name: 'Check the chain' }).click()
    const { events } = (await operator.verifyEvents({ query: { account_id } })).body.data
    await page
      .getByRole('status')
      .getByText(new RegExp(`${events.toLocaleString('en-US')} entries of 1 chain, from .* to .*: each follows`))
      .waitFor()
    await page.goto('/operator/audit')
    await page.getByRole('button', { name: 'Check all chains' }).click()
    const accounts = (await operator.listAccounts({ query: { limit: 200 } })).body.data.length
    await page.getByText(`of ${accounts + 1} chains`, { exact: false }).waitFor()
    await page.getByText('Intact', { exact: true }).waitFor()
    await close()
  })

  // last, and with an account of its own, so that no other story sees it
  it('says at which entry a chain is broken that somebody changed in the database, shows it, and says what to do', async (t) => {
    const { process: own, operator } = stage.service
    if (own === null) return t.skip('The database of a service that was not started here is not known.')
    const { id } = (await operator.createAccount({ body: { name: 'Rewritten' } })).body.data
    for (const name of ['First', 'Second', 'Third'])
      await operator.createKey({ params: { account_id: id }, body: { name } })
    const { page, close } = await stage.visit('operator', `/operator/audit?of=${id}`)
    await page.getByRole('button', { name: 'Check the chain' }).click()
    await page.getByText('Intact', { exact: true }).waitFor()
    const database = new Database(own.data_dir)
    await database.rows(`update event set actor = 'key:nobody' where chain_id = $1 and sequence = 3`, [id])
    await page.getByRole('button', { name: 'Check the chain' }).click()
    const outcome = page.getByRole('status').filter({ hasText: 'Broken' })
    await outcome.getByText('entry 3 of 4 does not follow from the one before it.', { exact: false }).waitFor()
    await outcome.getByText('Compare the log with a backup', { exact: false }).waitFor()
    await page.goto('/operator/audit')
    await page.getByRole('button', { name: 'Check all chains' }).click()
    await outcome.getByText('Rewritten: entry 3 of 4', { exact: false }).waitFor()
    await outcome.getByRole('link', { name: 'Show the entries around it' }).click()
    await page.getByRole('row').getByText('Key nobody').waitFor()
    await close()
  })
}

export default stories
