import assert from 'node:assert/strict'
import { it } from 'node:test'
import { portOrderStatuses, transitions } from '@demarc/client/rules'
import { operatorVerbs } from './keys.ts'
import { transitionsOf, verbDisabledReason } from './verbs.ts'

it('gives every verb and status either a result or a reason', () => {
  for (const status of portOrderStatuses)
    for (const { verb } of operatorVerbs) {
      const order = { id: '1', attributes: { status, alias: '' } }
      const allowed = transitions.some(
        (each) => each.actor === 'operator' && each.from === status && each.verb === verb,
      )
      assert.equal(transitionsOf(verb, order).length > 0, allowed, `${verb} from ${status}`)
      assert.equal(verbDisabledReason(verb, [order]) === null, allowed, `why not ${verb} from ${status}`)
    }
})
