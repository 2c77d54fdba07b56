import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMailer, isRefused } from './mailer.ts'

test('only a permanent refusal of the message or address ends the attempts', () => {
  const answer = (responseCode: number, command: string) => Object.assign(new Error('no'), { responseCode, command })
  assert.equal(isRefused(answer(550, 'RCPT TO')), true)
  assert.equal(isRefused(answer(554, 'DATA')), true)
  assert.equal(isRefused(answer(451, 'RCPT TO')), false)
  assert.equal(isRefused(answer(535, 'AUTH PLAIN')), false)
  assert.equal(isRefused(new Error('ECONNREFUSED')), false)
})

test('without a relay there is no mailer', () => {
  assert.equal(createMailer({ carrier_name: 'Demarc', mail: null }), null)
})
