import { isDeepStrictEqual } from 'node:util'
import type { e911 } from '@demarc/client'
import { accountOf, systemActor } from '../platform/actor.ts'
import type { Context, Deps, WriteContext } from '../platform/context.ts'
import { constraintOf, inTransaction } from '../platform/db.ts'
import { changedFields } from '../platform/changed-fields.ts'
import { recordEvent } from '../platform/events.ts'
import { DependencyUnavailable } from '../platform/unavailable.ts'
import { invalid, notFound, problem } from '../platform/problem.ts'
import { type Accepted, canonicalKey, LEVELS, type Validator } from '../engines/addresses/index.ts'
import * as store from './store.ts'
import { addressFields } from './document.ts'
import { checkAddress, checkFields, correction, type E911Attributes, type FieldName } from './rules.ts'

/** An address that satisfies the field rules and exists. */
interface Validated {
  attributes: E911Attributes
  typed_key: string
  accepted: Accepted
}

/** The part of a request's context that a validation needs. */
type Reading = Pick<Context, 'tx' | 'actor'>

/**
 * Field errors of an address whose single fields are valid, except those named in `failing`: errors between fields, and a
 * label that another address of the account has. `except` is the stored address that is being changed.
 */
export async function fieldErrors(
  c: Reading,
  input: e911.E911Change,
  failing: ReadonlySet<string>,
  except: store.AddressRow | null = null,
): Promise<Record<string, string[]>> {
  return errorsIn(await check(c, input, except, failing))
}

/** The field rules, and what else the account has at this place or under this label. */
async function check(
  c: Reading,
  input: e911.E911Change,
  except: store.AddressRow | null,
  failing: ReadonlySet<string> = new Set(),
) {
  const checked = checkAddress(except ? { ...addressFields(except), ...input } : input, failing)
  const keys = checked.ok ? [canonicalKey(checked.address)] : []
  return { checked, conflicts: await findConflicts(c, input.label ?? except?.label ?? '', keys, except) }
}

const errorsIn = ({ checked, conflicts }: Awaited<ReturnType<typeof check>>): Record<string, string[]> => ({
  ...(checked.ok ? {} : checked.fields),
  ...(conflicts.label && { label: [labelTaken] }),
})

/**
 * Validates an address for an account: the field rules, duplicates, and whether the address exists. It may query a remote
 * validator, so don't call it in a transaction. Throws 422 with every failing field, 422 for a duplicate, 422 with
 * corrections, 400 if the address can't be located, and 503 if no validator is available.
 */
export async function validate(
  c: Reading,
  validator: Validator,
  input: e911.E911Change,
  except: store.AddressRow | null = null,
): Promise<Validated> {
  const found = await check(c, input, except)
  if (!found.checked.ok) throw invalid(errorsIn(found))
  // before remote validators are queried
  refuseConflicts(found.conflicts)
  const { attributes, address } = found.checked
  const typed_key = canonicalKey(address)
  const outcome = await validator.validate(address)
  switch (outcome.kind) {
    case 'unavailable':
      throw new DependencyUnavailable('The validation of emergency addresses', { cause: new Error(outcome.reason) })
    case 'not_geocodable':
      throw problem('not-geocodable', outcome.reason)
    case 'correct':
      throw problem('address-correction', correction(attributes, firstOf(outcome.alternatives)), {
        details: outcome.alternatives.map((alternative) => ({
          detail: correction(attributes, alternative),
          reason: outcome.reason,
        })),
      })
    case 'ok':
      // the data may spell the street differently: MARKET ST for Market Street
      if (outcome.key !== typed_key) refuseConflicts(await findConflicts(c, attributes.label, [outcome.key], except))
      return { attributes, typed_key, accepted: outcome }
  }
}

function firstOf<T>(list: readonly T[]): T {
  const [first] = list
  if (first === undefined) throw new Error('a correction without an alternative')
  return first
}

const findConflicts = (c: Reading, label: string, keys: readonly string[], except: store.AddressRow | null) =>
  store.findConflicts(c.tx, except?.account_id ?? accountOf(c.actor), { label, keys, except: except?.id ?? null })

function refuseConflicts(conflicts: { place: boolean; label: boolean }): void {
  if (conflicts.place) throw duplicate()
  if (conflicts.label) throw refusedLabel()
}

