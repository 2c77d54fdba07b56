import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

/** Debian's Chromium without a screen (packages chromium-headless-shell and chromium-common); null where it is not installed. */
const executable = ['/usr/bin/chromium-headless-shell'].find((path) => existsSync(path)) ?? null

/** Why the stories are skipped, for the runner's report; false where they can run. */
export const skipped: string | false =
  executable === null
    ? 'there is no browser; install chromium-headless-shell and chromium-common, as .ci/run does'
    : false

/** Starts the browser, for all stories of a file. */
export async function openBrowser(): Promise<Browser> {
  assert.ok(executable !== null, 'a story that needs a browser was not skipped')
  // its own sandbox needs rights that containers lack; it opens only pages of the service under test
  return await chromium.launch({ executablePath: executable, args: ['--no-sandbox'] })
}
