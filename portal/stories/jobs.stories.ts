import assert from 'node:assert/strict'
import { it, type Stories } from './support/stage.ts'

const stories: Stories = (stage) => {
  it('says which jobs were given up and why, by kind, and retries one and several', async () => {
    const { page, close } = await stage.visit('operator', '/operator/jobs')
    await page.getByText('2 jobs were given up.').waitFor()
    const byKind = page.getByRole('region', { name: 'Jobs by kind' })
    await byKind.getByRole('link', { name: 'Remove expired refused lines' }).click()
    await page.getByRole('button', { name: 'Given up' }).click()
    await page.reload()
    await page.getByText('Only: Remove expired refused lines').waitFor()
    const row = page.getByRole('row', { name: 'expire-cdr-ingest' })
    await row.getByText('(made up for the demo) EROFS: read-only file system, unlink').first().waitFor()
    await row.getByText('Refused lines of a delivery of call records stay longer than they should.').first().waitFor()
    await page
      .getByRole('button', { name: /^Retry expire-cdr-ingest/ })
      .first()
      .click()
    await page.getByText('It is due again.').waitFor()
    await page.getByText('1 job was given up.').waitFor()
    await page.getByRole('checkbox', { name: 'Select all on this page' }).press('Space')
    await page.getByRole('button', { name: 'Retry 1 job' }).click()
    await page.getByText('No job is like this').waitFor()
    await page.getByText('No job was given up.').waitFor()
    await close()
  })

  it('says which receivers fail, with what they responded, and sends a delivery again', async () => {
    const { page, close } = await stage.visit('operator', '/operator/jobs?view=deliveries')
    const failing = page.getByRole('region', { name: 'Receivers that fail' })
    await failing.getByRole('link').first().click()
    await page.getByText(/^Only: /).waitFor()
    await page.getByRole('button', { name: 'On its way' }).click()
    const open = page.getByRole('button', { name: /^\d+ attempts?: / }).first()
    const before = Number.parseInt(await open.innerText(), 10)
    await open.click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByText(/The receiver responded with 503\.|No complete response/)
      .first()
      .waitFor()
    await dialog.getByRole('button', { name: 'Send it again' }).click()
    await page.getByText('It is sent again.').waitFor()
    assert.ok(before > 0)
    assert.match(page.url(), /delivery=pending/)
    await close()
  })

  it('asks for nothing by itself once nobody has touched the page for ten minutes, until somebody does', async () => {
    const { page, close } = await stage.visit('operator', '/operator/jobs')
    let polls = 0
    const isPoll = (url: string) => new URL(url).pathname === '/operator/jobs/kinds'
    page.on('request', (request) => void (isPoll(request.url()) && polls++))
    const poll = () => page.waitForResponse((response) => isPoll(response.url()))

    await page.clock.install()
    await Promise.all([poll(), page.reload()])
    await page.getByText(/^(What is due|Due work) /).waitFor()
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

/** How often these pages ask, and the time after which whoever touches nothing is not at the page. */
const [refresh_ms, away_ms] = [10_000, 10 * 60_000]
