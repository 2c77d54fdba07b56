import assert from 'node:assert/strict'
import { it, type Stories } from './support/stage.ts'

/** Sorts last, because it moves the clock for every story. */
const stories: Stories = (stage) => {
  it('moves the clock to the next FOC date, lists the resulting events, and updates every page', async () => {
    const { operator } = stage.service
    const { page, close } = await stage.visit('operator', '/operator/clock')
    const before = (await operator.getClock()).body.data.now
    await page.getByRole('button', { name: 'Forward 1 hour' }).click()
    await page.getByRole('heading', { name: /Events since the move/ }).waitFor()
    await page.getByRole('button', { name: 'To next FOC date' }).click()
    await page.getByRole('link', { name: 'Port order completed' }).first().waitFor()
    const after = (await operator.getClock()).body.data.now
    assert.ok(Date.parse(after) - Date.parse(before) > 3_600_000)
    await close()

    const owner = await stage.visit('owner', '/call-records')
    const zone = { timeZone: 'America/Los_Angeles' }
    const tomorrow = new Date(Date.parse(after) + 86_400_000).toLocaleDateString('en-US', {
      ...zone,
      dateStyle: 'medium',
    })
    // the default period ends today by the service's clock, not the browser's
    await owner.page.getByText(`until ${tomorrow}`).waitFor()
    await owner.close()
  })
}

export default stories
