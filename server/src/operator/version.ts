import { existsSync, readFileSync } from 'node:fs'
import manifest from '../../package.json' with { type: 'json' }

/** The product's version. */
export const version: string = manifest.version

/** The commit of a release or an image, from the file that was written when it was packed; null in a checkout. */
export const commit: string | null = readCommit(new URL('../../build.json', import.meta.url))

function readCommit(file: URL): string | null {
  if (!existsSync(file)) return null
  const { commit }: Record<string, unknown> = JSON.parse(readFileSync(file, 'utf8'))
  return typeof commit === 'string' ? commit : null
}

/** `0.1.0 (commit 7b17ed3c0e9c)` */
export const versionText = commit === null ? version : `${version} (commit ${commit.slice(0, 12)})`
