import type { Outcome, Sending, SignedIn } from './http.ts'
import { isObject, object, text, type Json } from './json.ts'
import { hang_ms } from '../support/until.ts'
import { newAccount, type World } from './world.ts'

/** Signed-in people, from outside the service. */

/** Everyone here has this password. */
export const password = 'seven words nobody else has in a row'

/** A session, its person, and its credentials. */
export interface Session {
  id: string
  person_id: string
  email: string
  by: SignedIn
}

/** The session that a sign-in or an accepted invitation created. */
export function sessionIn({ body, cookie }: Outcome & { kind: 'done' }): Session {
  const { session } = dataOf(body)
  const { id, csrf_token, person } = object(session)
  const { id: person_id, email } = object(person)
  const by = { cookie: text(cookie), csrf_token: text(csrf_token) }
  return { id: text(id), person_id: text(person_id), email: text(email), by }
}

/** The token in an invitation link. */
export function tokenIn(body: unknown): string {
  const [, token] = text(dataOf(body)['url']).split('#')
  return text(token)
}

/** The records of a list whose records have no attributes. */
export function recordsIn(body: unknown): Json[] {
  const { data } = object(body)
  return Array.isArray(data) ? data.filter(isObject) : []
}

const dataOf = (body: unknown): Json => object(object(body)['data'])

/** A new account with its own owner, whose session lasts. */
export async function signInOwner(world: World, name: string): Promise<Session & { account_id: string }> {
  const { id: account_id } = await newAccount(world, name)
  const { http } = world
  const options = dataOf(await http.read({ operation: 'getSignInOptions', by: null }))
  const operator = recordsIn({ data: options['demo_people'] }).find(({ role }) => role === 'operator')
  const demo = await accepted(world, {
    operation: 'signInAsDemoPerson',
    by: null,
    json: { person_id: text(operator?.['id']) },
  })
  const by = { ...sessionIn(demo).by, account_id }
  const json = { email: `${name.replaceAll(' ', '-')}-${account_id}@people.example`, role: 'owner' }
  const invitation = await accepted(world, { operation: 'invitePerson', by, json })
  const token = tokenIn(invitation.body)
  const joined = await accepted(world, { operation: 'acceptInvitation', by: null, json: { token, name, password } })
  return { ...sessionIn(joined), account_id }
}

/** Sends a request before anything is killed; because it sets its own timeout, its connection is never dropped. */
const opening_timeout_ms = hang_ms

async function accepted({ http }: World, sending: Sending): Promise<Outcome & { kind: 'done' }> {
  const outcome = await http.send({ ...sending, timeout_ms: opening_timeout_ms })
  if (outcome.kind !== 'done') throw new Error(`${sending.operation}: ${JSON.stringify(outcome)}`)
  return outcome
}
