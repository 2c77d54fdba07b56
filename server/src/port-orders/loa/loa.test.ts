import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalJson, loaStatus, factsDigest, signedFacts } from './facts.ts'
import { unprintable } from './pdf.ts'
import { factsOf, order, readPdf, signing } from './testing/order.ts'
import { signPdf, statedDigest, unprintableFields, verify } from './verify.ts'

const signer = { key_id: '7', person_id: null, ip: '192.0.2.7', user_agent: 'curl/8' }

test('canonical JSON sorts keys at every depth and keeps the order of lists', () => {
  assert.equal(
    canonicalJson({ b: ['z', 'a'], a: { d: null, c: true }, A: 'é"\n' }),
    '{"A":"é\\"\\n","a":{"c":true,"d":null},"b":["z","a"]}',
  )
})

test('the digest does not depend on the order of the facts', () => {
  const facts = factsOf()
  const { schema, port_order_id, gaining_carrier, form, agreement, signature } = facts
  assert.equal(factsDigest({ signature, agreement, form, gaining_carrier, port_order_id, schema }), factsDigest(facts))
})

test('changing any fact changes the digest', () => {
  const digests = [
    factsOf(),
    factsOf({ port_order_id: '1043' }),
    factsOf({ gaining_carrier: 'Other' }),
    factsOf({ signed_at: new Date('2025-06-16T14:03:22.001Z') }),
    factsOf({ signature: { name: 'Zoe Nunez', title: 'Owner' } }),
    factsOf({ signature: { name: 'Zoë Núñez', title: 'CEO' } }),
    ...Object.keys(order).map((field) =>
      factsOf({ order: { ...order, [field]: field === 'numbers' ? ['+12065550100'] : 'changed' } }),
    ),
  ].map(factsDigest)
  assert.equal(new Set(digests).size, digests.length)
})

test('an LOA is drawn in many turns of the event loop, so other requests do not wait for all of it', async () => {
  let turns = 0
  const countTurn = () => {
    turns += 1
    counting = setImmediate(countTurn)
  }
  let counting = setImmediate(countTurn)
  await signPdf(factsOf(), signer)
  clearImmediate(counting)
  assert.ok(turns >= 8, `${turns} turns`)
})

test('the LOA states every field, the agreement, the signature and the digest', async () => {
  const facts = factsOf({ order: { ...order, street2: 'Suite 9' } })
  const { pdf, evidence } = await signPdf(facts, signer)
  const text = readPdf(pdf).join('\n')
  for (const expected of [
    'Łukasz Żółć',
    'Zażółć Gęślą Inc.',
    '88 Pine Street',
    'Suite 9',
    'Seattle',
    'WA',
    '98101',
    'US',
    'Simulated Telephone',
    'Demarc Telephone',
    'Business',
    '206-555-0100',
    '206-555-0101',
    'Zoë Núñez',
    'Owner',
    '2025-06-16T14:03:22.000Z',
    evidence.facts_sha256,
    'Port order 1042',
  ])
    assert.ok(text.includes(expected), `${expected} in:\n${text}`)
  const flat = text.replace(/\s+/g, ' ')
  for (const paragraph of facts.agreement.text.split('\n\n')) assert.ok(flat.includes(paragraph), paragraph)
})

test('the key and IP address of the signer are in the evidence, not in the LOA', async () => {
  const { pdf, evidence } = await signPdf(factsOf(), { ...signer, user_agent: 'canary-agent' })
  assert.deepEqual([evidence.key_id, evidence.ip, evidence.user_agent], ['7', '192.0.2.7', 'canary-agent'])
  const text = readPdf(pdf).join('\n')
  assert.ok(!text.includes('192.0.2.7') && !text.includes('canary'))
})

test('the PIN and Social Security digits of an order are never in the facts or the LOA', async () => {
  const loaded = { ...order, pin: 'CANARY9481', last_4_ssn: '7359', provider_account: 'CANARYACCOUNT' }
  const facts = signedFacts({ ...signing, order: loaded })
  assert.doesNotMatch(canonicalJson({ ...facts.form }), /CANARY|7359/)
  assert.equal(factsDigest(facts), factsDigest(factsOf()))
  assert.doesNotMatch(readPdf((await signPdf(facts, signer)).pdf).join('\n'), /CANARY|7359/)
})

test('the same facts give the same bytes, regardless of what was rendered before', async () => {
  const first = await signPdf(factsOf(), signer)
  await signPdf(factsOf({ order: { ...order, billing_name: 'Ünsal Çağlar', company: 'Ξένια Ώρα' } }), signer)
  const second = await signPdf(factsOf(), { key_id: null, person_id: null, ip: null, user_agent: null })
  assert.deepEqual(second.pdf, first.pdf)
  assert.equal(second.evidence.pdf_sha256, first.evidence.pdf_sha256)
})

test('a thousand numbers are all printed, on several pages with page number and digest', async () => {
  const numbers = Array.from({ length: 1000 }, (_, i) => `+1206555${String(i).padStart(4, '0')}`)
  const { pdf, evidence } = await signPdf(factsOf({ order: { ...order, numbers } }), signer)
  const pages = readPdf(pdf)
  assert.ok(pages.length >= 4)
  for (const [i, page] of pages.entries())
    assert.ok(page.includes(evidence.facts_sha256) && page.includes(`page ${i + 1} of ${pages.length}`))
  const text = pages.join('\n')
  for (const n of numbers) assert.ok(text.includes(`206-555-${n.slice(-4)}`), n)
})

