import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCommonPassword } from './common-passwords.ts'

test('common passwords are recognized with the usual disguises, and passphrases are not', () => {
  const common = [
    'password1234',
    'Password1234!',
    'P@ssw0rd2026',
    'passwordpassword',
    'qwerty123456',
    '123456789012',
    '1qaz2wsx3edc',
    '1234dragon!!',
    'leavemealone',
  ]
  const fine = [
    'correct horse battery',
    'a long enough password',
    'seven words nobody else has in a row',
    'my dragon eats 12 shoes',
    'x8Kq-42vLm-90ztR',
  ]
  assert.deepEqual(
    common.filter((each) => !isCommonPassword(each)),
    [],
  )
  assert.deepEqual(fine.filter(isCommonPassword), [])
})
