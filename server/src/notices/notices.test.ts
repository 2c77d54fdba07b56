import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '@demarc/client'
import { signedInAs } from '../../test/support/people.ts'
import { orderIn } from '../../test/support/port-orders.ts'
import { startTestServer, type TestAccount } from '../../test/support/server.ts'
import { systemActor } from '../platform/actor.ts'
import { inTransaction } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import { createNotices } from './actions.ts'
import { createMailer } from '../platform/mail/mailer.ts'
import { sendNotice } from './mailing.ts'
import { limits } from './rules.ts'
import { startRelay } from '../platform/mail/testing/relay.ts'

/** Notices in the portal, and by email over a real SMTP connection. Each test continues with the clock of the one before. */

const relay = await startRelay()
const from = 'notices@demarc.example'
const server = await startTestServer({ worker: true, env: { SMTP_URL: relay.url, DEMARC_MAIL_FROM: from } })
server.runtime.deps.public_url = server.base_url
const advance = (interval: string) => server.operator.moveClock({ body: { advance: interval } })
/** Returns when all due jobs have run. */
const settle = () => advance('0 seconds')

/** A person on a new account. */
async function someone(name: string, role: Role = 'owner', on?: TestAccount) {
  const account = on ?? (await server.newAccount(name))
  const person = await signedInAs(server, [{ account_id: account.id, role }])
  const { email, id } = person.session.person
  const list = async () => (await person.client.listNotices()).body
  const prefer = (kind: 'cnam_decided' | 'port_rejected', delivery: 'at_once' | 'daily' | 'none') =>
    person.client.updateNoticePreferences({ body: { kinds: [{ kind, delivery }] } })
  return { account, person, id, email, list, prefer, mails: () => relay.mailsTo(email) }
}

const decide = async ({ client }: TestAccount, value: string) => {
  const { id } = (await client.createCnam({ body: { value } })).body.data
  await server.operator.decideCnam({ params: { cnam_id: id }, body: { is_approved: true } })
}

const rejected = (account: TestAccount, details: { alias?: string; pin?: string } = {}) =>
  orderIn({ operator: server.operator, account }, 'Rejected', details)

test('a rejection is mailed immediately, with the fix, to everyone on the account and no one else', async () => {
  const owner = await someone('Rejections')
  const reader = await someone('', 'read_only', owner.account)
  const stranger = await someone('Strangers')
  const { id } = await rejected(owner.account, { alias: 'Zoë & Co <b>', pin: '881294' })
  await settle()
  assert.equal(reader.mails().length, 1)
  assert.equal(stranger.mails().length, 0)
  const [mail] = owner.mails()
  assert.ok(mail)
  assert.equal(owner.mails().length, 1)
  assert.match(mail.headers.get('subject') ?? '', /^The port order “Zoë & Co <b>” was rejected: PIN or passcode/)
  assert.match(mail.headers.get('from') ?? '', /<notices@demarc\.example>$/)
  for (const form of [mail.text, mail.html]) {
    assert.match(form, /What to do: Ask the losing carrier for the transfer PIN/)
    assert.ok(form.includes(`${server.base_url}/port-orders/${id}`))
    assert.doesNotMatch(form, /881294/)
  }
  assert.doesNotMatch(mail.html, /<b>/)
  const { data, meta } = await owner.list()
  assert.deepEqual(
    data.map(({ kind, path, mail: { status } }) => [kind, path, status]),
    [['port_rejected', `/port-orders/${id}`, 'sent']],
  )
  assert.equal(meta.unread_count, 1)
  assert.deepEqual((await stranger.list()).data, [])
})

test('handling an event twice creates one notice and one email', async () => {
  const { account, list, mails } = await someone('Again')
  await rejected(account)
  await settle()
  const { event_id, id } = await server.db
    .selectFrom('notice')
    .select(['event_id', 'id'])
    .where('account_id', '=', account.id)
    .executeTakeFirstOrThrow()
  await createNotices(server.runtime.deps, event_id, true)
  await settle()
  assert.equal((await list()).data.length, 1)
  assert.equal(mails().length, 1)
  assert.ok(id)
})

test('notices are marked read one at a time or all together', async () => {
  const { account, person, list } = await someone('Reading')
  for (let i = 0; i < 3; i++) await rejected(account)
  await settle()
  const [first] = (await list()).data
  const read = async (ids?: string[]) =>
    (await person.client.markNoticesRead({ body: ids ? { ids } : {} })).body.data.unread_count
  assert.equal(await read([first?.id ?? '']), 2)
  const unread = (await person.client.listNotices({ query: { unread: true } })).body.data
  assert.equal(unread.length, 2)
  assert.equal(await read(), 0)
})

