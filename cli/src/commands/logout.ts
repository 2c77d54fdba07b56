import { keyringOf } from '../keyring.ts'
import { readProfiles, unknownProfile, writeProfiles } from '../settings.ts'
import type { Verb } from '../verb.ts'

export const logout: Verb = {
  name: 'logout',
  summary: 'Remove the key of a profile',
  description:
    'Of the current profile, or of the one that --profile names. The key itself stays valid: `key revoke` ends it.',
  examples: ['logout', 'logout --profile night'],
  async run({ io, output, chosen_profile }) {
    const { current, profiles } = await readProfiles(io)
    const name = chosen_profile ?? current
    const { [name]: removed, ...rest } = profiles
    if (!removed) throw unknownProfile(name, profiles)
    if (removed.access_key !== undefined && removed.secret_key === undefined)
      await keyringOf(io)?.remove(removed.access_key)
    // no other profile takes its place unasked: commands would go to another service or account
    const next = name === current ? 'default' : current
    await writeProfiles(io, { current: next, profiles: rest })
    const others = Object.keys(rest).join(', ')
    const remark = name === current && others !== '' ? ` No profile is current; there are: ${others}.` : ''
    await output.done(`Signed out of profile ${name}.${remark}`, { profile: name, current: next })
  },
}
