import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classify, rejectCodeNames, rejectCodes, unclassified } from './reject-codes.ts'
import type { RejectCode, RejectEntry } from './reject-codes.ts'

/** Expected entries by the codes on the carriers' lists: numeric codes and those of LSR responses. */
const known: [string[], RejectCode][] = [
  [['7401', 'E17A', 'E17B', '8A'], 'account_number_mismatch'],
  [['7402', 'E1'], 'address_mismatch'],
  [['8D'], 'zip_mismatch'],
  [['7403', '6K'], 'number_not_portable'],
  [['7404', '8G'], 'business_name_mismatch'],
  [['7405', '6R'], 'multi_line_account'],
  [['7406', 'E6c'], 'centrex_line'],
  [['7407', '6M', '6N', 'E19'], 'pending_order'],
  [['7408', '6C'], 'all_data_mismatch'],
  [['7409', 'E27', 'E30'], 'account_inactive'],
  [['7410', 'E6a'], 'distinctive_ring'],
  [['7411', 'E25'], 'dsl_on_line'],
  [['7412', '1N', '6E', 'E35', '6F', '1L'], 'due_date_unavailable'],
  [['7413', '1E'], 'end_user_not_ready'],
  [['7414', '8E'], 'first_name_mismatch'],
  [['7422', '8F'], 'last_name_mismatch'],
  [['7416', 'E6d'], 'service_freeze'],
  [['7425', '6P'], 'port_protection'],
  [['7419', 'E6b'], 'hunt_group'],
  [['7421', 'E6f'], 'isdn_line'],
  [['7415', 'E6e'], 'foreign_exchange'],
  [['7426', '6D'], 'number_not_active'],
  [['7427', '6A'], 'number_not_found'],
  [['7429', 'E10'], 'end_user_name_mismatch'],
  [['7432', 'E34'], 'cannot_cancel'],
  [['7433', 'E33'], 'cannot_supplement'],
  [['7434', 'E24'], 'partial_port'],
  [['E6h'], 'billing_number_in_partial_port'],
  [['7435', 'E42PWA', 'E42PWB', '8C'], 'pin_mismatch'],
  [['7436', '7C'], 'prepaid_account'],
  [['7437', 'E6g'], 'remote_call_forward'],
  [['7438', '6L'], 'outside_business_hours'],
  [['7443', '8B'], 'tax_id_mismatch'],
  [['7445', 'E14'], 'billing_number_mismatch'],
  [['7473', 'E10a'], 'authorized_name_mismatch'],
  [['7424', 'E8'], 'loa_required'],
  [['7417', '6G', '1P', '999'], 'other_reason'],
  [['7484', 'E1111'], 'unexplained'],
  [['7485', 'E9999'], 'unexplained'],
]

for (const [codes, code] of known)
  test(`${codes.join(', ')} is ${code}`, () => {
    for (const raw of codes)
      for (const written of [raw, raw.toLowerCase(), raw.toUpperCase(), ` ${raw} `])
        assert.deepEqual(classify(written), { code, raw: written, entry: rejectCodes[code] })
  })

test('the catalog has no carrier code that is not on the lists', () => {
  const listed = new Set(known.flatMap(([codes]) => codes.map((c) => c.toUpperCase())))
  for (const name of rejectCodeNames) for (const code of rejectCodes[name].codes) assert.ok(listed.has(code), code)
})

test('a carrier code belongs to one entry and is not the name of another', () => {
  const all = rejectCodeNames.flatMap((n) => [n.toUpperCase(), ...rejectCodes[n].codes])
  assert.equal(new Set(all).size, all.length)
  for (const code of all) assert.equal(code, code.toUpperCase())
})

test('every entry is found by its own name', () => {
  for (const name of rejectCodeNames) assert.equal(classify(name).code, name)
})

test('an unknown reason is kept verbatim and marked unclassified', () => {
  for (const raw of ['7499', " Sub not auth'd — call desk ", '', '__proto__', 'constructor', 'unclassified'])
    assert.deepEqual(classify(raw), { code: 'unclassified', raw, entry: unclassified })
})

test('every entry has a cause and a fix in full sentences, and a plausible time', () => {
  const entries: [string, RejectEntry][] = [
    ...rejectCodeNames.map((n): [string, RejectEntry] => [n, rejectCodes[n]]),
    ['unclassified', unclassified],
  ]
  assert.ok(entries.length >= 46)
  for (const [name, entry] of entries) {
    assert.match(name, /^[a-z][a-z_]+[a-z]$/)
    assert.match(entry.title, /^[A-Z].*[^.]$/)
    for (const sentence of [entry.cause, entry.fix]) assert.match(sentence, /^[A-Z].*\.$/)
    const [least, most] = entry.business_days
    assert.ok(least >= 0 && least <= most && most <= 15, name)
  }
})

test('no two entries have the same title or cause', () => {
  for (const part of ['title', 'cause'] as const) {
    const texts = rejectCodeNames.map((n) => rejectCodes[n][part])
    assert.equal(new Set(texts).size, texts.length)
  }
})
