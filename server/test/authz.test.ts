import assert from 'node:assert/strict'
import { test } from 'node:test'
import { features, scopeAllows, type Operation } from '@demarc/client'
import { every, harmlessBody, pathOf } from './support/operations.ts'
import { startTestServer } from './support/server.ts'
import { basic } from './support/wire.ts'

/**
 * The principals of each operation, listed a second time by hand: an operation that is missing here, or is open to other
 * principals, fails. A scope opens an operation to access keys that have it and to the operator; `+ link` to signed links too.
 */
const rules: Record<string, string> = {
  live: 'anyone',
  ready: 'anyone',
  whoami: 'any key',

  createAccount: 'operator',
  listAccounts: 'operator',
  getAccount: 'operator',
  getKey: 'operator',
  createKey: 'operator',
  listKeys: 'operator',
  revokeKey: 'operator',
  listOperatorKeys: 'operator',
  getOperatorKey: 'operator',
  createOperatorKey: 'operator',
  revokeOperatorKey: 'operator',
  listActivity: 'accounts:read',
  listEvents: 'operator',
  verifyEvents: 'operator',
  listJobs: 'operator',
  retryJob: 'operator',
  getClock: 'operator',
  moveClock: 'operator',

  addNumbers: 'operator',
  listNumbers: 'numbers:read',
  getNumber: 'numbers:read',
  updateNumber: 'numbers:write',
  updateNumbers: 'numbers:write',
  setPrimaryRoute: 'numbers:write',
  setFailoverRoute: 'numbers:write',
  assignCnam: 'numbers:write',
  unassignCnam: 'numbers:write',
  assignE911: 'numbers:write',
  unassignE911: 'numbers:write',

  listRoutes: 'routes:read',
  getRoute: 'routes:read',
  createRoute: 'routes:write',
  updateRoute: 'routes:write',
  deleteRoute: 'routes:write',
  listEdgeStrategies: 'routes:read',
  getEdgeStrategy: 'routes:read',
  getFirewallRules: 'routes:read',
  listEdgeStrategiesAsOperator: 'operator',
  getEdgeStrategyAsOperator: 'operator',
  createEdgeStrategy: 'operator',
  replaceEdgeStrategy: 'operator',
  deleteEdgeStrategy: 'operator',

  listCnams: 'cnams:read',
  getCnam: 'cnams:read',
  createCnam: 'cnams:write',
  updateCnam: 'cnams:write',
  deleteCnam: 'cnams:write',
  decideCnam: 'operator',

  listE911s: 'e911s:read',
  getE911: 'e911s:read',
  listE911Numbers: 'e911s:read',
  listE911Coverage: 'e911s:read',
  validateE911: 'e911s:read',
  createE911: 'e911s:write',
  updateE911: 'e911s:write',
  deleteE911: 'e911s:write',
  createE911Validation: 'e911s:read',
  getE911Validation: 'e911s:read',
  getE911ValidationFile: 'e911s:read + link',
  requestLocation: 'e911s:read',
  requestEmergencyService: 'e911s:read',
  listE911Datasets: 'operator',
  getE911Dataset: 'operator',
  listE911DatasetPlaces: 'operator',
  importE911Dataset: 'operator',
  activateE911Dataset: 'operator',
  deleteE911Dataset: 'operator',

  listCdrExports: 'cdrs:read',
  getCdrExport: 'cdrs:read',
  getCdrExportFile: 'cdrs:read + link',
  estimateCdrExport: 'cdrs:read',
  summarizeCdrs: 'cdrs:read',
  sampleCdrs: 'cdrs:read',
  createCdrExport: 'cdrs:write',
  ingestCdrs: 'operator',

  listPortOrders: 'portorders:read',
  getPortOrder: 'portorders:read',
  getPortOrderGroup: 'portorders:read',
  getPortOrderStatus: 'portorders:read',
  getPortOrderTimeline: 'portorders:read',
  listPortOrderComments: 'portorders:read',
  getLoa: 'portorders:read',
  checkPortOrder: 'portorders:read',
  checkPortability: 'portorders:read',
  previewCompletion: 'portorders:read',
  createPortOrder: 'portorders:write',
  updatePortOrder: 'portorders:write',
  cancelPortOrder: 'portorders:write',
  changePortOrderNumbers: 'portorders:write',
  resubmitPortOrder: 'portorders:write',
  addPortOrderComment: 'portorders:write',
  submitLoa: 'portorders:write',
  verifyLoa: 'operator',
  listPortOrderQueue: 'operator',
  transitionPortOrder: 'operator',
  listPortOrderFiles: 'portorders:read',
  getPortOrderFile: 'portorders:read',
  getPortOrderFileContent: 'portorders:read + link',
  requestPortOrderFile: 'portorders:write',
  uploadPortOrderFile: 'portorders:write',

  listNotifications: 'notifications:read',
  getNotification: 'notifications:read',
  replayNotification: 'notifications:write',
  // whoever has the secret can sign notifications as we do, so reading it needs the write scope
  getSigningSecret: 'notifications:write',
  rotateSigningSecret: 'notifications:write',
  listNotificationsAsOperator: 'operator',
  replayNotificationAsOperator: 'operator',
}

