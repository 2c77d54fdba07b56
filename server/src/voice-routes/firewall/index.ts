/** An edge strategy's addresses: parsed as the operator wrote them, returned as exact CIDR sets. Pure. */
export { cidrSets } from './cidr.ts'
export { parseFirewallRules, type AddressRange } from './parse.ts'
export { iptablesText, nftablesText } from './render.ts'
