import assert from 'node:assert/strict'
import { test } from 'node:test'
import { features, operatorScopes, roles, scopeAllows, type Operation, type Role } from '@demarc/client'
import { admittedRoles, rules } from './authz-rules.ts'
import { every, harmlessBody, pathOf } from './support/operations.ts'
import { newBrowser, signedInAs } from './support/people.ts'
import { startTestServer } from './support/server.ts'
import { basic } from './support/wire.ts'

/**
 * Every principal requests every operation, and the results are compared with the rules, which are kept apart from the
 * declarations.
 */

const server = await startTestServer()

interface Principal {
  name: string
  headers: Record<string, string>
  /** Of an account's key. A principal with neither these scopes nor those of an operator key nor a role is unauthenticated. */
  scopes?: readonly string[]
  /** Of an operator key. */
  operator_scopes?: readonly string[]
  /** The role of a person with a session. */
  role?: Role
  /** The session's request lacks the CSRF token. */
  without_csrf_token?: true
  /** Signs in again after operations that sign out. */
  renew?: () => Promise<Record<string, string>>
}

/** A person in each role, and an owner whose requests lack the CSRF token. */
async function testPeople(): Promise<Principal[]> {
  const people = roles.map(async (role): Promise<Principal & { role: Role }> => {
    const account_id = role.startsWith('operator') ? null : server.account.id
    const { headers, session } = await signedInAs(server, [{ account_id, role }])
    const renew = async () => {
      const browser = newBrowser(server)
      const { data } = (await browser.client.signInAsDemoPerson({ body: { person_id: session.person.id } })).body
      return { ...browser.headers(), 'demarc-csrf': data.session.csrf_token }
    }
    return {
      name: `a person who is ${role}`,
      headers: { ...headers(), 'demarc-csrf': session.csrf_token },
      role,
      renew,
    }
  })
  const { headers } = await signedInAs(server, [{ account_id: server.account.id, role: 'owner' }])
  const { cookie = '' } = headers()
  return [
    ...(await Promise.all(people)),
    { name: 'an owner without the CSRF token', headers: { cookie }, role: 'owner', without_csrf_token: true },
    { name: 'an unknown session', headers: { cookie: `demarc_session=${'x'.repeat(32)}` } },
  ]
}

async function testPrincipals(): Promise<Principal[]> {
  const params = { account_id: server.account.id }
  const issue = async (input: object) =>
    (await server.operator.createKey({ params, body: { name: 'test', ...input } })).body.data
  const headers = ({ access_key, secret_key }: { access_key: string; secret_key: string }) => ({
    authorization: basic(access_key, secret_key),
  })
  const scoped = [
    ['read', 'write'],
    ['read'],
    ['write'],
    ...features.flatMap((feature) => [[`${feature}:read`], [`${feature}:write`]]),
  ]
  const keys = await Promise.all(
    scoped.map(async (scopes) => ({
      name: `a key with ${scopes.join(' and ')}`,
      headers: headers((await issue({ scopes })).attributes),
      scopes,
    })),
  )
  const revoked = await issue({})
  await server.operator.revokeKey({ params: { ...params, key_id: revoked.id } })
  const expires_at = new Date(server.clock.now().getTime() + 60_000)
  const expired = await issue({ expires_at: expires_at.toISOString() })
  await server.clock.advanceTo(expires_at)
  const operator = headers(server.operator_credentials)
  const operator_keys = await Promise.all(
    operatorScopes.map(async (scope) => {
      const { data } = (await server.operator.createOperatorKey({ body: { name: 'test', scopes: [scope] } })).body
      return { name: `an operator key with ${scope}`, headers: headers(data.attributes), operator_scopes: [scope] }
    }),
  )
  return [
    ...keys,
    ...operator_keys,
    ...(await testPeople()),
    { name: 'a key of another account', headers: headers(server.other.credentials), scopes: ['read', 'write'] },
    { name: 'the operator', headers: operator, operator_scopes: ['read', 'write'] },
    {
      name: 'the operator within an account',
      headers: { ...operator, 'demarc-account': server.other.id },
      operator_scopes: ['read', 'write'],
    },
    { name: 'nobody', headers: {} },
    { name: 'a wrong secret', headers: headers({ ...server.account.credentials, secret_key: 'wrong' }) },
    { name: 'a revoked key', headers: headers(revoked.attributes) },
    { name: 'an expired key', headers: headers(expired.attributes) },
  ]
}