test('notices that are not urgent go into one summary on the person’s morning', async () => {
  const { account, email, mails, list } = await someone('Summaries')
  await decide(account, 'FIRST NAME')
  await decide(account, 'SECOND NAME')
  await settle()
  assert.equal(mails().length, 0)
  assert.deepEqual(new Set((await list()).data.map(({ mail }) => mail.status)), new Set(['waiting']))
  await advance('1 day')
  assert.equal(mails().length, 1, email)
  const [mail] = mails()
  assert.equal(mail?.headers.get('subject'), '2 notices of the last day')
  assert.match(mail?.text ?? '', /FIRST NAME is approved[^]*SECOND NAME is approved/)
  await advance('1 day')
  assert.equal(mails().length, 1)
})

test('beyond the hourly limit, notices go into the summary', async () => {
  const { account, mails } = await someone('Many')
  const total = limits.at_once_per_hour + 10
  for (let i = 0; i < total; i++)
    await inTransaction(server.db, (tx) =>
      recordEvent({ tx, actor: systemActor('test', account.id), clock: server.clock }, account.id, {
        type: 'access_key.created',
        subject_type: 'access_key',
        subject_id: String(i),
        data: { name: `Key ${i}` },
      }),
    )
  await settle()
  const sent = mails().length
  // some are handled at the same moment
  assert.ok(sent >= limits.at_once_per_hour && sent < total - 1, `${sent}`)
  await advance('1 day')
  assert.equal(mails().at(-1)?.headers.get('subject'), `${total - sent} notices of the last day`)
})

test('preferences per kind are honored: portal only, or immediate email', async () => {
  const { account, person, prefer, mails, list } = await someone('Preferences')
  const { mail_enabled, kinds } = (await person.client.getNoticePreferences()).body.data
  assert.equal(mail_enabled, true)
  assert.equal(kinds.find(({ kind }) => kind === 'port_rejected')?.delivery, 'at_once')
  await prefer('port_rejected', 'none')
  await prefer('cnam_decided', 'at_once')
  await rejected(account)
  await decide(account, 'AT ONCE')
  await settle()
  assert.deepEqual(
    mails().map(({ headers }) => headers.get('subject')),
    ['The caller ID name AT ONCE is approved'],
  )
  assert.equal((await list()).data.find(({ kind }) => kind === 'port_rejected')?.mail.status, 'none')
})