test('long words and names wrap without losing characters', async () => {
  const long = `${'Ährenfeld'.repeat(12)} and ${'Söhne '.repeat(20).trim()}`
  const { pdf } = await signPdf(factsOf({ order: { ...order, company: long } }), signer)
  assert.ok(readPdf(pdf).join('').replace(/\s/g, '').includes(long.replace(/\s/g, '')))
})

test('an LOA is authentic according to its evidence', async () => {
  const { pdf, evidence } = await signPdf(factsOf(), signer)
  assert.deepEqual(verify(pdf, evidence), { authentic: true })
  assert.equal(statedDigest(pdf), evidence.facts_sha256)
})

test('changing any byte of the LOA is detected', async () => {
  const { pdf, evidence } = await signPdf(factsOf(), signer)
  const step = 97
  for (let at = 0; at < pdf.length; at += step) {
    const changed = Uint8Array.from(pdf)
    changed[at] = (changed[at] ?? 0) ^ 1
    assert.equal(verify(changed, evidence).authentic, false, `byte ${at}`)
  }
  for (const changed of [pdf.slice(0, -1), Buffer.concat([pdf, Buffer.from('\n')]), new Uint8Array(0)]) {
    const result = verify(changed, evidence)
    assert.ok(!result.authentic && result.error === 'loa_changed')
  }
})

test('the LOA of another order is distinguished from a changed one', async () => {
  const { evidence } = await signPdf(factsOf(), signer)
  const other = await signPdf(factsOf({ port_order_id: '2000' }), signer)
  const result = verify(other.pdf, evidence)
  assert.ok(!result.authentic && result.error === 'other_loa')
  assert.ok(result.reason.includes(other.evidence.facts_sha256))
})

test('changing any field of the evidence is detected', async () => {
  const { pdf, evidence } = await signPdf(factsOf(), signer)
  const other = await signPdf(factsOf({ port_order_id: '2000' }), signer)
  const facts = factsOf({ signature: { name: 'Someone Else', title: 'Owner' } })
  const swapped = [
    { ...evidence, facts },
    { ...evidence, facts_sha256: '0'.repeat(64) },
    { ...other.evidence, pdf_sha256: evidence.pdf_sha256 },
    { ...evidence, facts: { ...evidence.facts, agreement: { version: '1' as const, text: 'I agree to anything.' } } },
  ]
  for (const changed of swapped) {
    const result = verify(pdf, changed)
    assert.ok(!result.authentic && result.error === 'evidence_changed')
  }
})

const texts: [text: string, cannot: string[]][] = [
  ['Łukasz Żółć', []],
  ['Zoë Núñez', []],
  ["Seán O'Brien-Þórsson", []],
  ['Дмитрий', []],
  ['Ξένια', []],
  ['Trần Thị Bưởi', []],
  ['ᓄᓇᕗᑦ', []],
  ['Müller & Söhne № 5 “GmbH”', []],
  ['王小明', ['王', '小', '明']],
  ['Ann 🙂', ['🙂']],
  ['עברית', ['ע', 'ב', 'ר', 'י', 'ת']],
  ['a\tb', ['\t']],
  ['a\u202Eb', ['\u202E']],
]
for (const [text, cannot] of texts)
  test(`${JSON.stringify(text)} ${cannot.length === 0 ? 'prints' : 'does not print'}`, () =>
    assert.deepEqual(unprintable(text), cannot))

test('characters that cannot be printed are refused before the LOA is rendered, with every such field', async () => {
  const facts = factsOf({
    order: { ...order, company: '王小明', city: 'Ann\tArbor' },
    signature: { name: '明', title: 'Owner' },
  })
  assert.deepEqual(unprintableFields(facts), {
    company: ['The LOA cannot print 王 小 明. Use Latin letters.'],
    city: ['The LOA cannot print U+0009. Use Latin letters.'],
    signature_name: ['The LOA cannot print 明. Use Latin letters.'],
  })
  await assert.rejects(signPdf(facts, signer), RangeError)
})

const days = (n: number) => new Date(signing.signed_at.getTime() + n * 24 * 60 * 60 * 1000)
test('an LOA is fresh for 25 days, aging until day 30, and then stale', () => {
  const ages = [0, 25, 26, 30, 31].map((n) => loaStatus(factsOf(), order, days(n)).age)
  assert.deepEqual(ages, ['fresh', 'fresh', 'aging', 'aging', 'stale'])
})

test('the fields of an order that differ from its LOA are listed', () => {
  assert.deepEqual(loaStatus(factsOf(), order, days(1)).changed, [])
  assert.deepEqual(
    loaStatus(factsOf(), { ...order, numbers: order.numbers.toReversed(), street2: '' }, days(1)).changed,
    [],
  )
  assert.deepEqual(loaStatus(factsOf(), { ...order, zip: '98104', numbers: ['+12065550100'] }, days(1)).changed, [
    'numbers',
    'zip',
  ])
})
