/** Password lengths. The maximum bounds the cost of hashing. */
export const passwordLength = { min: 12, max: 200 } as const

const least = `at least ${passwordLength.min} characters. A few words in a row are easy to remember.`

/** The hint next to a new password field. */
export const passwordHint = `A password has ${least}`

/** The error for a password that is too short. */
export const passwordTooShort = `Must have ${least}`
