/** The features of the description, as the pages of the portal name them. */
const names: Readonly<Record<string, string>> = {
  numbers: 'Numbers',
  routes: 'Voice routes and edge strategies',
  cnams: 'Caller ID',
  e911s: 'E911',
  portorders: 'Port orders',
  cdrs: 'Call records',
  notifications: 'Webhooks',
  accounts: 'Accounts and keys',
  people: 'People',
  health: 'Health',
}

/** In the order in which they are listed: what account holders do comes first. */
export const featureNames: readonly (readonly [feature: string, name: string])[] = Object.entries(names)

/** Who may send a request, by what the description says of its sign-in. */
export function signedInText(by: readonly string[]): string {
  if (by.includes('key')) return by.includes('session') ? 'An access key, or the session of a person' : 'An access key'
  return by.includes('session') ? 'The session of a person; access keys are refused' : 'Anybody'
}