const server = await startTestServer()

interface Principal {
  name: string
  headers: Record<string, string>
  /** Undefined: not authenticated. */
  scopes?: readonly string[] | 'operator'
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
  return [
    ...keys,
    { name: 'a key of another account', headers: headers(server.other.credentials), scopes: ['read', 'write'] },
    { name: 'the operator', headers: operator, scopes: 'operator' },
    {
      name: 'the operator within an account',
      headers: { ...operator, 'demarc-account': server.other.id },
      scopes: 'operator',
    },
    { name: 'nobody', headers: {} },
    { name: 'a wrong secret', headers: headers({ ...server.account.credentials, secret_key: 'wrong' }) },
    { name: 'a revoked key', headers: headers(revoked.attributes) },
    { name: 'an expired key', headers: headers(expired.attributes) },
  ]
}

/** The expected result for a principal: admitted, or the status of the refusal. */
function expectedResult(rule: string, { scopes }: Principal): 'admitted' | 401 | 403 {
  if (rule === 'anyone') return 'admitted'
  if (scopes === undefined) return 401
  if (rule === 'any key' || scopes === 'operator') return 'admitted'
  const [feature, access] = rule.replace(' + link', '').split(':')
  const wanted = features.find((f) => f === feature)
  if (!wanted || (access !== 'read' && access !== 'write')) return 403
  return scopeAllows(scopes, wanted, access) ? 'admitted' : 403
}

/** The status of a request without effect: its ids do not exist, its body is refused. */
async function ask(operation: Operation, principal: Principal, query = ''): Promise<number> {
  const { body, headers } = harmlessBody(operation)
  const response = await fetch(server.base_url + pathOf(operation) + query, {
    method: operation.method,
    headers: { ...headers, ...principal.headers },
    ...(body === undefined ? {} : { body }),
  })
  await response.arrayBuffer()
  return response.status
}

const all = await testPrincipals()

test('every operation has its principals, here and in its declaration', () => {
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
  for (const { id, principals, feature, access } of every) {
    const rule = rules[id] ?? ''
    const declared = {
      anyone: ['anyone'],
      'any key': ['key'],
      operator: ['operator'],
      [`${feature}:${access}`]: ['account', 'operator'],
      [`${feature}:${access} + link`]: ['account', 'operator', 'link'],
    }[rule]
    assert.deepEqual(principals, declared, `${id} is declared as ${rule}`)
  }
})

test('every operation admits its principals, and no others', async () => {
  for (const operation of every) {
    const rule = rules[operation.id] ?? ''
    await Promise.all(
      all.map(async (principal) => {
        const status = await ask(operation, principal)
        const expected = expectedResult(rule, principal)
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
    // the file of the link may be looked up first, and does not exist
    else assert.ok(status === 401 || (rule.endsWith('link') && status === 404), `${operation.id}: ${status}`)
  }
})
