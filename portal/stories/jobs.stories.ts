import assert from 'node:assert/strict'
import { it, type Stories } from './support/stage.ts'

const stories: Stories = (stage) => {
  it('shows failed jobs by kind with their errors and retries one or several', async () => {
    const { page, close } = await stage.visit('operator', '/')
    await page.getByRole('link', { name: '2 jobs failed permanently' }).waitFor()
    await page.goto('/operator/jobs')
    await page.getByText('2 jobs failed permanently.').waitFor()
    const byKind = page.getByRole('region', { name: 'Jobs by kind' })
    await byKind.getByRole('link', { name: 'Remove expired rejected lines' }).click()
    await page.getByRole('button', { name: 'Failed' }).click()
    await page.reload()
    await page.getByText('Only: Remove expired rejected lines').waitFor()
    const row = page.getByRole('row', { name: 'expire-cdr-ingest' })
    await row.getByText('(made up for the demo) EROFS: read-only file system, unlink').first().waitFor()
    await row.getByText('Expired rejected lines of a call-record delivery are still stored.').first().waitFor()
    await page
      .getByRole('button', { name: /^Retry expire-cdr-ingest/ })
      .first()
      .click()
    await page.getByText('1 job is due again.').waitFor()
    await page.getByText('1 job failed permanently.').waitFor()
    await page.getByRole('checkbox', { name: 'Select all on this page' }).press('Space')
    await page.getByRole('button', { name: 'Retry 1 job' }).click()
    await page.getByText('No matching jobs').waitFor()
    await page.getByText('No jobs failed permanently.').waitFor()
    await close()
  })

  it('shows failing endpoints with their responses and resends a delivery', async () => {
    const { page, close } = await stage.visit('operator', '/operator/jobs?view=deliveries')
    const failing = page.getByRole('region', { name: 'Failing endpoints' })
    await failing.getByRole('link').first().click()
    await page.getByText(/^Only: /).waitFor()
    await page.getByRole('button', { name: 'Pending' }).click()
    const open = page.getByRole('button', { name: /^\d+ attempts?: / }).first()
    const before = Number.parseInt(await open.innerText(), 10)
    await open.click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByText(/The endpoint responded with 503\.|No complete response/)
      .first()
      .waitFor()
    await dialog.getByRole('button', { name: 'Resend' }).click()
    await page.getByText('Resending.').waitFor()
    assert.ok(before > 0)
    assert.match(page.url(), /delivery=pending/)
    await close()
  })

  it('stops polling after ten minutes without input and resumes on input', async () => {
    const { page, close } = await stage.visit('operator', '/operator/jobs')
    let polls = 0
    const isPoll = (url: string) => new URL(url).pathname === '/operator/jobs/kinds'
    page.on('request', (request) => void (isPoll(request.url()) && polls++))
    const poll = () => page.waitForResponse((response) => isPoll(response.url()))

    await page.clock.install()
    await Promise.all([poll(), page.reload()])
    await page.getByText(/^(All due jobs|Due jobs) /).waitFor()
    await Promise.all([poll(), page.clock.runFor(refresh_ms)])
    await page.clock.runFor(away_ms)
    const before = polls
    await page.clock.runFor(away_ms)
    assert.equal(polls, before)
    await Promise.all([poll(), page.keyboard.press('Shift')])
    await close()
  })
}

export default stories

/** The polling interval of these pages, and the time without input after which polling stops. */
const [refresh_ms, away_ms] = [10_000, 10 * 60_000]
