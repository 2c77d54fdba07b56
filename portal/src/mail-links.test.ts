import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notices } from '@demarc/client'
import { composed, type MailLinks } from '../../server/src/notices/compose.ts'
import { addressProvenMessage, invitationMessage } from '../../server/src/people/email/messages.ts'
import { html, plainText } from '../../server/src/platform/mail/message.ts'
import { noticeContent } from '../../server/src/notices/rules.ts'
import { router } from './routes.ts'

const public_url = 'https://demarc.example'
const occurred_at = new Date('2026-11-20T18:00:00Z')

/** The links in every email, for each kind of event and for the summary. */
function linksOfMails(): string[] {
  const mailed = notices.noticeKindNames.flatMap((kind) =>
    notices.noticeKinds[kind].events.map((type) => ({
      ...noticeContent(
        kind,
        { type, subject_id: '42', occurred_at, data: {} },
        { order: null, address: null, time_zone: 'UTC' },
      ),
      account_name: 'Harbor Dental Group',
      kind,
    })),
  )
  const [first, ...others] = mailed
  assert.ok(first)
  const links = (kind: MailLinks['kind']) => ({ public_url, kind, token: `7.${kind ?? 'all'}.c2lnbmF0dXJl` })
  const messages = [
    ...mailed.map((each) => composed([each], links(each.kind))),
    composed([first, ...others], links(null)),
    invitationMessage({
      account_name: 'Harbor Dental Group',
      role: 'owner',
      invited_by: 'Elena',
      url: `${public_url}/invitation#token`,
    }),
    addressProvenMessage({ account_names: ['Harbor Dental Group'], url: `${public_url}/settings/sign-in` }),
  ]
  return messages.flatMap((message) => [
    ...[...plainText(message).matchAll(/https?:\S+/g)].map(([url]) => url),
    ...[...html(message).matchAll(/href="([^"]+)"/g)].map(([, url = '']) => url),
  ])
}

/** A route that matches only part of the path leaves the rest under this name. */
const unmatched = '**'

function hasPage(path: string): boolean {
  const [, params, found] = router.getMatchedRoutes(path)
  return found !== undefined && !(unmatched in params)
}

test('every link in every email opens a portal page', () => {
  const links = linksOfMails()
  const paths = new Set(links.map((each) => new URL(each).pathname))
  assert.deepEqual(
    [...paths].filter((path) => !hasPage(path)),
    [],
  )
  for (const expected of [
    '/invitation',
    '/settings/sign-in',
    '/unsubscribe',
    '/settings/notices',
    '/developers/deliveries',
    '/port-orders/42',
  ])
    assert.ok(paths.has(expected), expected)
  assert.deepEqual(
    links.filter((each) => !each.startsWith(`${public_url}/`)),
    [],
  )
})

test('an unknown path matches no page', () => {
  for (const path of ['/settings/elsewhere', '/developers/deliveries/x', '/nowhere']) assert.equal(hasPage(path), false)
})
