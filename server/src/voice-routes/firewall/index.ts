/** An edge strategy's addresses: read as the operator wrote them, given as exact sets. Pure. */
export { cidrSets } from './cidr.ts'
export { parseFirewallRules, type AddressRange } from './parse.ts'
export { iptablesText, nftablesText } from './render.ts'
