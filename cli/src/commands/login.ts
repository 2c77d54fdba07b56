import { readFile } from 'node:fs/promises'
import { createDemarcClient } from '@demarc/client/light'
import type { Context } from '../context.ts'
import { usage } from '../failure.ts'
import type { Input } from '../input.ts'
import { isInteractive, readText } from '../io.ts'
import { keyringOf } from '../keyring.ts'
import { ask } from '../prompt.ts'
import { default_url, readProfiles, validUrl, writeProfiles, type Credentials, type Profile } from '../settings.ts'
import { isObject } from '../item.ts'
import type { Verb } from '../verb.ts'

interface SignIn {
  url: string
  credentials: Credentials
}

export const login: Verb = {
  name: 'login',
  summary: 'Save a key for later commands',
  description:
    'Prompts for missing values. The key is tested, then saved in the desktop keyring if there is one, or else in a file that only you can read. Type the secret or send it on standard input; it is not an option because process lists and shell history would show it.',
  options: [
    { name: 'url', value: 'url', summary: 'The service, such as https://api.example.com' },
    { name: 'access-key', value: 'key', summary: 'The access key, ak… or ok…' },
    { name: 'secret-stdin', summary: 'Read the secret key from standard input' },
    { name: 'demo', value: 'file', summary: 'Read the URL and keys from the demo.json of a demo service' },
  ],
  examples: [
    'login --url https://api.example.com',
    'login --demo data/demo.json',
    'login --profile night --access-key akM5PI9iVujLe0VLmr --secret-stdin < secret.txt',
  ],
  async run(context, input) {
    const demo = input.text('demo')
    if (demo !== undefined) return loginToDemo(context, demo)
    const { current } = await readProfiles(context.io)
    const name = context.chosen_profile ?? current
    const found = await askedFor(context, input)
    const actor = await whoseKey(context, found)
    const kept = await keep(context, name, found)
    await context.output.done(`Signed in as ${actor}; profile ${name}, secret in the ${kept}.`, {
      profile: name,
      url: found.url,
      access_key: found.credentials.access_key,
      key_source: kept,
    })
  },
}

async function askedFor({ io }: Context, input: Input): Promise<SignIn> {
  const env = (name: string) => io.env[name] || undefined
  let url = input.text('url') ?? env('DEMARC_URL')
  if (url === undefined) url = isInteractive(io) ? await ask(io, `URL of the service [${default_url}]`, '') : ''
  const access_key =
    input.text('access-key') ?? env('DEMARC_ACCESS_KEY') ?? (await ask(io, 'Access key', 'Use --access-key.'))
  const secret_key = input.flag('secret-stdin')
    ? (await readText(io, '-')).trim()
    : (env('DEMARC_SECRET_KEY') ?? (await ask(io, 'Secret key', 'Use --secret-stdin and pipe in the secret.', true)))
  if (access_key === '' || secret_key === '')
    throw usage(access_key ? 'secret-key' : 'access-key', 'Must not be empty.')
  return { url: validUrl(url === '' ? default_url : url), credentials: { access_key, secret_key } }
}

/** Tries the key before it is saved. */
async function whoseKey({ signal }: Context, { url, credentials }: SignIn): Promise<string> {
  const client = createDemarcClient({ base_url: url, credentials })
  const { kind, account_id } = (await client.whoami({}, { signal })).body.data
  return kind === 'operator' ? 'operator' : `account ${account_id}`
}

/** Saves the key under the profile's name and makes that profile current. Returns where the secret is. */
async function keep({ io }: Context, name: string, { url, credentials }: SignIn): Promise<'keyring' | 'file'> {
  const { profiles } = await readProfiles(io)
  const { access_key, secret_key } = credentials
  const in_keyring = (await keyringOf(io)?.store(access_key, secret_key)) === true
  const profile: Profile = in_keyring ? { url, access_key } : { url, access_key, secret_key }
  await writeProfiles(io, { current: name, profiles: { ...profiles, [name]: profile } })
  return in_keyring ? 'keyring' : 'file'
}

const demoProfiles = { account: 'demo', other_account: 'demo-other', operator: 'demo-operator' } as const

/** One profile for each key of a service in demo mode. The customer's becomes current. */
async function loginToDemo(context: Context, file: string): Promise<void> {
  const demo: unknown = JSON.parse(await readFile(file, 'utf8'))
  const base_url = isObject(demo) ? demo['base_url'] : undefined
  if (!isObject(demo) || typeof base_url !== 'string') throw usage('--demo', `${file} is not a demo.json file.`)
  const kept: string[] = []
  for (const [member, name] of Object.entries(demoProfiles).toReversed()) {
    const key = demo[member]
    if (!isObject(key)) throw usage('--demo', `${file} has no ${member}.`)
    const credentials = { access_key: String(key['access_key']), secret_key: String(key['secret_key']) }
    await whoseKey(context, { url: base_url, credentials })
    await keep(context, name, { url: validUrl(base_url), credentials })
    kept.unshift(name)
  }
  await context.output.done(`Saved profiles ${kept.join(', ')}. The current profile is ${kept[0]}.`, {
    profile: kept[0],
    profiles: kept,
    url: base_url,
  })
}
