import { Readable } from 'node:stream'
import { portOrders } from '@demarc/client'
import { attachDocument } from '../order-documents/index.ts'
import type { Actor } from '../platform/actor.ts'
import type { Context, WriteContext } from '../platform/context.ts'
import type { Valid } from '../platform/http/binding.ts'
import { notFound, problem, throwIfInvalid } from '../platform/problem.ts'
import type { Storage } from '../platform/storage.ts'
import { fieldOf } from './check/finding.ts'
import { loaAgeLimits, loaStatus, signedFacts } from './loa/facts.ts'
import { currentAgreement, loaForm, validateForm } from './loa/form.ts'
import type { LoaForm } from './loa/form.ts'
import { signPdf, unprintableFields, verify } from './loa/verify.ts'
import { transitionOrder } from './transitions.ts'
import { withNumbers } from './numbers-store.ts'
import type { PortOrderDependencies } from './dependencies.ts'
import { findingsOf } from './preflight.ts'
import { limits, toSecond } from './rules.ts'
import * as store from './store.ts'
import { loadOrder, lockForEdit } from './view.ts'

/** The Letter of Agency of an order: form, signing, verification. */

/** The form to be signed, for the current details of the order. */
export async function formOf(c: Context, { config }: PortOrderDependencies, id: string): Promise<LoaForm> {
  return loaForm(await loadOrder(c, id), config.carrier_name)
}

export interface Signer {
  ip: string
  user_agent: string | null
}

/**
 * Takes the signed form: the LOA is rendered, stored and attached as a business document, and the order is Processing, all
 * in this transaction. Throws 404, 409 unless the order is Pending and the form its own, 422 for missing signatures, for
 * every missing or changed field of the form, and for every error of the check that only the account holder can mend, and 507
 * where there is a limit of storage. Returns the order and the response's headers.
 */
export async function signLoa(
  c: WriteContext,
  { storage, ...dependencies }: PortOrderDependencies & { storage?: Storage },
  id: string,
  returned: portOrders.SignedLoa,
  { ip, user_agent }: Signer,
): Promise<{ order: store.Order; headers: Record<string, string> }> {
  const order = await withNumbers(c.tx, await lockForEdit(c, id, 'loa'))
  if (returned.id !== null && returned.id !== id)
    throw problem(
      'conflict',
      `This is the form of port order ${returned.id.slice(0, 50)}, sent to port order ${id}. Sign the form that this order gives.`,
    )
  const { errors, facts, blocking } = await assess(c, dependencies, order, returned)
  throwIfInvalid(errors)
  const { pdf, evidence } = await signPdf(facts, { ...signerOf(c.actor), ip, user_agent })
  const { account_id } = order
  const headers = (await storage?.claim(c.tx, account_id, pdf.length)) ?? {}
  const { facts_sha256 } = evidence
  const signed_at = new Date(facts.signature.signed_at)
  await store.insertLoa(c.tx, { account_id, port_order_id: id, signed_at, evidence, facts_sha256 })
  const details = {
    facts_sha256,
    pdf_sha256: evidence.pdf_sha256,
    agreement_version: currentAgreement,
    ...(blocking.length === 0 ? {} : { forced: [...new Set(blocking.map((f) => f.code))] }),
  }
  const file = await c.files.stage(Readable.from([pdf]))
  try {
    const { digest, bytes } = file
    const filename = `LOA-${id}.pdf`
    await attachDocument(c, {
      account_id,
      order_id: id,
      filename,
      digest,
      bytes,
      media_type: 'application/pdf',
      kind: 'loa',
    })
    const signed = await transitionOrder(c, dependencies, order, { to: 'Processing', actor: 'account', details, file })
    return { order: signed, headers }
  } finally {
    await file.discard()
  }
}

const signerOf = (actor: Actor) => ({
  key_id: actor.person || actor.kind === 'system' ? null : actor.key_id,
  person_id: actor.person?.id ?? null,
})

