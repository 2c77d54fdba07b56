import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Failure, usage } from './failure.ts'
import type { Io } from './io.ts'
import { keyringOf } from './keyring.ts'

/** Finds the service and key for a command in the environment, the keyring, or the profile file. */

export interface Credentials {
  access_key: string
  secret_key: string
}

/** A profile in the file. `secret_key` is absent if it is in the keyring. */
export interface Profile {
  url: string
  access_key?: string
  secret_key?: string
}

export interface ProfileFile {
  current: string
  profiles: Readonly<Record<string, Profile>>
}

export interface Connection {
  url: string
  credentials: Credentials | null
  /** `environment`, or the name of the profile. */
  profile: string
  /** Where the secret is stored. */
  source: 'environment' | 'keyring' | 'file' | 'none'
}

export const default_url = 'http://127.0.0.1:8911'

/** The settings folder: `$XDG_CONFIG_HOME/demarc` or `~/.config/demarc`. */
export const settingsFolder = (io: Io): string =>
  path.join(io.env['XDG_CONFIG_HOME'] || path.join(io.home, '.config'), 'demarc')

export const profileFile = (io: Io): string => path.join(settingsFolder(io), 'profiles.json')

/**
 * The service and the key to use. `--profile` overrides the environment, which overrides the current profile. URL and key
 * always come from the same source, so a key is never sent to another key's service.
 */
export async function resolveConnection(io: Io, chosen: string | undefined): Promise<Connection> {
  const { DEMARC_URL: url, DEMARC_ACCESS_KEY: access_key, DEMARC_SECRET_KEY: secret_key } = io.env
  if (chosen === undefined && (url || access_key || secret_key)) {
    const missing = Object.entries({ DEMARC_URL: url, DEMARC_ACCESS_KEY: access_key, DEMARC_SECRET_KEY: secret_key })
      .filter(([, value]) => !value)
      .map(([name]) => name)
    if (url && access_key && secret_key)
      return {
        url: validUrl(url),
        credentials: { access_key, secret_key },
        profile: 'environment',
        source: 'environment',
      }
    if (url && !access_key && !secret_key)
      return { url: validUrl(url), credentials: null, profile: 'environment', source: 'none' }
    throw settingsFailure(
      `Some settings are missing from the environment: ${missing.join(', ')}.`,
      'Set all three, or none to use a profile. URL and key must come from the same place.',
    )
  }
  return profileConnection(io, chosen ?? io.env['DEMARC_PROFILE'])
}

async function profileConnection(io: Io, chosen: string | undefined): Promise<Connection> {
  const file = await readProfiles(io)
  const name = chosen ?? file.current
  const profile = file.profiles[name]
  if (!profile) {
    if (chosen === undefined) return { url: default_url, credentials: null, profile: name, source: 'none' }
    throw unknownProfile(name, file.profiles)
  }
  const { url, access_key, secret_key } = profile
  if (access_key === undefined) return { url, credentials: null, profile: name, source: 'none' }
  if (secret_key !== undefined) return { url, credentials: { access_key, secret_key }, profile: name, source: 'file' }
  const secret = await keyringOf(io)?.read(access_key)
  if (!secret)
    throw settingsFailure(
      `The keyring has no secret for ${access_key} of profile ${name}.`,
      `Unlock the keyring, or sign in again: demarc login --profile ${name}`,
    )
  return { url, credentials: { access_key, secret_key: secret }, profile: name, source: 'keyring' }
}

export function unknownProfile(name: string, profiles: ProfileFile['profiles']): Failure {
  const known = Object.keys(profiles).join(', ')
  return settingsFailure(
    `Profile ${name} does not exist.`,
    known === ''
      ? 'To create a profile, run `demarc login`.'
      : `Profiles: ${known}. To create this one, run \`demarc login --profile ${name}\`.`,
  )
}

/** Reads the profiles. Rejects a file that others can read, because it contains secrets. */
export async function readProfiles(io: Io): Promise<ProfileFile> {
  const file = profileFile(io)
  const found = await stat(file).catch(absent)
  if (found === null) return { current: 'default', profiles: {} }
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0)
    throw settingsFailure(`${file} contains secrets and can be read by other users.`, `chmod 600 ${file}`)
  const text = await readFile(file, 'utf8')
  try {
    const { current, profiles }: Partial<ProfileFile> = JSON.parse(text)
    return { current: current ?? 'default', profiles: profiles ?? {} }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw settingsFailure(`${file} is not JSON: ${error.message}`, 'Fix it, or remove it and sign in again.')
  }
}

/** Replaces the profiles atomically. Only the user can read the file at any time. */
export async function writeProfiles(io: Io, profiles: ProfileFile): Promise<void> {
  const file = profileFile(io)
  try {
    await mkdir(settingsFolder(io), { recursive: true, mode: 0o700 })
    const draft = `${file}.${process.pid}`
    await writeFile(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 })
    await chmod(draft, 0o600)
    await rename(draft, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    throw new Failure({
      exit: 'general',
      status: 'settings',
      lines: [{ field: null, message: `The settings could not be written: ${error.message}.` }],
      remedy: 'Use a writable home folder, XDG_CONFIG_HOME, or DEMARC_URL, DEMARC_ACCESS_KEY, and DEMARC_SECRET_KEY.',
      cause: error,
    })
  }
}

/** The URL without a trailing slash. Rejects URLs other than HTTP. */
export function validUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.search === '')
    return text.replace(/\/+$/, '').replace(/\/v2$/, '')
  throw usage('url', `Must be a URL such as https://api.example.com, not ${text}.`)
}

const settingsFailure = (message: string, remedy: string): Failure =>
  new Failure({ exit: 'sign_in', status: 'settings', lines: [{ field: null, message }], remedy })

/** Returns null if the file does not exist, and throws other errors. */
export function absent(error: unknown): null {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null
  throw error
}
