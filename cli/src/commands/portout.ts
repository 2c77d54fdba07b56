import { operations, portouts as api } from '@demarc/client'
import { portoutIds } from '../complete-ids.ts'
import { plain } from '../plain.ts'
import type { Noun } from '../verb.ts'

/** Port-outs: numbers that move to another carrier. */

const portout_id = { summary: 'ID of the port-out', complete: portoutIds }
const columns = ['id', 'status', 'numbers', 'gaining_carrier', 'reference', 'complete_by', 'foc_date']
const passcode_result = { choices: api.passcodeResults }

const list = plain('list', operations.listPortouts, {
  columns,
  description: 'With --account, only port-outs of that account.',
  fields: { status: { choices: api.portoutStatuses } },
  examples: ['portout list --status open', 'portout list --number 12065550100'],
})

const get = plain('get', operations.getPortout, { arguments: { portout_id }, examples: ['portout get 5'] })

const respond = plain('respond', operations.respondToPortout, {
  arguments: { portout_id },
  fields: { response: { choices: api.portoutResponses } },
  examples: ['portout respond 5 --response disputed --comment "Nobody here asked for this."'],
})

const create = plain('create', operations.createPortout, {
  summary: 'Record a port-out request from another carrier (operator)',
  fields: {
    numbers: { summary: 'Number that moves; repeat the option for more' },
    gaining_carrier: { summary: 'Carrier that the numbers move to' },
    gaining_spid: { summary: 'Its SPID, four characters' },
    reference: { summary: 'Purchase order number of the request' },
    requested_due_date: { summary: 'Date that it asks for, YYYY-MM-DD' },
    passcode_result,
  },
  examples: [
    'portout create --numbers 12065550100 --gaining-carrier "Lakeview Telephone" --gaining-spid 599X --reference LV-20417 --requested-due-date 2026-12-01',
  ],
})

const change = plain('change', operations.changePortout, {
  summary: 'Confirm, reject, complete, or cancel a port-out (operator)',
  arguments: { portout_id },
  fields: {
    foc_date: { summary: 'Firm order commitment date, to confirm' },
    reason_code: { choices: api.portoutReasonCodes },
    reason: { summary: 'Details of a rejection' },
    passcode_result,
  },
  examples: [
    'portout change 5 --status confirmed --foc-date 2026-12-01',
    'portout change 5 --status rejected --reason-code zip_code',
    'portout change 5 --status completed',
  ],
})

export const portout: Noun = {
  name: 'portout',
  summary: 'Port-outs: numbers that move to another carrier',
  verbs: [list, get, respond, create, change],
}
