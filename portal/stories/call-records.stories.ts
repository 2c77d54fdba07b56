import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { it, type Stories } from './support/stage.ts'

const stories: Stories = (stage) => {
  it('exports filtered calls, shows progress, and verifies the download’s checksum in the browser', async () => {
    const { page, close } = await stage.visit('owner', '/call-records')
    await page.getByRole('button', { name: 'Inbound' }).click()
    await page.getByText('More filters').click()
    await page.getByRole('textbox', { name: 'Longer than (seconds)' }).fill('5')
    await page.waitForURL(/direction=inbound.*duration_greater_than=5/)
    const make = page.getByRole('button', { name: 'Export these calls' })
    await page.locator('dl[aria-busy=false]').waitFor()
    await make.click()
    await page.waitForURL(/\/call-records\/exports\/\d+$/)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download and verify' }).click(),
    ])
    await page.getByText('Verified', { exact: true }).waitFor()
    const export_id = page.url().split('/').at(-1) ?? ''
    const { attributes } = (await stage.service.account.getCdrExport({ params: { export_id } })).body.data
    assert.equal(attributes.filter_parameters['direction'], 'inbound')
    const digest = createHash('sha256')
      .update(await readFile(await download.path()))
      .digest('hex')
    assert.equal(digest, attributes.sha256)
    assert.equal(download.suggestedFilename(), `demarc-cdrs-${export_id}.csv.gz`)
    await page.getByText(digest).waitFor()
    await close()
  })

  it('runs an export again and reopens its filters for editing', async () => {
    const { body } = await stage.service.account.listCdrExports({ query: { status: 'completed', limit: 1 } })
    const before = body.data[0] ?? assert.fail('the demo has no completed export')
    const { page, close } = await stage.visit('owner', `/call-records/exports/${before.id}`)
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.waitForURL((url) => /\/exports\/\d+$/.test(url.pathname) && !url.pathname.endsWith(`/${before.id}`))
    await page.getByRole('button', { name: 'Download and verify' }).waitFor()
    const export_id = page.url().split('/').at(-1) ?? ''
    const { attributes } = (await stage.service.account.getCdrExport({ params: { export_id } })).body.data
    assert.deepEqual(attributes.filter_parameters, before.attributes.filter_parameters)
    await page.getByRole('link', { name: 'Change the filters' }).click()
    await page.waitForURL(/\/call-records\?.*start_call_start_time=/)
    await page.locator('dl[aria-busy=false]').waitFor()
    await close()
  })

  it('shows a filter’s error and disables the export until it is corrected', async () => {
    const { page, close } = await stage.visit('owner', '/call-records?destination_countries_included=US,XX')
    const countries = page.getByRole('textbox', { name: 'Include countries', exact: true })
    await countries.and(page.locator('[aria-invalid=true]')).waitFor()
    await page.getByText('A filter isn’t valid.').waitFor()
    const make = page.getByRole('button', { name: 'Export these calls' })
    assert.equal(await make.getAttribute('aria-disabled'), 'true')
    await countries.fill('us')
    await page.locator('dl[aria-busy=false]').waitFor()
    await page.locator('[aria-invalid=true]').waitFor({ state: 'detached' })
    await close()
  })

  it('charts calls by day and by fee with their figures and keeps the choice in the URL', async () => {
    const { page, close } = await stage.visit('owner', '/call-records?period=7d')
    await page.getByRole('img', { name: 'Minutes per day' }).waitFor()
    assert.equal(await page.getByRole('img', { name: 'Calls per day' }).locator('rect').count(), 7)
    assert.equal(await page.getByRole('table', { name: 'Calls by day' }).getByRole('rowheader').count(), 7)
    await page.getByRole('button', { name: 'By fee' }).click()
    await page.getByRole('row', { name: /Universal Service Fund/ }).waitFor()
    assert.match(page.url(), /by=fee/)
    await close()
  })
}

export default stories
