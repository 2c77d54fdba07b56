import assert from 'node:assert/strict'
import { it, type Stories } from './support/stage.ts'

const stories: Stories = (stage) => {
  it('copies firewall rules, then reports no changes', async () => {
    const { page, context, close } = await stage.visit('owner', '/edge-strategies?format=nftables')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy the rules for nftables' }).click()
    await page.getByText('No changes since you copied them').waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    assert.match(copied, /192\.0\.2\.32\/28/)
    await page.getByRole('button', { name: 'us-east-nj' }).click()
    await page.getByText('Copy the rules, and this page').waitFor()
    await close()
  })
}

export default stories
