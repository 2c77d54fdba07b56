import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { Service } from '../../../acceptance/support/service.ts'
import { open, type Visitor } from './browser.ts'

/** Measures the number list's latency from keystroke to rows. */

export interface MeasuredSearch {
  text: string
  rows: number
  ms: number
}

/** Ten keys a second, a fast typist. */
const between_keys_ms = 100

/** Parts of numbers in common formats, and of aliases. */
const texts = (
  '5551, (503) 555-4, 503-555-12, 555-87, +1 503 555 34, 0042, 9913, 503.555.66, 7770, 15035558, ' +
  'mer 1, mer 27, Customer 3, Customer 45, customer 099, tomer 8, R 61, omer 7777, er 05, ER 02'
).split(', ')

/** Types twenty searches and measures from the last key until the results are painted. */
export async function measureSearches(service: Service, { page, close }: Visitor): Promise<MeasuredSearch[]> {
  await open(page, '/numbers')
  const field = page.getByRole('searchbox', { name: 'Search numbers' })
  const measured: MeasuredSearch[] = []
  for (const text of texts) {
    const expected = await valuesOf(service, text)
    assert.notDeepEqual(
      expected,
      await valuesOf(service, text.slice(0, -1)),
      `the last key of ${text} finds nothing else`,
    )
    await field.fill('')
    await field.pressSequentially(text.slice(0, -1), { delay: between_keys_ms })
    await sleep(between_keys_ms)
    const waiting = await waitForDrawn(page, expected)
    await page.keyboard.press(text.slice(-1))
    const ms = await waiting.evaluate(({ drawn }) => drawn)
    measured.push({ text, rows: expected.length, ms: Number(ms.toFixed(1)) })
  }
  await close()
  return measured
}

/** The expected rows. */
async function valuesOf({ other }: Service, text: string): Promise<string[]> {
  const digits = text.replace(/[\s().+-]/g, '')
  const filter = /^\d+$/.test(digits) ? { contains: digits } : { alias: text.trim() }
  const { body } = await other.listNumbers({ query: { limit: 50, ...filter } })
  return body.data.map(({ attributes }) => attributes.value)
}

/** Measures the milliseconds from the next key until exactly these numbers are painted, with the names of related records. */
const waitForDrawn = (page: Page, values: readonly string[]) =>
  page.evaluateHandle((expected) => {
    const isDrawn = () => {
      const links = [...document.querySelectorAll<HTMLAnchorElement>('tbody th a')]
      const shown = links.map((link) => link.pathname.replace('/numbers/', ''))
      const cells = [...document.querySelectorAll('td')]
      return shown.join() === expected.join() && !cells.some((cell) => cell.textContent === '…')
    }
    const drawn = new Promise<number>((resolve) => {
      const onKey = ({ timeStamp }: KeyboardEvent) => {
        const onFrame = () => {
          // after the frame is painted
          if (isDrawn()) setTimeout(() => resolve(performance.now() - timeStamp))
          else requestAnimationFrame(onFrame)
        }
        requestAnimationFrame(onFrame)
      }
      addEventListener('keydown', onKey, { capture: true, once: true })
    })
    // wrapped in an object, so the promise is still pending when the key is pressed
    return { drawn }
  }, values)