/** The expected result for a principal: admitted, or the status of the refusal. */
function expectedResult(
  rule: string,
  operation: Operation,
  { scopes, operator_scopes, role, without_csrf_token }: Principal,
): 'admitted' | 401 | 403 {
  if (rule === 'anyone') return 'admitted'
  if (without_csrf_token && operation.method !== 'GET') return 403
  if (role !== undefined) return admittedRoles(rule, operation).includes(role) ? 'admitted' : 403
  if (scopes === undefined && operator_scopes === undefined) return 401
  if (['person', 'member', 'manager', 'owner'].includes(rule)) return 403
  if (rule === 'any key') return 'admitted'
  if (operator_scopes) {
    const enough = operation.access === 'read' ? ['read', 'write'] : ['write']
    const narrow = /^operator \+ (.+)$/.exec(rule)?.[1]
    return operator_scopes.some((scope) => enough.includes(scope) || scope === narrow) ? 'admitted' : 403
  }
  const [feature, access] = rule.replace(' + link', '').split(':')
  const wanted = features.find((f) => f === feature)
  if (!wanted || (access !== 'read' && access !== 'write')) return 403
  return scopeAllows(scopes ?? [], wanted, access) ? 'admitted' : 403
}

/** The status of a request without effect: its ids don't exist, and its body is refused. */
async function ask(operation: Operation, principal: Principal, query = ''): Promise<number> {
  const { body, headers } = harmlessBody(operation)
  const response = await fetch(server.base_url + pathOf(operation) + query, {
    method: operation.method,
    headers: { ...headers, ...((operation.id === 'signOut' && (await principal.renew?.())) || principal.headers) },
    ...(body === undefined ? {} : { body }),
  })
  await response.arrayBuffer()
  return response.status
}

const all = await testPrincipals()

test('every operation lists its principals, here and in its declaration', () => {
  assert.deepEqual(
    every.map((o) => o.id).filter((id) => rules[id] === undefined),
    [],
    'not listed in this test: decide on its principals',
  )
  const known = new Set(every.map((o) => o.id))
  assert.deepEqual(
    Object.keys(rules).filter((id) => !known.has(id)),
    [],
    'listed, but there is no such operation',
  )
  for (const { id, principals, feature, access, operator_scope } of every) {
    const rule = rules[id] ?? ''
    const declared = {
      anyone: ['anyone'],
      'any key': ['key'],
      person: ['person'],
      member: ['member'],
      manager: ['manager'],
      owner: ['owner'],
      operator: ['operator'],
      [`operator + ${operator_scope}`]: ['operator'],
      [`${feature}:${access}`]: ['account', 'operator'],
      [`${feature}:${access} + link`]: ['account', 'operator', 'link'],
    }[rule]
    assert.deepEqual(principals, declared, `${id} is declared as ${rule}`)
    assert.equal(operator_scope !== undefined, rule.startsWith('operator + '), `${id} is declared as ${rule}`)
  }
})

test('every operation admits exactly its principals', async () => {
  for (const operation of every) {
    const rule = rules[operation.id] ?? ''
    await Promise.all(
      all.map(async (principal) => {
        const status = await ask(operation, principal)
        const expected = expectedResult(rule, operation, principal)
        const message = `${operation.id} (${rule}) responds to ${principal.name} with ${status}`
        if (expected === 'admitted') assert.ok(status !== 401 && status !== 403, message)
        // after many failed sign-ins from one address, further ones are a 429
        else assert.ok(status === expected || (expected === 401 && status === 429), message)
      }),
    )
  }
})

test('a forged signed link grants nothing', async () => {
  const nobody = all.find(({ name }) => name === 'nobody') ?? assert.fail()
  const query = `?account=${server.account.id}&expires=9999999999&signature=${'0'.repeat(64)}`
  for (const operation of every) {
    const status = await ask(operation, nobody, query)
    const rule = rules[operation.id] ?? ''
    if (rule === 'anyone') assert.notEqual(status, 401)
    // the link's file may be looked up first, and it doesn't exist
    else assert.ok(status === 401 || (rule.endsWith('link') && status === 404), `${operation.id}: ${status}`)
  }
})