test('one-click unsubscribe (RFC 8058) stops email of that kind only', async () => {
  const { account, person, mails } = await someone('Unsubscribing')
  await rejected(account)
  await settle()
  const [mail] = mails()
  assert.equal(mail?.headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click')
  const url = /^<(.+)>$/.exec(mail?.headers.get('list-unsubscribe') ?? '')?.[1] ?? assert.fail()
  // a link that is only looked at changes nothing (RFC 8058, 1)
  assert.equal((await fetch(url)).status, 405)
  const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
  assert.equal((await fetch(url, { method: 'POST', body })).status, 200)
  await rejected(account)
  await settle()
  assert.equal(mails().length, 1)
  const { kinds } = (await person.client.getNoticePreferences()).body.data
  assert.deepEqual(
    kinds.filter(({ delivery }) => delivery === 'none').map(({ kind }) => kind),
    ['port_rejected'],
  )
})

test('the link in the text unsubscribes too, and a forged link does not', async () => {
  const { account, mails } = await someone('Links')
  await rejected(account)
  await settle()
  const token = /\/unsubscribe#(\S+)/.exec(mails()[0]?.text ?? '')?.[1] ?? assert.fail()
  const [person_id, kind, signature] = token.split('.')
  const forged = [
    '',
    'x',
    `${person_id}.all.${signature}`,
    `${person_id}.${kind}.x`,
    `${person_id}9.${kind}.${signature}`,
  ]
  const incomplete = { status: 404, message: /This link is incomplete\. Sign in/ }
  for (const each of forged)
    await assert.rejects(server.anonymous.unsubscribeFromNotices({ body: { token: each } }), incomplete, each)
  const { data } = (await server.anonymous.unsubscribeFromNotices({ body: { token } })).body
  assert.equal(data.kind, 'port_rejected')
})

test('an email that the relay defers is retried with the same Message-ID', async () => {
  const { account, email, mails, list } = await someone('Retries')
  let refusals = 2
  relay.refuse = (address) => (address === email && refusals-- > 0 ? { code: 451 } : null)
  await rejected(account)
  await settle()
  assert.equal(mails().length, 0)
  assert.equal((await list()).data[0]?.mail.status, 'waiting')
  await advance('10 minutes')
  assert.equal(mails().length, 1)
  assert.equal((await list()).data[0]?.mail.status, 'sent')
})

test('an address that the relay permanently refuses is not retried, and the portal says so', async () => {
  const { account, email, list } = await someone('Refusals')
  let attempts = 0
  relay.refuse = (address) => {
    if (address !== email) return null
    attempts++
    return { code: 550 }
  }
  await rejected(account)
  await advance('1 day')
  const { mail } = (await list()).data[0] ?? assert.fail()
  assert.deepEqual([mail.status, mail.failure], ['failed', 'The mail server did not take the message.'])
  assert.equal(attempts, 1)
})

test('attempts at an email end, and the notice stays in the portal', async () => {
  const { account, email, list } = await someone('Endings')
  relay.refuse = (address) => (address === email ? { code: 451 } : null)
  await rejected(account)
  await advance('2 days')
  assert.equal((await list()).data[0]?.mail.status, 'failed')
})

test('a worker killed after the relay accepted an email sends it again with the same Message-ID', async () => {
  const { account, id, email, mails, list } = await someone('Kills')
  relay.refuse = (address) => (address === email ? { code: 451 } : null)
  await rejected(account)
  await settle()
  relay.refuse = () => null
  const { deps, config } = server.runtime
  const mailer = createMailer(config) ?? assert.fail()
  const [{ id: notice_id } = assert.fail()] = (await list()).data
  const run = {
    key: `${id}:${notice_id}`,
    attempt: 1,
    interrupted: 0,
    last_attempt: false,
    signal: AbortSignal.timeout(60_000),
  }
  const killed = {
    send: async (...mail: Parameters<typeof mailer.send>) => {
      await mailer.send(...mail)
      throw new Error('killed')
    },
  }
  await assert.rejects(sendNotice(deps, killed, run), /killed/)
  await advance('10 minutes')
  await sendNotice(deps, mailer, run)
  const ids = mails().map(({ headers }) => headers.get('message-id'))
  assert.equal(ids.length, 2)
  assert.equal(new Set(ids).size, 1)
  assert.equal((await list()).data[0]?.mail.status, 'sent')
})

test('a person who left the account gets no more notices, not even pending ones', async () => {
  const { account, id, mails, list } = await someone('Leaving')
  await decide(account, 'LEAVING')
  await settle()
  assert.equal((await list()).data.length, 1)
  await server.db.deleteFrom('membership').where('person_id', '=', id).execute()
  await advance('1 day')
  assert.equal(mails().length, 0)
  assert.deepEqual((await list()).data, [])
})

test('a person with two accounts sees notices of the selected account, or of both', async () => {
  const [one, two] = [await server.newAccount('One'), await server.newAccount('Two')]
  const person = await signedInAs(server, [
    { account_id: one.id, role: 'manager' },
    { account_id: two.id, role: 'read_only' },
  ])
  await rejected(one)
  await rejected(two)
  await settle()
  const accounts = async (account_id: string | null) => {
    person.account_id = account_id
    return (await person.client.listNotices()).body.data.map(({ account_name }) => account_name).toSorted()
  }
  assert.deepEqual(await accounts(null), ['One', 'Two'])
  assert.deepEqual(await accounts(two.id), ['Two'])
})

test('a new key, an address that is no longer valid, and a new date each create a notice', async () => {
  const { account, list } = await someone('Others')
  await server.operator.createKey({ params: { account_id: account.id }, body: { name: 'Billing' } })
  await orderIn({ operator: server.operator, account }, 'Completed')
  await inTransaction(server.db, (tx) =>
    recordEvent({ tx, actor: systemActor('test', account.id), clock: server.clock }, account.id, {
      type: 'e911.verdict_worsened',
      subject_type: 'e911',
      subject_id: '404',
    }),
  )
  await settle()
  assert.deepEqual(
    (await list()).data.map(({ kind }) => kind),
    ['e911_worsened', 'port_completed', 'port_dated', 'key_created'],
  )
})

test('without a relay, notices appear in the portal and no email is queued', async () => {
  const { account, list } = await someone('No relay')
  await rejected(account)
  const { event_id } = await server.db
    .selectFrom('event')
    .select('id as event_id')
    .where('chain_id', '=', account.id)
    .where('type', '=', 'portorder.rejected')
    .executeTakeFirstOrThrow()
  await createNotices(server.runtime.deps, event_id, false)
  assert.equal((await list()).data[0]?.title.includes('was rejected'), true)
})
