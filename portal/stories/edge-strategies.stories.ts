import assert from 'node:assert/strict'
import { it, type Stories } from './support/stage.ts'

const stories: Stories = (stage) => {
  it('gives firewall rules to copy, and says afterwards that nothing has changed', async () => {
    const { page, context, close } = await stage.visit('owner', '/edge-strategies?format=nftables')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy the rules for nftables' }).click()
    await page.getByText('Nothing has changed since you copied them').waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    assert.match(copied, /192\.0\.2\.32\/28/)
    await page.getByRole('button', { name: 'us-east-nj' }).click()
    await page.getByText('Copy them once').waitFor()
    await close()
  })
}

export default stories
