import { presentLocation, requireAddress } from '../e911/index.ts'
import { alternativeAddress, type Validator } from '../engines/addresses/index.ts'
import { findNumber } from '../numbers/index.ts'
import type { Context } from '../platform/context.ts'
import { DependencyUnavailable } from '../platform/unavailable.ts'
import { errorDocument, locationResponse, readLocationRequest } from './held.ts'
import {
  type CivicLocation,
  errorsDocument,
  findServiceResponse,
  listServicesResponse,
  readLostRequest,
} from './lost.ts'

const NOT_UTF8 = 'The request is not UTF-8.'

/** The response to a HELD request: the emergency address of a number of the account. */
export async function respondByHeld(c: Context, text: string | undefined): Promise<string> {
  if (text === undefined) return errorDocument({ code: 'xmlError', message: NOT_UTF8 })
  const request = readLocationRequest(text)
  if (!request.ok) return errorDocument(request.error)
  const found = await findNumber(c.tx, c.actor, request.number)
  // the same for a number of another account and one that doesn't exist
  if (!found) return errorDocument({ code: 'badIdentifier', message: 'The account has no such number.' })
  if (found.e911_id === null)
    return errorDocument({ code: 'locationUnknown', message: 'The number has no emergency address.' })
  const address = await requireAddress(c, found.e911_id)
  return locationResponse(presentLocation(address, `tel:+${found.value}`))
}

/**
 * The response to a LoST request, based on the loaded street data. `source` names this server. May query remote validators, so
 * don't call it in a transaction. Throws 503 if no validator is available.
 */
export async function respondByLost(
  { clock }: Pick<Context, 'clock'>,
  validator: Validator,
  source: string,
  text: string | undefined,
): Promise<string> {
  if (text === undefined) return errorsDocument({ name: 'badRequest', message: NOT_UTF8 }, source)
  const request = readLostRequest(text, source)
  if (request.kind === 'refused') return errorsDocument(request.error, source)
  if (request.kind === 'listServices') return listServicesResponse(request.service, source)
  const outcome = await validated(validator, request.location)
  const is_valid = outcome.kind === 'ok'
  if (request.kind === 'listServicesByLocation')
    return is_valid ? listServicesResponse(request.service, source, request.location) : notFound(source, outcome.reason)
  // a validation needs the errors; a call needs an answering point
  if (!request.validates && !(is_valid && outcome.psap !== ''))
    return notFound(source, is_valid ? 'The data has no answering point for this location.' : outcome.reason)
  return findServiceResponse({
    request,
    source,
    now: clock.now().toISOString(),
    elements: outcome.elements,
    psap: is_valid ? outcome.psap : '',
    community: is_valid ? outcome.community : '',
    similar: is_valid ? [] : outcome.similar,
  })
}

const notFound = (source: string, message: string) => errorsDocument({ name: 'notFound', message }, source)

async function validated(validator: Validator, { address }: CivicLocation) {
  const outcome = await validator.validate(address)
  switch (outcome.kind) {
    case 'ok':
      return outcome
    case 'unavailable':
      throw new DependencyUnavailable('The validation of emergency addresses', { cause: new Error(outcome.reason) })
    case 'not_geocodable':
      return { ...outcome, similar: [] }
    case 'correct':
      return {
        kind: outcome.kind,
        elements: outcome.elements,
        reason: 'The address has an error. Send validateLocation to see which element is wrong.',
        similar: outcome.alternatives.map((alternative) => alternativeAddress(alternative, address)),
      }
  }
}
