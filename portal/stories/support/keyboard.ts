import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

/** More tab stops than any page has; anything not reached by then is unreachable. */
const stops_max = 120

/** A keyboard-only user, who moves with Tab. */
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
    /** Moves to a button or link and presses Enter. */
    async press(to: Locator) {
      await go(to)
      await page.keyboard.press('Enter')
    },
    /** Moves to a field and replaces its value. */
    async write(to: Locator, text: string) {
      await go(to)
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.insertText(text)
    },
    /** Opens a select and moves down to this option. */
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
