import { get } from 'node:http'
import { gunzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'

/** What a page has loaded of one kind. */
export interface FirstLoad {
  kind: string
  files: number
  bytes: number
  /** As it is sent to a browser that knows gzip alone. */
  compressed_bytes: number
}

/** Every file that the page as it is open has loaded, by kind: also its font and its icon, and not the data. */
export async function firstLoadOf(page: Page): Promise<FirstLoad[]> {
  const urls = await page.evaluate(() => [
    location.href,
    ...performance.getEntriesByType('resource').map(({ name }) => name),
    // a browser without a window asks for no icon
    ...[...document.querySelectorAll<HTMLLinkElement>('link[rel=icon]')].map(({ href }) => href),
  ])
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
  const [, extension = ''] = /^\/(?:assets\/.*|icon)\.(\w+)$/.exec(path) ?? []
  return { js: 'scripts', css: 'styles', woff2: 'font', svg: 'icon' }[extension] ?? null
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
