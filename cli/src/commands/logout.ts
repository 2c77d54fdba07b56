import { keyringOf } from '../keyring.ts'
import { readProfiles, unknownProfile, writeProfiles } from '../settings.ts'
import type { Verb } from '../verb.ts'

export const logout: Verb = {
  name: 'logout',
  summary: 'Remove a profile’s key',
  description:
    'Uses the current profile, or the one in --profile. The key stays valid; to revoke it, use `key revoke`.',
  examples: ['logout', 'logout --profile night'],
  async run({ io, output, chosen_profile }) {
    const { current, profiles } = await readProfiles(io)
    const name = chosen_profile ?? current
    const { [name]: removed, ...rest } = profiles
    if (!removed) throw unknownProfile(name, profiles)
    if (removed.access_key !== undefined && removed.secret_key === undefined)
      await keyringOf(io)?.remove(removed.access_key)
    // does not select another profile, because commands would then go to a different service or account
    const next = name === current ? 'default' : current
    await writeProfiles(io, { current: next, profiles: rest })
    const others = Object.keys(rest).join(', ')
    const remark = name === current && others !== '' ? ` No profile is current. Other profiles: ${others}.` : ''
    await output.done(`Signed out of profile ${name}.${remark}`, { profile: name, current: next })
  },
}
