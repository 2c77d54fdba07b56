import { openService } from '../../acceptance/support/service.ts'
import { newVisitor, open, signInAs } from './support/browser.ts'
import { openBrowser, skipped } from '../../acceptance/support/chromium.ts'
import { firstLoadOf, type FirstLoad } from './support/first-load.ts'
import { measureOpening, openingsOf, type Opening } from './support/opening.ts'
import { measureSearches, type MeasuredSearch } from './support/searching.ts'

/**
 * Measures the portal in a browser against a service in demo mode with the reseller's ten thousand numbers, and prints JSON: what
 * `npm run bench -- portal` reports. The argument is how often each page is opened.
 */

const rounds = Number(process.argv[2] ?? 5)

interface Measured {
  rounds: number
  first_load: FirstLoad[]
  openings: (Opening & { cold_ms: number[]; warm_ms: number[] })[]
  searches: MeasuredSearch[]
}

if (skipped !== false) {
  console.error(`The portal cannot be measured: ${skipped}.`)
  process.exit(1)
}
const [service, browser] = await Promise.all([openService({ DEMARC_REQUESTS_PER_MINUTE: '1000000000' }), openBrowser()])
try {
  // waits for the build
  await fetch(service.base_url)
  const measured: Measured = {
    rounds,
    first_load: await firstLoad(),
    openings: await openings(),
    searches: await measureSearches(service, await visitorOf({ visitor: 'owner' })),
  }
  console.log(JSON.stringify(measured))
} finally {
  await browser.close()
  await service.stop()
}

/** A visitor with an empty browser cache: the reseller's owner, the operator's clerk, or signed out. */
async function visitorOf({ visitor }: Pick<Opening, 'visitor'>) {
  const made = await newVisitor(browser, service.base_url)
  if (visitor === 'owner') await signInAs(made.context, 'owner', 'Cascade Voice Partners')
  if (visitor === 'operator') await signInAs(made.context, 'operator')
  return made
}

async function openings(): Promise<Measured['openings']> {
  const measured = (await openingsOf(service)).map((each) => ({
    ...each,
    cold_ms: [] as number[],
    warm_ms: [] as number[],
  }))
  // in turns, so that whatever else the machine does burdens all pages
  for (let round = 0; round < rounds; round++)
    for (const each of measured) {
      const { page, close } = await visitorOf(each)
      const cold_ms = await measureOpening(page, each.url)
      const warm_ms = await measureOpening(page, each.url)
      await close()
      each.cold_ms.push(Math.round(cold_ms))
      each.warm_ms.push(Math.round(warm_ms))
    }
  return measured
}

/** What the overview loads before it is there. */
async function firstLoad(): Promise<FirstLoad[]> {
  const { page, close } = await visitorOf({ visitor: 'owner' })
  await open(page, '/')
  const loads = await firstLoadOf(page)
  await close()
  return loads
}
