import type { Findings } from '../findings.ts'
import { object, text, type Json } from '../json.ts'
import { isSigned } from '../receiver.ts'
import { finishedExport, Records, sha256, whole_history } from '../records.ts'
import { Model, type Expected } from '../model.ts'
import { listAll, newAccount, newMark, requireBody, someKey, type World, type WriterKind } from '../world.ts'

const formats = ['csv', 'ndjson'] as const
/** The account's history, which does not change. */
const history = 400
/** Exports cost the worker time, so this writer runs less often. */
const share = 0.3

export const exports: WriterKind = {
  name: 'call-record exports',
  operations: ['createCdrExport'],
  async open(world) {
    const { http, random, receiver } = world
    const account = await newAccount(world, 'exports')
    const { keys: by } = account
    const records = new Records(world, account)
    const calls = Array.from({ length: history }, () => newMark('call'))
    // the response may be lost and the records stored later: the digests must cover all of them
    while ((await records.send(calls)).kind !== 'done') continue
    const digests = new Map<unknown, unknown>()
    for (const format of formats) digests.set(format, (await finishedExport(world, account, format))['sha256'])
    const secret = await signingSecret(world, by)
    const model = new Model('export')
    const downloaded = new Set<string>()

    return {
      async step() {
        if (!random.chance(share)) return
        const callback_url = receiver.url(`/${newMark('export').replace(' ', '/')}`)
        const format = random.pick(formats)
        const json = {
          data: { type: 'cdrexport', attributes: { callback_url, format, filter_parameters: whole_history } },
        }
        const outcome = await http.send({ operation: 'createCdrExport', by, json, key: someKey(random) })
        model.created(callback_url, { format, status: 'completed', sha256: digests.get(format) }, outcome)
      },
      async count(findings) {
        const found = (await listAll(http, by, 'listCdrExports')).filter(
          ({ attributes }) => attributes['callback_url'] !== null,
        )
        const now = String(
          object(object(await http.read({ operation: 'getClock', by: world.operator }))['data'])['now'],
        )
        const shown = (attributes: Json) =>
          // an export keeps its file until it expires
          String(attributes['expires_at']) <= now
            ? { ...attributes, sha256: digests.get(attributes['format']) }
            : attributes
        model.compare(
          found.map(({ id, attributes }) => ({
            id,
            mark: String(attributes['callback_url']),
            fields: shown(attributes),
          })),
          findings,
        )
        for (const { id, attributes } of found.filter((each) => !downloaded.has(each.id))) {
          downloaded.add(id)
          await checkFile(id, attributes, digests.get(attributes['format']), findings)
        }
        for (const expected of model.all()) checkCallbacks(world, expected, secret, findings)
      },
    }
  },
}

export async function signingSecret({ http }: World, by: World['operator']): Promise<string> {
  const body = await http.read({ operation: 'getSigningSecret', by })
  return text(object(object(object(body)['data'])['attributes'])['secret'])
}

/** The link returns the same bytes as an uninterrupted export. */
async function checkFile(id: string, attributes: Json, digest: unknown, findings: Findings): Promise<void> {
  if (typeof attributes['download_url'] !== 'string') return findings.wrong(`export ${id} has no link`)
  const response = await fetch(attributes['download_url'])
  const file = Buffer.from(await response.arrayBuffer())
  findings.expect(response.status === 200 && sha256(file) === digest, `export ${id}: ${response.status}, another file`)
}

/** An existing export has one event, regardless of how often its request was sent. */
function checkCallbacks({ receiver }: World, { mark, there }: Expected, secret: string, findings: Findings): void {
  const callbacks = receiver.at(mark)
  const ids = new Set(callbacks.map(({ id }) => id))
  if (there === 'yes' && ids.size === 0) findings.lose(`the callback of ${mark}`)
  if (ids.size > 1) findings.double(`the callback of ${mark} came as ${[...ids].join(' and ')}`)
  if (there !== 'yes' && ids.size > 0) findings.wrong(`a callback of ${mark}, which is not there`)
  for (const callback of callbacks) {
    findings.expect(callback.type === 'cdrexport.completed', `${mark} was notified of ${callback.type}`)
    findings.expect(isSigned(callback, secret), `the signature of ${callback.id}`)
  }
}

/** An export with a callback, for operations on notifications. */
export async function requestedExport({ http }: World, by: World['operator'], callback_url: string): Promise<void> {
  const json = { data: { type: 'cdrexport', attributes: { callback_url, filter_parameters: whole_history } } }
  await requireBody(http, { operation: 'createCdrExport', by, json })
}
