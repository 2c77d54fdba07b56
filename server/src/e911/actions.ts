import { accountOf, actIn, systemActor } from '../platform/actor.ts'
import type { Context, Deps, WriteContext } from '../platform/context.ts'
import { constraintOf, inTransaction } from '../platform/db.ts'
import { recordEvent } from '../platform/events.ts'
import { DependencyUnavailable } from '../platform/unavailable.ts'
import { invalid, notFound, problem } from '../platform/problem.ts'
import { type Accepted, canonicalKey, LEVELS, type Validator } from '../engines/addresses/index.ts'
import * as store from './store.ts'
import { addressFields } from './document.ts'
import { checkFields, correction, type E911Attributes } from './rules.ts'

type Given = Readonly<Record<string, unknown>>

interface Judged {
  attributes: E911Attributes
  typed_key: string
  accepted: Accepted
}

/**
 * Judges an address for an account: field rules, then whether it is there already, then whether it exists. Throws 422 with
 * every failing field, 422 for a duplicate, 422 with the corrections, 400 where it cannot be located, 503 when nobody can tell.
 * `except` is the stored address that is being changed.
 */
export async function judge(
  c: Context,
  validator: Validator,
  given: Given,
  except: string | null = null,
): Promise<Judged> {
  const account_id = accountOf(c.actor)
  const checked = checkFields(given)
  if (!checked.ok) throw invalid(checked.fields)
  const { attributes, address } = checked
  const typed_key = canonicalKey(address)
  await refuseRivals(c, account_id, attributes.label, [typed_key], except)
  const outcome = await validator.validate(address)
  switch (outcome.kind) {
    case 'unavailable':
      throw new DependencyUnavailable('The validation of emergency addresses', { cause: new Error(outcome.why) })
    case 'not_geocodable':
      throw problem('not-geocodable', outcome.why)
    case 'correct':
      throw problem('address-correction', correction(attributes, firstOf(outcome.alternatives)), {
        details: outcome.alternatives.map((alternative) => ({ detail: correction(attributes, alternative) })),
      })
    case 'ok':
      // "Market Street" is "MARKET ST" once the data has said so
      if (outcome.key !== typed_key) await refuseRivals(c, account_id, attributes.label, [outcome.key], except)
      return { attributes, typed_key, accepted: outcome }
  }
}

function firstOf<T>(list: readonly T[]): T {
  const [first] = list
  if (first === undefined) throw new Error('a correction without an alternative')
  return first
}

async function refuseRivals(
  c: Context,
  account_id: string,
  label: string,
  keys: readonly string[],
  except: string | null,
): Promise<void> {
  const rivals = await store.findRivals(c.tx, account_id, { label, keys, except })
  if (rivals.place) throw duplicate()
  if (rivals.label) throw takenLabel()
}

const duplicate = () =>
  problem('duplicate-address', 'This address is already on your account. Use the one that is there.')
const takenLabel = () => invalid({ label: ['Is used by another address of the account.'] })

/** Keeps a judged address. Throws as `judge` does. */
export async function createAddress(c: WriteContext, validator: Validator, given: Given): Promise<store.AddressRow> {
  const account_id = accountOf(c.actor)
  const judged = await judge(c, validator, given)
  const now = c.clock.now()
  const row = await once(() => store.insertAddress(c.tx, { account_id, created_at: now, ...stored(judged, now) }))
  await recordEvent(c, account_id, {
    type: 'e911.created',
    subject_type: 'e911',
    subject_id: row.id,
    data: { level: row.level, source: row.source },
  })
  return row
}

/** Changes an address; what stands after the change is judged anew. Throws 404, and as `judge` does. */
export async function updateAddress(
  c: WriteContext,
  validator: Validator,
  id: string,
  change: Given,
): Promise<store.AddressRow> {
  const row = await store.lockAddress(c.tx, c.actor, id)
  if (!row) throw notFound(`No emergency address ${id}`)
  const judged = await judge(actIn(c, row.account_id), validator, { ...addressFields(row), ...change }, id)
  const now = c.clock.now()
  const changed = await once(() => store.updateAddress(c.tx, row, stored(judged, now)))
  await recordEvent(c, row.account_id, {
    type: 'e911.changed',
    subject_type: 'e911',
    subject_id: id,
    data: { level: changed.level, source: changed.source },
  })
  return changed
}

