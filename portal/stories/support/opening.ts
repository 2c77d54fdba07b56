import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Service } from '../../../acceptance/support/service.ts'
import { pagesOf, type PageWithUrl } from './pages.ts'

/** Measures how long a page takes until it is usable. */

export type Opening = PageWithUrl

/** A page that takes longer has failed. */
const deadline_ms = 30_000

/** Every page, with the reseller's examples. */
export const openingsOf = (service: Service): Promise<Opening[]> =>
  pagesOf(
    { ...service, account: service.other },
    { '/port-orders/$order': anyOrder, '/call-records/exports/$export_id': newExport },
  )

/** The reseller has no rejected order. */
const anyOrder = async ({ account }: Service): Promise<Record<string, string>> => {
  const { body } = await account.listPortOrders({ query: { limit: 1 } })
  return { order: body.data[0]?.id ?? assert.fail('the reseller has no order') }
}

/** The reseller has no export yet. */
async function newExport({ account }: Service): Promise<Record<string, string>> {
  const filter_parameters = { start_call_start_time: '2025-01-01 00:00:00', start_call_end_time: '2026-01-01 00:00:00' }
  const { body } = await account.createCdrExport({
    body: { data: { type: 'cdrexport', attributes: { format: 'csv', filter_parameters } } },
  })
  return { export_id: body.data.id }
}

/** Opens a page from its URL. Returns the milliseconds from navigation start until its content is painted and it responds to a key: Enter on its first button opens a dialog, or Tab moves the focus. */
export async function measureOpening(page: Page, url: string): Promise<number> {
  await page.goto(url, { waitUntil: 'commit' })
  const key = await page.evaluate(
    ({ path, limit_ms }) =>
      new Promise<'Enter' | 'Tab'>((resolve, reject) => {
        const onFrame = () => {
          const waits =
            document.querySelector('h1') === null ||
            document.querySelector('[role=status][aria-label=Loading], [aria-busy=true]') !== null ||
            // names of related records
            [...document.querySelectorAll('td')].some((cell) => cell.textContent === '…')
          if (performance.now() > limit_ms) return reject(new Error(`${path} is not drawn`))
          if (waits) return requestAnimationFrame(onFrame)
          const verb = document.querySelector<HTMLElement>('main button[aria-label="Show as API call"]')
          verb?.focus()
          return resolve(verb === null ? 'Tab' : 'Enter')
        }
        onFrame()
      }),
    { path: url, limit_ms: deadline_ms },
  )
  // wrapped in an object, so the promise is still pending when the key is pressed
  const waiting = await page.evaluateHandle((limit_ms) => {
    const focused = document.activeElement
    const answered = new Promise<number>((resolve, reject) => {
      const onFrame = () => {
        if (document.querySelector('[role=dialog]') !== null || document.activeElement !== focused)
          // after the frame is painted
          return setTimeout(() => resolve(performance.now()))
        if (performance.now() > limit_ms) return reject(new Error('the key is not answered'))
        return requestAnimationFrame(onFrame)
      }
      onFrame()
    })
    return { answered }
  }, deadline_ms)
  await page.keyboard.press(key)
  return await waiting.evaluate(({ answered }) => answered)
}
