import { isIPv4, isIPv6 } from 'node:net'
import { parseFirewallRules } from './firewall/index.ts'
import type { VoiceRouteType } from './tables.ts'

/** Id of the default voice route of every account. */
export const defaultVoiceRouteId = '0'

/** Types of voice routes whose value the account holder sets. */
export type SettableVoiceRouteType = Exclude<VoiceRouteType, 'sip-reg'>

const values = {
  host: {
    fits: isHostAndPort,
    message: 'Must be a host name or IP address with an optional port, such as pbx.example:5060 or [2001:db8::1]:5060.',
  },
  number: {
    fits: (value: string) => /^\+?1[2-9]\d{9}$/.test(value),
    message: 'Must be a number of 11 digits that begins with 1, such as 12065550100.',
  },
  uri: { fits: isSipUri, message: 'Must be a SIP URI without a password, such as sip:desk@pbx.example:5060.' },
} as const satisfies Record<SettableVoiceRouteType, { fits: (value: string) => boolean; message: string }>

/** Error messages of a value for a voice route of the type; empty when it fits. */
export function voiceRouteValueErrors(type: SettableVoiceRouteType, value: string): string[] {
  return values[type].fits(value) ? [] : [values[type].message]
}

/** Stored in this form: numbers without their +, everything else as written. */
export const storedVoiceRouteValue = (type: SettableVoiceRouteType, value: string): string =>
  type === 'number' ? value.replace('+', '') : value

/** Errors of an edge strategy, by field; empty lists where there are none. */
export function edgeStrategyErrors(edge: { firewall_rules: string; naptr: string }): Record<string, string[]> {
  return {
    firewall_rules: firewallRuleErrors(edge.firewall_rules),
    naptr: isHostName(edge.naptr) ? [] : ['Must be a host name, such as us-west.sip.example.'],
  }
}

/** Errors beyond this number are counted, not listed. */
const namedErrors_max = 20

function firewallRuleErrors(text: string): string[] {
  const { ranges, errors } = parseFirewallRules(text)
  if (ranges.length + errors.length === 0) return ['Must have at least one address, CIDR block or range.']
  const named = errors.slice(0, namedErrors_max).map(({ text, reason }) => `"${text.slice(0, 80)}" ${reason}`)
  const more = errors.length - named.length
  return more > 0 ? [...named, `${more} more are not understood.`] : named
}

function isHostAndPort(text: string): boolean {
  const [, host = '', port] = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d*))?$/.exec(text) ?? []
  return isHost(host) && (port === undefined || isPort(port))
}

/** IPv6 is written in brackets: without them its end cannot be distinguished from a port. */
function isHost(text: string): boolean {
  if (text.startsWith('[')) return !text.includes('%') && isIPv6(text.slice(1, -1))
  return isIPv4(text) || isHostName(text)
}

const isPort = (text: string) => /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535

/** RFC 1123, section 2.1. A last label of digits only would be a mistyped IPv4 address. */
function isHostName(text: string): boolean {
  const labels = text.split('.')
  return (
    text.length <= 253 &&
    labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '')
  )
}

/**
 * `sip:` or `sips:`, a user, a host with an optional port, and parameters (RFC 3261, section 19.1). A password in a URI is
 * deprecated there, and would be shown in every response here; headers belong to a dialled link, not to a voice route.
 */
function isSipUri(text: string): boolean {
  const [, user, host = '', parameters = ''] = /^sips?:(?:([^@]*)@)?([^@;?]*)((?:;[^?]*)?)$/i.exec(text) ?? []
  const userFits = user === undefined || /^(?:[a-z0-9\-_.!~*'()&=+$,;?/]|%[0-9a-f]{2})+$/i.test(user)
  return userFits && isHostAndPort(host) && /^(?:;(?:[a-z0-9\-_.!~*'()[\]/:&+$=]|%[0-9a-f]{2})+)*$/i.test(parameters)
}