const duplicate = () => problem('duplicate-address', 'This address is already on your account. Use the existing one.')
const labelTaken = 'Is used by another address of the account.'
const refusedLabel = () => invalid({ label: [labelTaken] })

/** Saves a validated address. Throws 422 if the place or the label was added to the account in the meantime. */
export async function createAddress(c: WriteContext, validated: Validated): Promise<store.AddressRow> {
  const account_id = accountOf(c.actor)
  const now = c.clock.now()
  const row = await refusingConflicts(() =>
    store.insertAddress(c.tx, { account_id, created_at: now, ...stored(validated, now) }),
  )
  await recordEvent(c, account_id, {
    type: 'e911.created',
    subject_type: 'e911',
    subject_id: row.id,
    data: { level: row.level, source: row.source },
  })
  return row
}

/** A validated change, and the stored address it was made from. */
interface Change {
  before: store.AddressRow
  validated: Validated
}

/** Validates the address as it would be after the change. Throws 404, and as `validate` does. */
export async function prepareChange(
  c: Context,
  validator: Validator,
  id: string,
  change: e911.E911Change,
): Promise<Change> {
  const before = await requireAddress(c, id)
  return { before, validated: await validate(c, validator, change, before) }
}

/** Saves a validated change. Throws 404, 409 if another request changed the address in the meantime, and 422 as `createAddress` does. */
export async function updateAddress(
  c: WriteContext,
  id: string,
  { before, validated }: Change,
): Promise<store.AddressRow> {
  const row = await store.lockAddressForUpdate(c.tx, c.actor, id)
  if (!row) throw unknownAddress(c, id)
  if (!isDeepStrictEqual(addressFields(row), addressFields(before)))
    throw problem(
      'conflict',
      'Another request changed the address while yours was being validated. Get the address again, then resend your change.',
    )
  const now = c.clock.now()
  const changed = await refusingConflicts(() => store.updateAddress(c.tx, row, stored(validated, now)))
  const changes = changedFields(addressFields(row), addressFields(changed))
  const names = Object.keys(changes?.to ?? {}) as FieldName[]
  await recordEvent(c, row.account_id, {
    type: 'e911.changed',
    subject_type: 'e911',
    subject_id: id,
    data: {
      level: changed.level,
      source: changed.source,
      changed: names.filter((name) => changed[name] !== null),
      cleared: names.filter((name) => changed[name] === null),
    },
  })
  return changed
}

/** Deletes an address. Throws 404 for an unknown address, and 403 while numbers use it, as the contract requires. */
export async function deleteAddress(c: WriteContext, id: string): Promise<void> {
  const row = await store.lockAddressForUpdate(c.tx, c.actor, id)
  if (!row) throw unknownAddress(c, id)
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
  if (!row) throw unknownAddress(c, id)
  return row
}

const unknownAddress = (c: Context, id: string) => notFound(c.actor, `No emergency address ${id}`)

/** When two requests add the same place at once, the database accepts the first. */
async function refusingConflicts<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    const constraint = constraintOf(error)
    if (constraint === 'e911_address_place') throw duplicate()
    if (constraint === 'e911_address_label') throw refusedLabel()
    throw error
  }
}

const stored = ({ attributes, typed_key, accepted }: Validated, now: Date) => ({
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

/** Kind of the job that revalidates every stored address after the data changed. */
export const revalidateJob = 'revalidate-e911'

const batch = 500

/** Revalidates every stored address and records an event for each whose verdict got worse. Safe to run twice. */
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
    const current = await store.lockAddressForUpdate(tx, actor, row.id)
    if (!current || current.validated_at.getTime() !== row.validated_at.getTime()) return
    const now = deps.clock.now()
    const better = outcome.kind === 'ok' ? LEVELS.indexOf(outcome.level) - LEVELS.indexOf(row.level) : -1
    // if two addresses now share a place, neither changes: the customer has to resolve it
    const conflicts =
      outcome.kind === 'ok'
        ? await store.findConflicts(tx, row.account_id, { label: '', keys: [outcome.key], except: row.id })
        : { place: false }
    if (outcome.kind === 'ok' && !conflicts.place)
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
