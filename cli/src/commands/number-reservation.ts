import { operations } from '@demarc/client'
import { numberReservationIds } from '../complete-ids.ts'
import { plain } from '../plain.ts'
import type { Noun } from '../verb.ts'

/** Reservations: numbers that only the account can order for 15 minutes. `numbers reserve` makes one. */

const numberreservation_id = { summary: 'ID of the reservation', complete: numberReservationIds }
const columns = ['id', 'status', 'numbers', 'extended', 'expires_at']

const list = plain('list', operations.listNumberReservations, {
  columns,
  examples: ['number-reservation list --status active'],
})

const get = plain('get', operations.getNumberReservation, {
  arguments: { numberreservation_id },
  examples: ['number-reservation get 4'],
})

const extend = plain('extend', operations.extendNumberReservation, {
  arguments: { numberreservation_id },
  examples: ['number-reservation extend 4'],
})

const release = plain('release', operations.releaseNumberReservation, {
  arguments: { numberreservation_id },
  done: (input) => `Reservation ${input.argument('numberreservation')} released.`,
  examples: ['number-reservation release 4'],
})

export const numberReservation: Noun = {
  name: 'number-reservation',
  summary: 'Reservations of numbers',
  verbs: [list, get, extend, release],
}
