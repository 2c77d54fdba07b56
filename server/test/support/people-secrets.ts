import assert from 'node:assert/strict'
import { totpCode, totpStep } from '../../src/people/factors/totp.ts'
import { newBrowser, tokenOf } from './people.ts'

/** The secrets of a person whom the demo's clerk invites and who joins, sets up a second factor, and signs in with it. */
export async function useSecretsOfPeople(base_url: string, account_id: string) {
  const clerk = newBrowser({ base_url })
  const { demo_people } = (await clerk.client.getSignInOptions()).body.data
  const person_id = demo_people.find(({ role }) => role === 'operator')?.id ?? assert.fail('no clerk')
  clerk.session = (await clerk.client.signInAsDemoPerson({ body: { person_id } })).body.data.session
  clerk.account_id = account_id
  const email = 'visible@people.example'
  const { url } = (await clerk.client.invitePerson({ body: { email, role: 'owner' } })).body.data
  const token = tokenOf(url)
  const password = 'CANARY password, chosen'
  const browser = newBrowser({ base_url })
  const joined = (await browser.client.acceptInvitation({ body: { token, name: 'Visible Person', password } })).body
    .data
  assert.ok(joined.status === 'signed_in')
  browser.session = joined.session
  const { secret } = (await browser.client.beginTotp()).body.data
  const now = totpStep(new Date())
  const { recovery_codes } = (await browser.client.confirmTotp({ body: { code: totpCode(secret, now) } })).body.data
  const { data } = (await browser.client.signIn({ body: { email, password } })).body
  assert.ok(data.status === 'second_factor')
  const [used = '', unused = ''] = recovery_codes
  await browser.client.confirmSignIn({ body: { ticket: data.ticket, recovery_code: used } })
  const wrong = 'CANARY password, refused'
  await assert.rejects(browser.client.signIn({ body: { email, password: wrong } }), /401/)
  return {
    'a password': password,
    'a password that was refused': wrong,
    'token of an invitation': token,
    'secret of an authenticator app': secret,
    'a recovery code that was used': used,
    'a recovery code': unused,
    'ticket of a sign-in': data.ticket,
    'token of a session':
      /demarc_session=(\w+)/.exec(browser.headers()['cookie'] ?? '')?.[1] ?? assert.fail('no cookie'),
    'CSRF token': browser.session.csrf_token,
  }
}
