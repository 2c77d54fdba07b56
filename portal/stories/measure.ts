import { get } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { openService } from '../../acceptance/support/service.ts'
import { newVisitor, signInAs } from './support/browser.ts'
import { openBrowser, skipped } from './support/chromium.ts'
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

interface FirstLoad {
  kind: string
  files: number
  bytes: number
  compressed_bytes: number
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

/** Somebody whose browser has kept nothing yet: the reseller's owner, the operator's clerk, or nobody. */
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

/** What the overview loads before it is there, by kind, compressed as it is sent to a browser that knows gzip alone. */
async function firstLoad(): Promise<FirstLoad[]> {
  const { page, close } = await visitorOf({ visitor: 'owner' })
  await measureOpening(page, '/')
  const urls = await page.evaluate(() => [
    location.href,
    ...performance.getEntriesByType('resource').map(({ name }) => name),
  ])
  await close()
  const loads = new Map<string, FirstLoad>()
  for (const url of new Set(urls)) {
    const kind = kindOf(new URL(url).pathname)
    if (kind === null) continue
    const sizes = await sizesOf(url)
    const { files, bytes, compressed_bytes } = loads.get(kind) ?? { files: 0, bytes: 0, compressed_bytes: 0 }
    loads.set(kind, {
      kind,
      files: files + 1,
      bytes: bytes + sizes.bytes,
      compressed_bytes: compressed_bytes + sizes.compressed_bytes,
    })
  }
  return [...loads.values()]
}

/** What is no file of the portal's build is the data. */
function kindOf(path: string): string | null {
  if (path === '/') return 'document'
  const [, extension = ''] = /^\/assets\/.*\.(\w+)$/.exec(path) ?? []
  return { js: 'scripts', css: 'styles', woff2: 'font' }[extension] ?? null
}

/** The bytes that are sent, without decoding them. */
async function sizesOf(url: string): Promise<{ bytes: number; compressed_bytes: number }> {
  const sent = await new Promise<{ body: Buffer; coding: string | undefined }>((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ body: Buffer.concat(chunks), coding: response.headers['content-encoding'] }))
      response.on('error', reject)
    }).on('error', reject)
  })
  const bytes = sent.coding === 'gzip' ? gunzipSync(sent.body).length : sent.body.length
  return { bytes, compressed_bytes: sent.body.length }
}
