import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  edgeStrategyErrors,
  voiceRouteValueErrors,
  storedVoiceRouteValue,
  type SettableVoiceRouteType,
} from './rules.ts'

const long = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`

const fitting: Record<SettableVoiceRouteType, string[]> = {
  host: [
    'pbx.example',
    'pbx.example:5060',
    'PBX-1.Example:65535',
    'pbx',
    '1and1.example',
    '192.0.2.10',
    '192.0.2.10:5080',
    '[2001:db8::1]',
    '[2001:db8::1]:5060',
    long,
    'pbx.example;transport=tls',
    'pbx.example:5061;transport=tls;weight=70',
    '192.0.2.10;weight=30',
    '192.0.2.10:5080;transport=tcp',
    '[2001:db8::1];transport=UDP',
    '[2001:db8::1]:5060;maddr=[2001:db8::2];lr',
    'pbx.example;method=%49NVITE',
  ],
  number: ['12065550100', '+12065550100', '18005550100'],
  uri: [
    'sip:desk@pbx.example',
    'sip:desk@pbx.example:5060',
    'SIPS:desk@pbx.example;transport=tcp',
    'sip:+12065550100@192.0.2.10:5060;user=phone;lr',
    'sip:pbx.example',
    'sip:desk%20one@[2001:db8::1]:5060',
    'sip:a;b=c@pbx.example',
  ],
}

const unfitting: Record<SettableVoiceRouteType, string[]> = {
  host: [
    '',
    ' pbx.example',
    'pbx.example ',
    'pbx .example',
    'pbx..example',
    '.example',
    'example.',
    '-pbx.example',
    'pbx-.example',
    'pb_x.example',
    'pbx.example:',
    'pbx.example:0',
    'pbx.example:05060',
    'pbx.example:65536',
    'pbx.example:sip',
    'pbx.example:5060:1',
    '192.0.2.300',
    '192.0.2',
    '192.0.2.010',
    '2001:db8::1',
    '[2001:db8::1',
    '[2001:db8::1]5060',
    '[2001:db8::g]',
    '[fe80::1%eth0]',
    '[192.0.2.1]',
    '[]',
    'sip:pbx.example',
    'https://pbx.example',
    `${'a'.repeat(64)}.example`,
    `${long}d`,
    'pbx.example\n',
    'пбх.example',
    ';transport=tls',
    'pbx.example;',
    'pbx.example;;lr',
    'pbx.example;transport=',
    'pbx.example;=tls',
    'pbx.example;a=b=c',
    'pbx.example;transport=tls:5060 ',
    'pbx.example ;transport=tls',
    'pbx.example; transport=tls',
    'pbx.example;transport=tls\n',
    'pbx.example;transport=t%ls',
    'pbx.example;transport=tls?x=1',
    'pbx.example;name=ü',
    'pbx.example:;transport=tls',
    'desk@pbx.example;transport=tls',
  ],
  number: [
    '',
    '2065550100',
    '22065550100',
    '120655501000',
    '1206555010',
    '1 206 555 0100',
    '11065550100',
    '++12065550100',
    'pbx.example',
  ],
  uri: [
    '',
    'desk@pbx.example',
    'tel:+12065550100',
    'sip:',
    'sip:@pbx.example',
    'sip:desk:secret@pbx.example',
    'sip:desk@',
    'sip:desk@pbx.example?subject=x',
    'sip:desk@pbx.example;',
    'sip:desk@pbx.example;a b',
    'sip:desk@pbx.example;a=b=c',
    'sip:desk@pbx.example;=b',
    'sip:desk@pbx.example:99999',
    'sip:desk@2001:db8::1',
    'sip:d sk@pbx.example',
    'sip:desk%2@pbx.example',
    'sip://pbx.example',
    'sip:desk@pbx.example\n',
  ],
}

for (const type of ['host', 'number', 'uri'] as const) {
  test(`values that fit a voice route of type ${type} pass`, () => {
    for (const value of fitting[type]) assert.deepEqual(voiceRouteValueErrors(type, value), [], value)
  })
  test(`values that do not fit a voice route of type ${type} are refused with an example of one that does`, () => {
    for (const value of unfitting[type]) {
      const errors = voiceRouteValueErrors(type, value)
      assert.equal(errors.length, 1, JSON.stringify(value))
      assert.match(errors[0] ?? '', /such as/)
    }
  })
}

test('a number is stored without its +, other values as written', () => {
  assert.equal(storedVoiceRouteValue('number', '+12065550100'), '12065550100')
  assert.equal(storedVoiceRouteValue('uri', 'sip:+12065550100@pbx.example'), 'sip:+12065550100@pbx.example')
  assert.equal(storedVoiceRouteValue('host', 'PBX.Example'), 'PBX.Example')
})

test('every invalid entry of firewall rules is named', () => {
  const field_errors = edgeStrategyErrors({
    firewall_rules: '192.0.2.0/24, sip.example; 192.0.2.9-192.0.2.1',
    naptr: 'a_b',
  })
  assert.deepEqual(field_errors, {
    firewall_rules: [
      '"sip.example" is not an IP address, a CIDR block or a range.',
      '"192.0.2.9-192.0.2.1" is not a range: its end is before its beginning.',
    ],
    naptr: ['Must be a host name, such as us-west.sip.example.'],
  })
})

test('of many errors, the first are listed and the rest counted', () => {
  const { firewall_rules = [] } = edgeStrategyErrors({ firewall_rules: 'x '.repeat(1000), naptr: 'us.sip.example' })
  assert.equal(firewall_rules.length, 21)
  assert.equal(firewall_rules.at(-1), '980 more are invalid.')
})

test('firewall rules without any address are refused', () => {
  const { firewall_rules } = edgeStrategyErrors({ firewall_rules: ' ,;\n', naptr: 'us.sip.example' })
  assert.deepEqual(firewall_rules, ['Must have at least one address, CIDR block, or range.'])
})
