import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { openService } from '../../acceptance/support/service.ts'
import { readArguments, refuseArguments } from '../../acceptance/support/arguments.ts'
import { newVisitor, open, signInAs, type Theme } from './support/browser.ts'
import { openBrowser, skipped } from '../../acceptance/support/chromium.ts'
import { readmeViewsOf, viewsOf, type View } from './support/views.ts'

const USAGE = `Takes pictures of a service in demo mode that is started for them.

  npm run screenshots -- FOLDER [PART OF A NAME]   every page and dialog at three widths in both themes
  npm run screenshots -- --readme                  those of the README and the docs, into docs/pictures`

const { values, positionals } = readArguments(USAGE, {
  options: { readme: { type: 'boolean' } },
  allowPositionals: true,
})
const [target, part = ''] = positionals
const folder = values.readme === true ? path.resolve(import.meta.dirname, '../../docs/pictures') : target

if (folder === undefined) refuseArguments('Say where the pictures go.', USAGE)
if (skipped !== false) {
  console.error(`No pictures: ${skipped}.`)
  process.exit(1)
}
await mkdir(folder, { recursive: true })
const [service, browser] = await Promise.all([openService(), openBrowser()])
try {
  if (values.readme === true) await take(await readmeViewsOf(service), 'light', 1440, '')
  else {
    const views = (await viewsOf(service)).filter(({ name }) => name.includes(part))
    for (const theme of ['light', 'dark'] as const)
      for (const width of [390, 1024, 1440]) await take(views, theme, width, `-${width}-${theme}`)
  }
} finally {
  await browser.close()
  await service.stop()
}

/** Takes screenshots of these views, each starting from a freshly opened page. */
async function take(views: readonly View[], theme: Theme, width: number, suffix: string): Promise<void> {
  for (const who of ['anyone', 'owner', 'operator'] as const) {
    const own = views.filter(({ visitor }) => visitor === who)
    if (own.length === 0) continue
    const visitor = await newVisitor(browser, service.base_url, { theme, width, height: width < 500 ? 844 : 900 })
    if (who !== 'anyone') await signInAs(visitor.context, who)
    for (const { name, url, steps } of own) {
      await open(visitor.page, url)
      await steps?.(visitor.page)
      await visitor.page.screenshot({ path: path.join(folder ?? '', `${name}${suffix}.png`) })
    }
    await visitor.close()
  }
}
