import type { StreetPlace } from './street.ts'
import { words } from './text.ts'

const NUMBER = String.raw`#? ?\d+[A-Z]?`
const BOX = String.raw`(?: BOX #? ?[A-Z0-9]+)?`

/** Patterns of mail-only addresses, in US and Canadian spelling, matched against whole words. */
const MAILBOXES: [RegExp, string][] = [
  [/(?:^| )P ?O ?B(?:OX(?:ES)?)?(?: |$)/, 'a post office box'],
  [/(?:^| )P ?O (?:DRAWER|BX|BOX\d)/, 'a post office box'],
  [/(?:^| )POBOX ?\d/, 'a post office box'],
  [/(?:^| )POST(?:AL)? (?:OFFICE )?BOX(?: |$)/, 'a post office box'],
  [/^(?:LOCK ?BOX|BOX|DRAWER|BAG|CALLER)(?: #)? ?(?:\d+[A-Z]?|[A-Z])$/, 'a post office box'],
  [/(?:^| )(?:CASE|BOITE) POSTALE?(?: |$)/, 'a post office box'],
  [/(?:^| )GEN(?:ERAL)? ?DEL(?:IVERY)?(?: |$)/, 'general delivery'],
  [/(?:^| )(?:POSTE RESTANTE|LIVRAISON GENERALE)(?: |$)/, 'general delivery'],
  [new RegExp(`^(?:RURAL|RUR) (?:ROUTE|RTE|RT|RR) ?${NUMBER}`), 'a rural route'],
  [new RegExp(`^(?:R ?F ?D|R ?D(?= #? ?\\d+ BOX)|ROUTE RURALE) ?${NUMBER}`), 'a rural route'],
  [
    new RegExp(`^(?:HC|HCR|HIGHWAY CONTRACT|HIGHWAY CONTRACT ROUTE|H C) ?(?:ROUTE |RTE )?${NUMBER}${BOX}`),
    'a highway contract route',
  ],
  [new RegExp(`^STAR (?:ROUTE|RTE|RT) ?${NUMBER}${BOX}`), 'a star route'],
  [/^STAR (?:ROUTE|RTE|RT)(?: BOX.*)?$/, 'a star route'],
  [new RegExp(`(?:^| )(?:PMB|PRIVATE MAIL ?BOX) ?${NUMBER}`), 'a private mailbox'],
  [new RegExp(`^(?:PSC|CMR) ?${NUMBER}`), 'a military mailbox'],
  [new RegExp(`^UNIT ?${NUMBER} BOX `), 'a military mailbox'],
]
const CANADIAN: [RegExp, string][] = [
  [new RegExp(`^(?:C ?P|SITE) ?${NUMBER}`), 'a post office box'],
  [/^CP\d/, 'a post office box'],
]
const RURAL_ROUTE = /^R ?R ?(?:#? ?)(\d+)[A-Z]?(?: (.*))?$/

/**
 * The kind of mailbox in the text of a street; undefined for a street. A registered location must be where the caller can be
 * found (47 CFR 9.11), and a mailbox isn't.
 */
export function mailbox(text: string, place: StreetPlace): string | undefined {
  const plain = words(text).join(' ').replaceAll("'", '')
  const all = place.country === 'CA' ? [...MAILBOXES, ...CANADIAN] : MAILBOXES
  const found = all.find(([pattern]) => pattern.test(plain))
  if (found) return found[1]
  const rural = RURAL_ROUTE.exec(plain)
  return rural && !isRoad(Number(rural[1]), rural[2] ?? '', place) ? 'a rural route' : undefined
}

/** RR is also a ranch road in Texas and a range road in Alberta. A box, or in Alberta a number below ten, means a mail route. */
function isRoad(n: number, rest: string, place: StreetPlace): boolean {
  if (/\b(?:BOX|SITE|STN|COMP)\b/.test(rest)) return false
  return (place.country === 'US' && place.state === 'TX') || (place.country === 'CA' && place.state === 'AB' && n >= 10)
}
