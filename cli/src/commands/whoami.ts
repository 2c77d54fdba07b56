import type { Verb } from '../verb.ts'

export const whoami: Verb = {
  name: 'whoami',
  summary: 'Show which key is in use',
  description: 'Also shows its profile and service.',
  operations: ['whoami'],
  examples: ['whoami', 'whoami --json'],
  async run({ client, connection, output }) {
    const { data } = (await (await client()).whoami()).body
    const { url, profile, source } = await connection()
    await output.item({ ...data, url, profile, key_source: source })
  },
}
