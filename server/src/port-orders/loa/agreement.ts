/**
 * The agreement of a Letter of Agency. A version that was signed is never edited: a new text gets a new version, because
 * verification compares with the old one. The points are those that 47 CFR 64.1130 requires of such a letter.
 */

export interface Parties {
  /** The losing carrier, as named on the order. */
  readonly losing_carrier: string
  /** The carrier that runs this service. */
  readonly gaining_carrier: string
}

const versions = {
  '1': ({ losing_carrier: from, gaining_carrier: to }: Parties) => [
    `I hold the account named in this letter, or the account holder has authorized me to change its telephone service. I am at least 18 years old.`,
    `I want the telephone numbers listed in this letter moved from ${from} to ${to}. I appoint ${to} as my agent to order the move and to do with ${from} whatever the move needs.`,
    `${from} may give ${to} the account and service records of these numbers, so far as the move needs them.`,
    `I understand that a number can be with one carrier only, that services of ${from} which depend on these numbers may end with the move, and that ${from} may charge for an agreement that ends early.`,
    `I keep the service of ${from} until the move is done.`,
    `I may withdraw this letter in writing until the numbers have moved. A fee may apply once the order has been sent.`,
    `My typed name has the same effect as my signature by hand, and a copy of this letter counts as much as the letter.`,
  ],
} as const satisfies Record<string, (parties: Parties) => readonly string[]>

export type AgreementVersion = keyof typeof versions

/** The version of new signings. */
export const currentAgreement: AgreementVersion = '1'

export const isAgreementVersion = (text: string): text is AgreementVersion => Object.hasOwn(versions, text)

/** The text of the LOA form: numbered paragraphs with a blank line between them. */
export function agreementText(version: AgreementVersion, parties: Parties): string {
  return versions[version](parties)
    .map((paragraph, i) => `${i + 1}. ${paragraph}`)
    .join('\n\n')
}
