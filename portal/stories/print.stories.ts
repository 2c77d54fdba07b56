import assert from 'node:assert/strict'
import { open } from './support/browser.ts'
import { it, type Stories } from './support/stage.ts'

/** Letter paper between its margins, in CSS pixels. */
const paper = { width: 718, height: 950 }

const stories: Stories = (stage) => {
  it('prints an order with its letter, and call charts, on white without navigation, buttons, or clipping', async () => {
    const [signed] = (await stage.service.account.listPortOrders({ query: { status: 'Rejected', limit: 1 } })).body.data
    const { page, close } = await stage.visit('owner', '/', { theme: 'dark', ...paper })
    for (const [url, needed] of [
      [
        `/port-orders/${signed?.id ?? assert.fail('the demo has no rejected order')}`,
        'Customer information|authori[sz]e',
      ],
      ['/call-records', 'Calls per day'],
    ] as const) {
      await open(page, url)
      await page.emulateMedia({ media: 'print' })
      await page.getByText(new RegExp(needed, 'i')).first().waitFor()
      const found = await page.evaluate(() => {
        const shown = [...document.querySelectorAll<HTMLElement>('body *')].filter((each) => each.checkVisibility())
        const isCut = (each: HTMLElement) =>
          getComputedStyle(each).overflowY !== 'visible' &&
          each.clientHeight > 1 &&
          each.scrollHeight > each.clientHeight + 1
        return {
          verbs: shown
            .filter((each) => each.matches('button:not([aria-pressed=true]), nav'))
            .map((each) => each.outerHTML),
          cut: shown.filter(isCut).map((each) => each.outerHTML.slice(0, 200)),
          width: document.documentElement.scrollWidth,
          page: getComputedStyle(document.querySelector('h1') ?? document.body).color,
        }
      })
      assert.deepEqual({ ...found, page: null }, { verbs: [], cut: [], width: paper.width, page: null }, url)
      // dark on white
      assert.ok(Number(/\d+/.exec(found.page)?.[0]) < 100, found.page)
      await page.emulateMedia({ media: 'screen' })
    }
    await close()
  })
}

export default stories
