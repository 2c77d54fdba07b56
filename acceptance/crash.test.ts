import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations, type Operation } from '@demarc/client'
import { crashLoop, rounded, unused } from './crash/loop.ts'
import { writerKinds } from './crash/writers/index.ts'
import { beginResult } from './reliability/results.ts'

/**
 * Kills and stops a service in the middle of everything, and compares it with an external model. The same seed produces the
 * same faults in the same order (DEMARC_CRASH_SEED, DEMARC_CRASH_FAULTS; DEMARC_CRASH_MINUTES ends it earlier).
 */
const by_command = process.env['DEMARC_CRASH_FAULTS'] !== undefined
/** `npm test` injects only a few faults, the full suite a whole round. */
const quick = process.env['DEMARC_TEST_SUITE'] === 'quick' && !by_command
const faults = quick ? 4 : rounded(Number(process.env['DEMARC_CRASH_FAULTS'] ?? 20))
const seed = Number(process.env['DEMARC_CRASH_SEED'] ?? 1)

/** Operations without a writer, and the reason. */
const without_writer: Readonly<Record<string, string>> = {
  addPasskey: 'It needs an authenticator.',
  beginConfirmation: 'It needs an authenticator.',
  beginPasskey: 'It needs an authenticator.',
  beginPasskeySignIn: 'It needs an authenticator.',
  beginTotp: 'It needs an authenticator.',
  changePassword: 'An unknown outcome shows only in which password signs in, and signIn has a writer.',
  checkPortability: 'It changes nothing.',
  checkPortOrder: 'It changes nothing.',
  confirmIdentity: 'It changes for how long a session may do more, and nothing that lasts.',
  confirmSignIn: 'It needs an authenticator.',
  confirmTotp: 'It needs an authenticator.',
  estimateCdrExport: 'It changes nothing.',
  lookUpInvitation: 'It changes nothing.',
  markNoticesRead: 'It changes what its person has read, and nothing that anybody else sees.',
  recountCdrs: 'It accepts a loss of call records, and there must be none.',
  removePasskey: 'It needs an authenticator.',
  removeTotp: 'It needs an authenticator.',
  renewRecoveryCodes: 'It needs an authenticator.',
  requestEmergencyService: 'It changes nothing.',
  retryJob: 'It needs a job that failed permanently, and there must be none.',
  requestLocation: 'It changes nothing.',
  closeAccount: 'It revokes keys as revokeKey does, which has a writer, in one transaction.',
  deletePersonalData: 'server/src/retention/retention.test.ts interrupts it after every batch.',
  runRetention: 'server/src/retention/retention.test.ts interrupts it after every batch.',
  setLegalHold: 'It changes one row, as updatePerson does, which has a writer.',
  rotateKey: 'It makes a key as createKey does, in the same transaction in which the other one expires.',
  rotateOwnKey: 'It makes a key as createOwnKey does, in the same transaction in which the other one expires.',
  sampleCdrs: 'It changes nothing.',
  sendTestNotification: 'It records an event and delivers it as the callback of an export is, which has a writer.',
  signInAsDemoPerson: 'It signs in as signIn does, which has a writer.',
  summarizeCdrs: 'It changes nothing.',
  unsubscribeFromNotices: 'It changes one row of one person, as updatePerson does, which has a writer.',
  updateNoticePreferences: 'It changes one row of one person, as updatePerson does, which has a writer.',
  validateE911: 'It changes nothing.',
  verifyLoa: 'It changes nothing.',
}

test('every operation that changes something has a writer', () => {
  const changing = Object.values<Operation>(operations).filter(({ method }) => method !== 'GET')
  const named = [...writerKinds.flatMap((kind) => kind.operations), ...Object.keys(without_writer)]
  assert.deepEqual(named.toSorted(), changing.map(({ id }) => id).toSorted())
})

test(
  `${faults} faults neither lose nor duplicate anything acknowledged (seed ${seed})`,
  // each of its waits has a limit
  { timeout: Infinity },
  async (t) => {
    const { finish } = beginResult('crash-loop', {
      title: 'Kills and stops',
      about:
        'Writers use every operation that changes something while the service’s processes are killed (SIGKILL) or stopped for one to six seconds (SIGSTOP): in the middle of work, during a start, and while the service recovers from the previous fault. One request in twenty loses its connection on the writer’s side. An external model records which requests were acknowledged, refused, or of unknown outcome. After every 20 faults the writers pause, and everything is counted: records, call records, numbers, documents, files byte for byte, callbacks by id, the hash chains of the audit log, jobs, and processes. Recovery ends when an operation that needs the process succeeds: a change for the API and the database, an ingest for the engine, an export from request to file for the worker, and all of these for all processes. After a stop, recovery begins when the stop ends and is zero if the operation succeeded earlier.',
      command: 'npm run crash',
    })
    const result = await crashLoop({
      seed,
      count: faults,
      use_all: !quick,
      minutes_max: Number(process.env['DEMARC_CRASH_MINUTES'] ?? Infinity),
      pause_ms: 100,
      stop_max_ms: by_command ? 6_000 : 2_000,
      start_ms: 4_000,
      report: (line) => (by_command ? console.log(line) : t.diagnostic(line)),
    })
    const { findings, tallies, rows } = result
    await finish(rows, result.remarks)
    for (const note of result.remarks) t.diagnostic(note)
    assert.deepEqual(findings.all, [])
    if (!quick) assert.deepEqual(unused(tallies), [], 'every one of them was acknowledged at least once')
  },
)
