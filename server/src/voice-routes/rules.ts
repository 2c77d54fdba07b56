import { isIPv4, isIPv6 } from 'node:net'
import { parseFirewallRules } from './firewall/index.ts'
import type { VoiceRouteType } from './tables.ts'

/** ID of every account's default voice route. */
export const defaultVoiceRouteId = '0'

/** Voice route types whose value the customer sets. */
export type SettableVoiceRouteType = Exclude<VoiceRouteType, 'sip-reg'>

const values = {
  host: {
    fits: isHostWithParameters,
    message:
      'Must be a host name or IP address with an optional port and parameters, such as pbx.example:5060, [2001:db8::1]:5060 or pbx.example;transport=tls.',
  },
  number: {
    fits: (value: string) => /^\+?1[2-9]\d{9}$/.test(value),
    message: 'Must be a number of 11 digits that begins with 1, such as 12065550100.',
  },
  uri: { fits: isSipUri, message: 'Must be a SIP URI without a password, such as sip:desk@pbx.example:5060.' },
} as const satisfies Record<SettableVoiceRouteType, { fits: (value: string) => boolean; message: string }>

/** Validates a value for a voice route type. Returns error messages; empty when valid. */
export function voiceRouteValueErrors(type: SettableVoiceRouteType, value: string): string[] {
  return values[type].fits(value) ? [] : [values[type].message]
}

/**
 * Validates type and value of a voice route other than the default one. Returns errors by field, with empty lists for valid
 * ones. An undefined one is refused elsewhere.
 */
export function voiceRouteErrors(route_type: VoiceRouteType | undefined, value: string | null | undefined) {
  const wrongType = route_type === 'sip-reg'
  const checkable = route_type !== undefined && !wrongType && typeof value === 'string'
  return {
    route_type: wrongType
      ? [`Must be one of: ${Object.keys(values).join(', ')}. Only the default route is sip-reg.`]
      : [],
    value: value === null ? ['Must be text.'] : checkable ? voiceRouteValueErrors(route_type, value) : [],
  }
}

/** The form that is stored: numbers without their +, everything else as written. */
export const storedVoiceRouteValue = (type: SettableVoiceRouteType, value: string): string =>
  type === 'number' ? value.replace('+', '') : value

/** Validates the fields of an edge strategy that are present. Returns errors by field, with empty lists for valid ones. */
export function edgeStrategyErrors({
  firewall_rules,
  naptr,
}: {
  firewall_rules?: string | undefined
  naptr?: string | undefined
}): Record<string, string[]> {
  return {
    firewall_rules: firewall_rules === undefined ? [] : firewallRuleErrors(firewall_rules),
    naptr: naptr === undefined || isHostName(naptr) ? [] : ['Must be a host name, such as us-west.sip.example.'],
  }
}

/** Errors beyond this count are counted, not listed. */
const namedErrors_max = 20

function firewallRuleErrors(text: string): string[] {
  const { ranges, errors } = parseFirewallRules(text)
  if (ranges.length + errors.length === 0) return ['Must have at least one address, CIDR block, or range.']
  const named = errors.slice(0, namedErrors_max).map(({ text, reason }) => `"${text.slice(0, 80)}" ${reason}`)
  const more = errors.length - named.length
  return more > 0 ? [...named, `${more} more are invalid.`] : named
}

function isHostWithParameters(text: string): boolean {
  const [, host = '', parameters = ''] = /^([^;]*)(.*)$/s.exec(text) ?? []
  return isHostAndPort(host) && isParameters(parameters)
}

/** `;transport=tls;weight=20`: uri-parameters of RFC 3261, section 25.1. */
const isParameters = (text: string) =>
  /^(?:;(?:[a-z0-9\-_.!~*'()[\]/:&+$]|%[0-9a-f]{2})+(?:=(?:[a-z0-9\-_.!~*'()[\]/:&+$]|%[0-9a-f]{2})+)?)*$/i.test(text)

function isHostAndPort(text: string): boolean {
  const [, host = '', port] = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d*))?$/.exec(text) ?? []
  return isHost(host) && (port === undefined || isPort(port))
}

/** IPv6 must be in brackets: without them its end cannot be told from a port. */
function isHost(text: string): boolean {
  if (text.startsWith('[')) return !text.includes('%') && isIPv6(text.slice(1, -1))
  return isIPv4(text) || isHostName(text)
}

const isPort = (text: string) => /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535

/** RFC 1123, section 2.1. A last label of only digits would be a mistyped IPv4 address. */
function isHostName(text: string): boolean {
  const labels = text.split('.')
  return (
    text.length <= 253 &&
    labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '')
  )
}

/**
 * `sip:` or `sips:`, a user, a host with an optional port, and parameters (RFC 3261, section 19.1). The RFC deprecates
 * passwords in URIs, and responses here would show them; headers belong to a clickable link, not a voice route.
 */
function isSipUri(text: string): boolean {
  const [, user, host = '', parameters = ''] = /^sips?:(?:([^@]*)@)?([^@;?]*)((?:;[^?]*)?)$/i.exec(text) ?? []
  const userFits = user === undefined || /^(?:[a-z0-9\-_.!~*'()&=+$,;?/]|%[0-9a-f]{2})+$/i.test(user)
  return userFits && isHostAndPort(host) && isParameters(parameters)
}
