/** Features of the API description, named as in the portal. */
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

/** In display order: what customers do comes first. */
export const featureNames: readonly (readonly [feature: string, name: string])[] = Object.entries(names)

/** Who may send a request, by the operation's sign-in methods. */
export function signedInText(by: readonly string[]): string {
  if (by.includes('key')) return by.includes('session') ? 'An access key or a person’s session' : 'An access key'
  return by.includes('session') ? 'A person’s session only' : 'Anyone'
}
