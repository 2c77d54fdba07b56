import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { openService } from '../../acceptance/support/service.ts'
import { newVisitor, open, signInAs } from './support/browser.ts'
import { openBrowser, skipped } from './support/chromium.ts'
import { pagesOf } from './support/pages.ts'

/**
 * `npm run screenshots -- [FOLDER] [PART OF A PATH]`: a picture of every page, at three widths in both themes, of a service in
 * demo mode that is started for them. Without a folder they go to docs/pictures.
 */

const widths = [390, 1024, 1440]
const [folder = path.resolve(import.meta.dirname, '../../docs/pictures'), part = ''] = process.argv.slice(2)

if (skipped !== false) {
  console.error(`No pictures: ${skipped}.`)
  process.exit(1)
}
await mkdir(folder, { recursive: true })
const [service, browser] = await Promise.all([openService(), openBrowser()])
try {
  const pages = (await pagesOf(service)).filter((page) => page.path.includes(part))
  for (const theme of ['light', 'dark'] as const)
    for (const width of widths)
      for (const who of ['anyone', 'owner', 'operator'] as const) {
        const visitor = await newVisitor(browser, service.base_url, { theme, width, height: width < 500 ? 844 : 900 })
        if (who !== 'anyone') await signInAs(visitor.context, who)
        for (const page of pages.filter((each) => each.visitor === who)) {
          await open(visitor.page, page.url)
          await visitor.page.screenshot({
            path: path.join(folder, `${nameOf(page.path)}-${width}-${theme}.png`),
          })
        }
        await visitor.close()
      }
} finally {
  await browser.close()
  await service.stop()
}

/** `/numbers/$number` is `numbers-number`. */
function nameOf(page: string): string {
  return page.replaceAll(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'overview'
}
