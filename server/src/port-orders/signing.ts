import { Readable } from 'node:stream'
import { portOrders } from '@demarc/client'
import { attachLoa } from '../order-documents/index.ts'
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

/** The Letter of Agency (LOA) of an order: form, signing, verification. */

/** The form to sign, with the current details of the order. Throws 404. */
export async function formOf(c: Context, { config }: PortOrderDependencies, id: string): Promise<LoaForm> {
  return loaForm(await loadOrder(c, id), config.carrier_name)
}

export interface Signer {
  ip: string
  user_agent: string | null
}

/**
 * Signs the LOA: renders the PDF, attaches it as a business document, claims the numbers, and moves the order to Processing,
 * all in this transaction. Throws 404; 409 unless the order is Pending and the form belongs to it; 422 for missing signatures,
 * for every missing or changed field of the form, and for every error of the preflight check that only the customer can fix;
 * and 507 when the account's storage is full. Returns the order and headers for the response.
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
      `This form belongs to port order ${returned.id.slice(0, 50)}, but was sent to port order ${id}. Get the form of this order and sign it.`,
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
    await attachLoa(c, { account_id, order_id: id, filename: `LOA-${id}.pdf`, digest, bytes })
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

/** The errors that `signLoa` would report for the valid parts of a body, by field. Throws 404. */
export async function signingFieldErrors(
  c: Context,
  dependencies: PortOrderDependencies,
  id: string,
  returned: Valid<portOrders.SignedLoa>,
): Promise<Record<string, string[]>> {
  return (await assess(c, dependencies, await loadOrder(c, id), returned)).errors
}

/** The facts to sign, the errors that prevent it, and the errors of the preflight check that only the customer can fix. */
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
  if (force && !forced) errors.set('force', ['Only the operator can force a signature.'])
  return { errors: Object.fromEntries(errors), facts, blocking }
}

export interface Warning {
  code: string
  message: string
}

/** Warnings about the LOA, shown to the operator who submits the order to the losing carrier. */
export async function loaWarnings(c: Context, order: store.Order): Promise<Warning[]> {
  const stored = await store.findLoa(c.tx, order)
  if (!stored) return [{ code: 'loa_missing', message: 'The order has no signed LOA.' }]
  const { age, age_days, changed } = loaStatus(stored.evidence.facts, order, c.clock.now())
  const warnings: Warning[] = []
  if (age !== 'fresh')
    warnings.push({
      code: 'loa_expired',
      message: `The LOA was signed ${age_days} days ago. Losing carriers do not accept an LOA older than ${loaAgeLimits.refuse_days} days.`,
    })
  if (changed.length > 0)
    warnings.push({
      code: 'loa_outdated',
      message: `Changed since the LOA was signed: ${changed.join(', ')}.`,
    })
  return warnings
}

/** Is this PDF the LOA that was signed for the order? Throws 404 when the order has no signed LOA, and 413 for a file that is too large. */
export async function verifyLoa(c: Context, id: string, stream: Readable) {
  const order = await loadOrder(c, id)
  const stored = await store.findLoa(c.tx, order)
  if (!stored) throw notFound(c.actor, `No signed LOA of port order ${id}`)
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
      throw problem('payload-too-large', `The file is larger than ${limits.loa_bytes} bytes, the limit for an LOA.`, {
        headers: { connection: 'close' },
      })
    chunks.push(part)
  }
  return Buffer.concat(chunks)
}
