import assert from 'node:assert/strict'
import { it, type Stories } from './support/stage.ts'

/** The last of the files by its name, because the clock is moved for all. */
const stories: Stories = (stage) => {
  it('moves the clock to the next FOC date, says what happened because of it, and counts by it everywhere', async () => {
    const { operator } = stage.service
    const { page, close } = await stage.visit('operator', '/operator/clock')
    const before = (await operator.getClock()).body.data.now
    await page.getByRole('button', { name: 'An hour on' }).click()
    await page.getByRole('heading', { name: /What happened since/ }).waitFor()
    await page.getByRole('button', { name: 'To the next FOC date' }).click()
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
    // the default period ends with the day of the service, not with that of the browser
    await owner.page.getByText(`until ${tomorrow}`).waitFor()
    await owner.close()
  })
}

export default stories
