import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { chromium, type Browser } from 'playwright-core'

const supported = ['chromium-headless-shell', 'chromium', 'google-chrome']
const chosen = process.env['DEMARC_TEST_BROWSER']

const executable = (chosen === undefined ? supported : [chosen]).flatMap(findOnPath)[0] ?? null

/** Why tests that need a browser are skipped, for the runner's report; false if they can run. */
export const skipped: string | false =
  executable === null && (chosen === undefined ? `no browser is installed: ${supported.join(', ')}` : `no ${chosen}`)

/** Starts the browser that every test uses: the first supported one on the PATH, or the one in DEMARC_TEST_BROWSER. */
export async function openBrowser(): Promise<Browser> {
  assert.ok(executable !== null, 'a test that needs a browser was not skipped')
  // Chromium's own sandbox needs rights that root and containers lack; tests open only pages of the service under test
  return await chromium.launch({
    executablePath: executable,
    args: ['--no-sandbox', '--disable-background-networking'],
  })
}

function findOnPath(name: string): string[] {
  if (name.includes(path.sep)) return existsSync(name) ? [name] : []
  const folders = (process.env['PATH'] ?? '').split(path.delimiter)
  return folders.map((folder) => path.join(folder, name)).filter((file) => existsSync(file))
}
