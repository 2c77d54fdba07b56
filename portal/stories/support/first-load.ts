import { get } from 'node:http'
import { gunzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'

/** A page's loaded files of one kind. */
export interface FirstLoad {
  kind: string
  files: number
  bytes: number
  /** The size with gzip. */
  compressed_bytes: number
}

/** All files loaded by the open page, by kind, including font and icon but not data. */
export async function firstLoadOf(page: Page): Promise<FirstLoad[]> {
  const urls = await page.evaluate(() => [
    location.href,
    ...performance.getEntriesByType('resource').map(({ name }) => name),
    // headless browsers don't request the icon
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

/** Requests outside the portal's build are data. */
function kindOf(path: string): string | null {
  if (path === '/') return 'document'
  const [, extension = ''] = /^\/(?:assets\/.*|icon)\.(\w+)$/.exec(path) ?? []
  return { js: 'scripts', css: 'styles', woff2: 'font', svg: 'icon' }[extension] ?? null
}

/** The transferred bytes, not decoded. */
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
