/** Lengths of passwords. The longest is far more than anybody types: what is hashed has a limit. */
export const passwordLength = { min: 12, max: 200 } as const

const least = `at least ${passwordLength.min} characters. A few words in a row are easy to keep in mind.`

/** What a password that somebody chooses needs. */
export const passwordHint = `A password has ${least}`

/** What a password that is too short is refused with. */
export const passwordTooShort = `Must have ${least}`
