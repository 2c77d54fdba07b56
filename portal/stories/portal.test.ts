import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe } from 'node:test'
import type { Browser } from 'playwright-core'
import { openService, type Service } from '../../acceptance/support/service.ts'
import { startRelay } from '../../server/src/platform/mail/testing/relay.ts'
import { newVisitor, open, signInAs } from './support/browser.ts'
import { openBrowser, skipped } from '../../acceptance/support/chromium.ts'
import { startOpenIdProvider, type OpenIdProvider } from '../../server/test/support/openid-provider.ts'
import { registerStories, type Stage, type Stories } from './support/stage.ts'

const files = globSync('*.stories.ts', { cwd: import.meta.dirname }).toSorted()
const modules = await Promise.all(
  files.map(async (file): Promise<[string, { default: Stories }]> => [
    path.basename(file, '.stories.ts'),
    await import(path.join(import.meta.dirname, file)),
  ]),
)

// it is open until the end of the context that it is started in, which a hook is
const relay = skipped === false ? await startRelay() : null

/**
 * Every `*.stories.ts`, with one service and one browser for all, because a service takes longer to start than most stories.
 * `npm test -- portal --test-name-pattern=calls` runs those whose name has the word.
 */
describe('the portal', { skip: skipped }, () => {
  let service: Service | null = null
  let browser: Browser | null = null
  let provider: OpenIdProvider | null = null
  const stage: Stage = {
    get service() {
      return service ?? assert.fail('the service is there once a story runs')
    },
    get browser() {
      return browser ?? assert.fail('the browser is there once a story runs')
    },
    get relay() {
      return relay ?? assert.fail('the relay is there once a story runs')
    },
    get provider() {
      return provider ?? assert.fail('the provider is there once a story runs')
    },
    async visit(who, url, window) {
      const visitor = await newVisitor(stage.browser, stage.service.base_url, window)
      if (who !== 'anyone') await signInAs(visitor.context, who)
      await open(visitor.page, url)
      return visitor
    },
  }

  before(async () => {
    provider = await startOpenIdProvider()
    const settings = { SMTP_URL: stage.relay.url, DEMARC_MAIL_FROM: 'notices@demarc.example', ...provider.settings }
    ;[service, browser] = await Promise.all([openService(settings), openBrowser()])
    provider.allow(service.base_url)
    // waits for the build; without one every story would time out
    assert.equal((await fetch(service.base_url)).status, 200, 'the portal could not be built')
  })
  after(async () => {
    await browser?.close()
    await service?.stop()
    provider?.stop()
  })

  for (const [name, { default: stories }] of modules) describe(name, () => registerStories(stories, stage))
})
