/** An edge strategy's addresses: parses the operator's text and returns exact CIDR sets. Pure. */
export { cidrSets } from './cidr.ts'
export { parseFirewallRules, type AddressRange } from './parse.ts'
export { iptablesText, nftablesText } from './render.ts'
