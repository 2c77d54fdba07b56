import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

/** More stops than any page has: what is not reached by then cannot be. */
const stops_max = 120

/** A person without a mouse: goes from one thing to the next by Tab, types, and presses keys. */
export const keyboardOf = (page: Page) => {
  const go = async (to: Locator) => {
    await to.waitFor()
    for (let stop = 0; stop < stops_max; stop++) {
      if (await to.evaluate((element) => element === document.activeElement)) return
      await page.keyboard.press('Tab')
    }
    assert.fail(`Tab does not come to ${String(to)}`)
  }
  return {
    go,
    /** Goes to a button or a link, and presses Enter on it. */
    async press(to: Locator) {
      await go(to)
      await page.keyboard.press('Enter')
    },
    /** Goes to a field and writes into it, in place of what is there. */
    async write(to: Locator, text: string) {
      await go(to)
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.insertText(text)
    },
    /** Opens a choice and goes down to this option. */
    async choose(from: Locator, option: Locator) {
      await go(from)
      await page.keyboard.press('Enter')
      await option.waitFor()
      for (let stop = 0; stop < stops_max; stop++) {
        if (await option.evaluate((element) => element === document.activeElement)) break
        await page.keyboard.press('ArrowDown')
      }
      await page.keyboard.press('Enter')
      await option.waitFor({ state: 'detached' })
    },
  }
}