/** The field errors that `signLoa` would refuse in a body whose envelope was refused. Throws 404. */
export async function signingFieldErrors(
  c: Context,
  dependencies: PortOrderDependencies,
  id: string,
  returned: Valid<portOrders.SignedLoa>,
): Promise<Record<string, string[]>> {
  return (await assess(c, dependencies, await loadOrder(c, id), returned)).errors
}

/** What would be signed, all that is wrong with it, and the errors of the check that only the account holder can mend. */
async function assess(
  c: Context,
  dependencies: PortOrderDependencies,
  order: store.Order,
  { fields = {}, force = false }: Valid<portOrders.SignedLoa>,
) {
  const { carrier_name } = dependencies.config
  const checked = validateForm(loaForm(order, carrier_name), fields)
  const facts = signedFacts({
    port_order_id: order.id,
    order,
    gaining_carrier: carrier_name,
    version: currentAgreement,
    signature: checked.ok ? checked.signature : { name: '', title: '' },
    signed_at: c.clock.now(),
  })
  const findings = await findingsOf(c, dependencies, order, { refusals: false })
  const blocking = findings.filter((f) => f.severity === 'error' && portOrders.rejectCodes[f.code].who === 'account')
  const forced = force && c.actor.kind === 'operator'
  const errors = new Map(Object.entries({ ...unprintableFields(facts), ...(checked.ok ? {} : checked.fields) }))
  for (const { pointer, message } of forced ? [] : blocking)
    errors.set(fieldOf(pointer), [...(errors.get(fieldOf(pointer)) ?? []), message])
  if (force && !forced) errors.set('force', ['Only the operator may force a signature.'])
  return { errors: Object.fromEntries(errors), facts, blocking }
}

export interface Warning {
  code: string
  message: string
}

/** Warnings for the operator about the LOA, before the order goes to the losing carrier. */
export async function loaWarnings(c: Context, order: store.Order): Promise<Warning[]> {
  const stored = await store.findLoa(c.tx, order)
  if (!stored) return [{ code: 'loa_missing', message: 'No LOA was signed.' }]
  const { age, age_days, changed } = loaStatus(stored.evidence.facts, order, c.clock.now())
  const warnings: Warning[] = []
  if (age !== 'fresh')
    warnings.push({
      code: 'loa_expired',
      message: `The LOA was signed ${age_days} days ago. Losing carriers refuse an LOA of more than ${loaAgeLimits.refuse_days} days.`,
    })
  if (changed.length > 0)
    warnings.push({
      code: 'loa_outdated',
      message: `Changed since it was signed: ${changed.join(', ')}.`,
    })
  return warnings
}

/** Is this PDF the LOA that was signed for the order? Throws 404 when none was, 413 for a file that is too large. */
export async function verifyLoa(c: Context, id: string, stream: Readable) {
  const order = await loadOrder(c, id)
  const stored = await store.findLoa(c.tx, order)
  if (!stored) throw notFound(`No signed LOA of port order ${id}`)
  const { facts, facts_sha256, pdf_sha256, key_id, ip, user_agent } = stored.evidence
  const result = verify(await readPdf(stream), stored.evidence)
  const { age_days, changed } = loaStatus(facts, order, c.clock.now())
  return {
    authentic: result.authentic,
    error: result.authentic ? null : result.error,
    reason: result.authentic ? null : result.reason,
    signed_at: toSecond(stored.signed_at),
    signature_name: facts.signature.name,
    signature_title: facts.signature.title,
    agreement_version: facts.agreement.version,
    facts_sha256,
    pdf_sha256,
    access_key_id: key_id,
    ip,
    user_agent,
    age_days,
    changed_fields: changed,
  }
}

async function readPdf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    const part = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk)
    bytes += part.length
    if (bytes > limits.loa_bytes)
      throw problem('payload-too-large', `An LOA has at most ${limits.loa_bytes} bytes.`, {
        headers: { connection: 'close' },
      })
    chunks.push(part)
  }
  return Buffer.concat(chunks)
}
