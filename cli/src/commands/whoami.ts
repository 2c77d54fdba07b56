import type { Verb } from '../verb.ts'

export const whoami: Verb = {
  name: 'whoami',
  summary: 'Show whose key is in use',
  description: 'Also says which profile it came from, and which service it is for.',
  operations: ['whoami'],
  examples: ['whoami', 'whoami --json'],
  async run({ client, connection, output }) {
    const { data } = (await (await client()).whoami()).body
    const { url, profile, source } = await connection()
    await output.item({ ...data, url, profile, key_source: source })
  },
}
