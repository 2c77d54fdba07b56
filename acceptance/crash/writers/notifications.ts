import type { Findings } from '../findings.ts'
import type { Outcome } from '../http.ts'
import { isObject, object } from '../json.ts'
import { hang_ms, until } from '../../support/until.ts'
import { listAll, newAccount, newMark, someKey, type World, type WriterKind } from '../world.ts'
import { requestedExport, signingSecret } from './exports.ts'

/** Each one creates an event, so the log grows. */
const share = 0.2

export const notifications: WriterKind = {
  name: 'notifications',
  operations: ['replayNotification', 'replayNotificationAsOperator', 'rotateSigningSecret'],
  async open(world) {
    const { http, random, receiver, operator } = world
    const { id: account_id, keys: by } = await newAccount(world, 'notifications')
    const url = receiver.url(`/${newMark('replay').replace(' ', '/')}`)
    await requestedExport(world, by, url)
    await until('a callback', hang_ms, () => receiver.at(url).length > 0)
    const [notification] = await listAll(http, by, 'listNotifications')
    if (notification === undefined) throw new Error('a callback without a notification')
    const params = { notification_id: notification.id }
    const replays = new Events('notification.replayed')
    const rotations = new Events('signing_secret.rotated')
    let secret: string | null = await signingSecret(world, by)
    /** Number of callbacks before the last accepted replay. */
    let before_replay = 0

    const replay = async () => {
      const before = receiver.at(url).length
      const own = random.chance(0.5)
      const outcome = await http.send({
        operation: own ? 'replayNotification' : 'replayNotificationAsOperator',
        by: own ? by : operator,
        params,
        key: someKey(random),
      })
      replays.add(outcome)
      if (outcome.kind === 'done') before_replay = before
    }
    const rotate = async () => {
      const outcome = await http.send({ operation: 'rotateSigningSecret', by, key: someKey(random) })
      rotations.add(outcome)
      if (outcome.kind === 'unknown') secret = null
      if (outcome.kind === 'done') secret = secretIn(outcome.body)
    }
    return {
      async step() {
        if (random.chance(share)) await random.pick([replay, rotate])()
      },
      async count(findings) {
        await replays.compare(world, account_id, findings)
        await rotations.compare(world, account_id, findings)
        const now = await signingSecret(world, by)
        if (secret !== null && secret !== now) findings.lose('the signing secret is another than the last one given')
        secret = now
        const sent = receiver.at(url)
        if (sent.length <= before_replay) findings.lose('a replay that was accepted was not sent')
        findings.expect(new Set(sent.map(({ id }) => id)).size === 1, 'a replay was sent with another id')
        const listed = await listAll(http, by, 'listNotifications')
        if (listed.length !== 1) findings.double(`${listed.length} notifications of one event`)
      },
    }
  },
}

/** How often an action was done, by the audit log. */
class Events {
  readonly #type: string
  #least = 0
  #most = 0

  constructor(type: string) {
    this.#type = type
  }

  add({ kind }: Outcome): void {
    if (kind === 'done') this.#least++
    if (kind !== 'refused') this.#most++
  }

  async compare({ http, operator: by }: World, account_id: string, findings: Findings): Promise<void> {
    const query = { account_id, event_type: this.#type }
    const count = (await listAll(http, by, 'listEvents', { query })).length
    const expected = `${this.#least} to ${this.#most}`
    if (count < this.#least) findings.lose(`${count} × ${this.#type}, of ${expected}`)
    if (count > this.#most) findings.double(`${count} × ${this.#type}, of ${expected}`)
    this.#least = this.#most = count
  }
}

function secretIn(body: unknown): string | null {
  const { attributes } = object(object(body)['data'])
  return isObject(attributes) ? String(attributes['secret']) : null
}
