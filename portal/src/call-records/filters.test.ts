import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cdrFilters, filterParameters as declared } from '@demarc/client'
import { commandOf, filterParameters, searchOf } from './filters.ts'
import { groups } from './fields.ts'
import { filterNames, callRecordsSearch, type CallRecordsSearch } from './search.ts'

const now = new Date('2026-11-22T10:00:00Z')
const zone = 'America/Los_Angeles'

const every: CallRecordsSearch = {
  start_call_start_time: '2026-11-01T07:00Z',
  start_call_end_time: '2026-11-02T07:00Z',
  direction: 'outbound',
  destination_numbers: '12065550100,12065550101',
  destination_prefix: '1206',
  callerid_numbers: '14255550103',
  callerid_prefix: '44',
  number_aliases: 'Núñez, front desk\nFax',
  number_aliases_contains: 'desk',
  destination_countries_included: 'US,CA',
  destination_countries_excluded: 'MX',
  duration_greater_than: '5',
  duration_less_than: '60.5',
  cost_greater_than: '0.01',
  cost_less_than: '1',
  custom_x_tags: 'campaign 7',
  caller_ip: '192.0.2.0/24',
  tollfree_only: 'true',
  exclude_cancelled: 'true',
}

describe('filters of call records', () => {
  it('has a field for every filter the API declares', () => {
    assert.deepEqual(filterNames.toSorted(), Object.keys(cdrFilters.shape).toSorted())
    const asked = [
      ...groups.flatMap(([, names]) => [...names]),
      'start_call_start_time',
      'start_call_end_time',
      'direction',
    ]
    assert.deepEqual(asked.toSorted(), filterNames.toSorted())
  })

  it('round-trips every filter between the URL and the API', () => {
    const parameters = filterParameters(callRecordsSearch({ ...every }), now, zone)
    assert.equal(declared.safeParse(parameters).error, undefined)
    assert.deepEqual(parameters.number_aliases, ['Núñez, front desk', 'Fax'])
    assert.deepEqual(searchOf(parameters), every)
  })

  it('accepts numbers in any format and passes anything else to the API', () => {
    const { destination_numbers } = filterParameters({ destination_numbers: '+1 (206) 555-0100; no number' }, now, zone)
    assert.deepEqual(destination_numbers, ['+12065550100', 'nonumber'])
  })

  it('uses whole days in the reader’s zone, including across DST changes', () => {
    const times = (period: CallRecordsSearch['period']) => {
      const parameters = filterParameters(period ? { period } : {}, now, zone)
      return [parameters.start_call_start_time, parameters.start_call_end_time]
    }
    assert.deepEqual(times('today'), ['2026-11-22T08:00Z', '2026-11-23T08:00Z'])
    assert.deepEqual(times('last_month'), ['2026-10-01T07:00Z', '2026-11-01T07:00Z'])
    assert.deepEqual(times(undefined), ['2026-10-24T07:00Z', '2026-11-23T08:00Z'])
  })

  it('quotes command arguments where the shell requires it', () => {
    const command = commandOf({ number_aliases: ["Núñez's"], tollfree_only: true, direction: 'inbound' })
    const quoted = String.raw`'Núñez'\''s'`
    assert.equal(command, `demarc cdr estimate --direction inbound --number-alias ${quoted} --tollfree-only`)
  })
})
