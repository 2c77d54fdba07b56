import assert from 'node:assert/strict'
import { Database } from '../../acceptance/support/database.ts'
import { signInAs } from './support/browser.ts'
import { it, type Stories } from './support/stage.ts'

const stories: Stories = (stage) => {
  it('creates an account and a key, rotates the key, and revokes it', async () => {
    const { page, close } = await stage.visit('operator', '/operator/accounts')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Create an account' }).click()
    await dialog.getByLabel('Customer name').fill('Lantern Books')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Lantern Books' }).waitFor()
    await page.getByText('No access yet').waitFor()
    await page.getByText('No one can sign in yet').waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? assert.fail('the page has no id')

    await page.getByRole('button', { name: 'Create a key' }).click()
    await dialog.getByLabel('Key name').fill('Billing')
    await dialog.getByText(/^Read-only/).click()
    const status = async (make: string) => {
      await dialog.getByRole('button', { name: make }).click()
      const kept = dialog.getByRole('button', { name: 'I’ve saved it' })
      await kept.waitFor()
      const credentials = (await dialog.locator('code').allTextContents()).slice(0, 2).join(':')
      await kept.click()
      const Authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
      return async () => {
        const response = await fetch(`${stage.service.base_url}/v2/whoami`, { headers: { Authorization } })
        return [response.status, response.ok ? (await response.json()).data.account_id : null]
      }
    }
    const first = await status('Create the key')
    assert.deepEqual(await first(), [200, id])
    await page.getByRole('button', { name: 'Rotate Billing' }).click()
    const second = await status('Create the new key')
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

    // what the customer sees first
    for (const [path, title] of [
      ['/', 'Start with your numbers'],
      ['/numbers', 'No numbers yet'],
      ['/e911', 'No emergency addresses yet'],
    ] as const) {
      await page.goto(`${path}?account=${id}`)
      await page.getByRole('heading', { name: title }).waitFor()
    }
    await close()
  })

  it('finds an account by name or id while typing and views it as the customer', async () => {
    const { page, close } = await stage.visit('operator', '/operator/accounts')
    const rows = page.getByRole('rowheader')
    await page.getByRole('searchbox', { name: 'Search accounts' }).fill('cascade')
    await rows.filter({ hasText: 'Harbor Dental' }).waitFor({ state: 'detached' })
    assert.equal(await rows.count(), 1)
    await page.reload()
    await rows.filter({ hasText: 'Cascade Voice Partners' }).waitFor()
    assert.equal(await rows.count(), 1)

    await page.getByRole('button', { name: 'Account: Demarc Telephone. Switch account' }).click()
    await page.getByRole('searchbox', { name: 'Name or id' }).fill('1002')
    const found = page.getByRole('menuitem', { name: /Cascade Voice Partners/ })
    await page.getByRole('menuitem', { name: /Harbor Dental/ }).waitFor({ state: 'detached' })
    await found.waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Account: Cascade Voice Partners. Switch account' }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('account'), '1002')
    // other accounts can still be found from there
    await page.getByRole('button', { name: 'Account: Cascade Voice Partners. Switch account' }).click()
    await page.getByRole('menuitem', { name: /Harbor Dental/ }).waitFor()
    await close()
  })

  it('sets a legal hold with a reason, shows who set it, and lifts it', async () => {
    const { operator } = stage.service
    const { id } = (await operator.createAccount({ body: { name: 'Subpoenaed' } })).body.data
    const held = async () => {
      const { held_at, hold_reason } = (await operator.getAccount({ params: { account_id: id } })).body.data.attributes
      return [held_at !== null, hold_reason]
    }
    const { page, context, close } = await stage.visit('operator', `/operator/accounts/${id}`)
    const dialog = page.getByRole('dialog')
    await page.getByText('Not under legal hold').waitFor()
    await page.getByRole('button', { name: 'Set a legal hold' }).click()
    await dialog.getByRole('button', { name: 'Set the hold' }).and(dialog.locator('[aria-disabled=true]')).waitFor()
    await dialog.getByLabel('Reason').fill('x'.repeat(501))
    await page.keyboard.press('Enter')
    await dialog.getByText('At most 500 characters.').waitFor()
    await dialog.getByLabel('Reason').fill('Subpoena 26-1234')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText(', under legal hold').waitFor()
    await page.getByText('Subpoena 26-1234').waitFor()
    const { data: session } = await (await context.request.get('/v2/session')).json()
    await page.getByText(`${session.person.name} (operator)`).waitFor()
    assert.deepEqual(await held(), [true, 'Subpoena 26-1234'])

    const reader = await stage.visit('operator_read_only', `/operator/accounts/${id}`)
    await reader.page.getByText('Subpoena 26-1234').waitFor()
    await reader.page.getByRole('button', { name: 'Lift the legal hold' }).focus()
    await reader.page.getByRole('tooltip', { name: /^You have read-only access/ }).waitFor()
    await reader.close()

    await page.getByRole('button', { name: 'Lift the legal hold' }).click()
    await dialog.getByLabel('Reason').fill('Case closed')
    await dialog.getByRole('button', { name: 'Lift the hold' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Not under legal hold').waitFor()
    assert.deepEqual(await held(), [false, null])
    await page.goto('/operator/audit?of=0&what=legal_hold.lifted')
    await page.getByText('Legal hold lifted').first().waitFor()
    await close()
  })

  it('opens an audit entry with its changes, follows related entries, and verifies the chain', async () => {
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
    await dialog.getByRole('button', { name: 'All entries about this number' }).click()
    await page.getByText(`About number ${value}`).waitFor()

    // a sign-in is on no account's chain but names the account
    await signInAs(context, 'owner', 'Harbor Dental')
    await signInAs(context, 'operator')
    await page.goto('/operator/audit?of=0&what=person.signed_in')
    await page
      .getByRole('row', { name: /Elena Núñez.*@.*, of Harbor Dental$/ })
      .first()
      .waitFor()
    await page.goto(`/operator/audit?of=${account_id}&what=number.changed`)

    await page.getByRole('button', { name: 'Verify chain' }).click()
    const { events } = (await operator.verifyEvents({ query: { account_id } })).body.data
    await page
      .getByRole('status')
      .getByText(new RegExp(`${events.toLocaleString('en-US')} entries of 1 chain, from .* to .*: every entry matches`))
      .waitFor()
    await page.goto('/operator/audit')
    await page.getByRole('button', { name: 'Verify all chains' }).click()
    const accounts = (await operator.listAccounts({ query: { limit: 200 } })).body.data.length
    await page.getByText(`of ${accounts + 1} chains`, { exact: false }).waitFor()
    await page.getByText('Intact', { exact: true }).waitFor()
    await close()
  })

  // last, with a separate account, because it breaks the chain
  it('shows where a tampered chain is broken and what to do', async (t) => {
    const { process: own, operator } = stage.service
    if (own === null) return t.skip('The database of a service that was not started here is not known.')
    const { id } = (await operator.createAccount({ body: { name: 'Rewritten' } })).body.data
    for (const name of ['First', 'Second', 'Third'])
      await operator.createKey({ params: { account_id: id }, body: { name } })
    const { page, close } = await stage.visit('operator', `/operator/audit?of=${id}`)
    await page.getByRole('button', { name: 'Verify chain' }).click()
    await page.getByText('Intact', { exact: true }).waitFor()
    const database = new Database(own.data_dir)
    await database.rows(`update event set actor = 'key:nobody' where chain_id = $1 and sequence = 3`, [id])
    await page.getByRole('button', { name: 'Verify chain' }).click()
    const outcome = page.getByRole('status').filter({ hasText: 'Broken' })
    await outcome.getByText('entry 3 of 4 doesn’t match the digest of the previous one.', { exact: false }).waitFor()
    await outcome.getByText('Compare the log with a backup', { exact: false }).waitFor()
    await page.goto('/operator/audit')
    await page.getByRole('button', { name: 'Verify all chains' }).click()
    await outcome.getByText('Rewritten: entry 3 of 4', { exact: false }).waitFor()
    await outcome.getByRole('link', { name: 'Show the entries around this point' }).click()
    await page.getByRole('row').getByText('Key nobody').waitFor()
    await close()
  })
}

export default stories
