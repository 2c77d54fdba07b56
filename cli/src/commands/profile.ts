import { readProfiles, unknownProfile, writeProfiles } from '../settings.ts'
import type { Noun, Verb } from '../verb.ts'

/** Profiles: saved services and keys, under a name. */

const list: Verb = {
  name: 'list',
  summary: 'List the profiles',
  description: 'Secrets are not shown.',
  examples: ['profile list'],
  async run({ io, output }) {
    const { current, profiles } = await readProfiles(io)
    await output.list(
      Object.entries(profiles).map(([name, { url, access_key, secret_key }]) => ({
        name,
        current: name === current,
        url,
        access_key: access_key ?? null,
        key_source: access_key === undefined ? 'none' : secret_key === undefined ? 'keyring' : 'file',
      })),
    )
  },
}

const use: Verb = {
  name: 'use',
  summary: 'Use a profile for later commands',
  arguments: [
    {
      name: 'name',
      summary: 'Name of the profile',
      complete: async ({ io }) =>
        Object.entries((await readProfiles(io)).profiles).map(([value, { url }]) => ({ value, summary: url })),
    },
  ],
  examples: ['profile use demo-operator'],
  async run({ io, output }, input) {
    const { profiles } = await readProfiles(io)
    const name = input.argument('name')
    const profile = profiles[name]
    if (!profile) throw unknownProfile(name, profiles)
    await writeProfiles(io, { current: name, profiles })
    await output.done(`The current profile is ${name}: ${profile.url}.`, { profile: name, url: profile.url })
  },
}

export const profile: Noun = { name: 'profile', summary: 'Profiles: saved services and keys', verbs: [list, use] }
