import assert from 'node:assert/strict'
import { after } from 'node:test'
import { AxeBuilder } from '@axe-core/playwright'
import { newVisitor, open, signInAs, type Visitor } from './support/browser.ts'
import { firstLoadOf } from './support/first-load.ts'
import { it, longStory, type Stories } from './support/stage.ts'
import { operatorOverview, pages, urlOf, type PageOfPortal } from './support/pages.ts'

/** One line of text that only some accounts have moves the rest by about 0.02. Browser vendors call less than 0.1 good. */
const shift_max = 0.03

const large = { width: 1440, height: 900 }
const small = { width: 390, height: 844 }

interface Shifted {
  shifts: { value: number; of: string[] }[]
}

/** Runs in the page: records each layout shift and the elements that moved. */
function recordShifts(): void {
  const shifts: Shifted['shifts'] = []
  Object.assign(globalThis, { shifts })
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      // the types of the DOM lack layout shifts
      const { value, sources } = entry as unknown as { value: number; sources: { node: Element | null }[] }
      shifts.push({ value, of: sources.map(({ node }) => node?.outerHTML?.slice(0, 120) ?? 'removed') })
    }
  }).observe({ type: 'layout-shift', buffered: true })
}

/** Runs in the page: what `recordShifts`, its init script, recorded. */
const recordedShifts = () => (globalThis as unknown as Shifted).shifts

const stories: Stories = (stage) => {
  const visits = new Map<string, Promise<Visitor>>()
  after(async () => {
    for (const visit of visits.values()) await (await visit).close()
  })

  /** One visit for all pages of a person: the browser compiles the portal once for it. */
  const visitOf = (who: PageOfPortal['visitor']): Promise<Visitor> => {
    const begin = async () => {
      const visitor = await newVisitor(stage.browser, stage.service.base_url, small)
      await visitor.page.addInitScript(recordShifts)
      if (who !== 'anyone') await signInAs(visitor.context, who)
      return visitor
    }
    const visit = visits.get(who) ?? begin()
    visits.set(who, visit)
    return visit
  }

  const auditOf = async ({ page }: Visitor, rules?: string[]) => {
    const axe = new AxeBuilder({ page })
    const { violations } = await (rules === undefined ? axe : axe.withRules(rules)).analyze()
    return violations.map(({ id, nodes }) => `${id} ${nodes.map(({ html }) => html).join(' ')}`)
  }

  for (const page of [...pages, operatorOverview])
    longStory(
      `${page.path} (${page.visitor}) opens from its URL at 390 px without shifts, doesn’t scroll sideways at 360 px, and at 1440 px has no axe violations, in either theme`,
      async () => {
        const found: string[] = []
        const visitor = await visitOf(page.visitor)
        const url = await urlOf(page, stage.service)
        await visitor.page.setViewportSize(small)
        await visitor.page.emulateMedia({ colorScheme: 'light' })
        await open(visitor.page, url)
        const { pathname } = new URL(visitor.page.url())
        if (pathname !== new URL(url, visitor.page.url()).pathname) found.push(`leads to ${pathname}`)
        const title = await visitor.page.title()
        if (title !== `${page.title} · Demarc`) found.push(`is called ${title}`)
        if (page.visitor !== 'anyone') found.push(...(await visitor.page.getByRole('alert').allInnerTexts()))
        await visitor.page.waitForLoadState('networkidle')
        const shifts = await visitor.page.evaluate(recordedShifts)
        const total = shifts.reduce((sum, { value }) => sum + value, 0)
        if (total > shift_max) found.push(`shifts by ${total.toFixed(3)}: ${JSON.stringify(shifts)}`)
        await visitor.page.setViewportSize({ width: 360, height: 780 })
        const width = await visitor.page.evaluate(() => document.documentElement.scrollWidth)
        if (width > 360) found.push(`is ${width} px wide`)
        await visitor.page.setViewportSize(large)
        found.push(...(await auditOf(visitor)))
        await visitor.page.emulateMedia({ colorScheme: 'dark' })
        // everything but contrast is the same in both themes
        found.push(...(await auditOf(visitor, ['color-contrast'])))
        assert.deepEqual(found, [])
      },
    )

  it('fails any story that sees motion with reduced motion preferred', async () => {
    for (const motion of [true, false]) {
      const { page, close } = await stage.visit('owner', '/numbers', { motion })
      await page.getByRole('button', { name: 'Import' }).click()
      await page.getByRole('dialog').waitFor()
      // in sequence, so each animation is reported
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
      if (motion) await assert.rejects(close(), /Motion of 220 ms/)
      else await close()
    }
  })

  it('reports being offline, keeps the page and navigation, and opens the failed page once back online', async () => {
    const { context, page, close } = await stage.visit('owner', '/numbers')
    await context.setOffline(true)
    await page.getByRole('status').getByText('You’re offline.').waitFor()
    await page.getByRole('row', { name: /Front desk/ }).waitFor()
    await page.getByRole('link', { name: 'Edge strategies' }).click()
    await page.getByRole('heading', { name: 'This page can’t be displayed' }).waitFor()
    await page.getByRole('button', { name: 'Reload' }).waitFor()
    // a page that is already loaded
    await page.getByRole('link', { name: 'Numbers', exact: true }).first().click()
    await page.getByRole('row', { name: /Front desk/ }).waitFor()
    await page.getByRole('link', { name: 'Edge strategies' }).click()
    await page.getByRole('heading', { name: 'This page can’t be displayed' }).waitFor()
    await context.setOffline(false)
    await page.getByRole('heading', { name: 'Edge strategies' }).waitFor()
    await close()
  })

  it('reports an unreachable service and recovers on its own', async () => {
    const { page, close } = await stage.visit('owner', '/')
    const lists = (url: URL) => url.pathname === '/v2/numbers'
    await page.route(lists, (route) => route.abort())
    await page.getByRole('link', { name: 'Numbers', exact: true }).first().click()
    await page.getByRole('alert').getByText('isn’t responding').waitFor()
    await page.unroute(lists)
    await page.getByRole('row', { name: /Front desk/ }).waitFor()
    await close()
  })

  it('loads at most 250 kB (gzip) for the first page', async () => {
    const { page, close } = await stage.visit('owner', '/')
    const loads = await firstLoadOf(page)
    const kinds = loads.map(({ kind }) => kind).toSorted()
    assert.deepEqual(kinds, ['document', 'font', 'icon', 'scripts', 'styles'])
    const bytes = loads.reduce((sum, { compressed_bytes }) => sum + compressed_bytes, 0)
    assert.ok(bytes <= 250_000, `${bytes} bytes: ${JSON.stringify(loads)}`)
    await close()
  })
}

export default stories