/** Removes an address. Throws 404 for an unknown one, 403 while numbers use it, as the contract has it. */
export async function deleteAddress(c: WriteContext, id: string): Promise<void> {
  const row = await store.lockAddress(c.tx, c.actor, id)
  if (!row) throw notFound(`No emergency address ${id}`)
  try {
    await store.deleteAddress(c.tx, row)
  } catch (error) {
    if (constraintOf(error) === 'number_e911') throw problem('not-authorized', '', { cause: error })
    throw error
  }
  await recordEvent(c, row.account_id, {
    type: 'e911.deleted',
    subject_type: 'e911',
    subject_id: id,
  })
}

/** Throws 404 unless the actor can see the address. */
export async function requireAddress(c: Context, id: string): Promise<store.AddressRow> {
  const row = await store.findAddress(c.tx, c.actor, id)
  if (!row) throw notFound(`No emergency address ${id}`)
  return row
}

/** Two who add the same place at one moment: the database keeps the first. */
async function once<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    const constraint = constraintOf(error)
    if (constraint === 'e911_address_place') throw duplicate()
    if (constraint === 'e911_address_label') throw takenLabel()
    throw error
  }
}

const stored = ({ attributes, typed_key, accepted }: Judged, now: Date) => ({
  ...attributes,
  typed_key,
  ...evidence(accepted),
  validated_at: now,
})

const evidence = ({ key, level, source, elements, community, esn, psap }: Accepted) => ({
  canonical_key: key,
  level,
  source: source.name,
  vintage: source.vintage,
  elements: JSON.stringify(elements),
  community,
  esn,
  psap,
})

/** Kind of the job that looks at every stored address anew after the data changed. */
export const revalidateJob = 'revalidate-e911'

const batch = 500

/** Validates every stored address anew and records an event for each whose verdict got worse. Safe to run twice. */
export async function revalidateAll(deps: Deps, validator: Validator, signal: AbortSignal): Promise<void> {
  for (let after = '0'; ;) {
    const rows = await store.addressesAfter(deps.db, after, batch)
    for (const row of rows) {
      signal.throwIfAborted()
      await revalidate(deps, validator, row)
    }
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
  }
}

async function revalidate(deps: Deps, validator: Validator, row: store.AddressRow): Promise<void> {
  const checked = checkFields(addressFields(row))
  if (!checked.ok) return
  const outcome = await validator.validate(checked.address)
  if (outcome.kind === 'unavailable') return
  const actor = systemActor(revalidateJob, row.account_id)
  await inTransaction(deps.db, async (tx) => {
    const current = await store.lockAddress(tx, actor, row.id)
    if (!current || current.validated_at.getTime() !== row.validated_at.getTime()) return
    const now = deps.clock.now()
    const better = outcome.kind === 'ok' ? LEVELS.indexOf(outcome.level) - LEVELS.indexOf(row.level) : -1
    // a place that two addresses now share stays as it was: it is the account holder's to settle
    const rivals =
      outcome.kind === 'ok'
        ? await store.findRivals(tx, row.account_id, { label: '', keys: [outcome.key], except: row.id })
        : { place: false }
    if (outcome.kind === 'ok' && !rivals.place)
      await store.updateAddress(tx, row, { ...evidence(outcome), validated_at: now })
    if (better >= 0) return
    const data = { level_before: row.level, verdict: outcome.kind === 'ok' ? outcome.level : outcome.kind }
    await recordEvent({ tx, actor, clock: deps.clock }, row.account_id, {
      type: 'e911.verdict_worsened',
      subject_type: 'e911',
      subject_id: row.id,
      data,
    })
  })
}
