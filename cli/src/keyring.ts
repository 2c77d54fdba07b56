import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import type { Io } from './io.ts'

/** The desktop's keyring, through the desktop's own program: no native code is bundled (decision 0012). */
export interface Keyring {
  name: string
  read(access_key: string): Promise<string | null>
  /** False if the keyring is locked or has no session. */
  store(access_key: string, secret_key: string): Promise<boolean>
  remove(access_key: string): Promise<void>
}

const timeout_ms = 10_000

/** This machine's keyring; null if it has none. DEMARC_KEYRING=off uses the file instead. */
export function keyringOf(io: Io): Keyring | null {
  if (io.env['DEMARC_KEYRING'] === 'off') return null
  if (process.platform === 'darwin') return macKeychain(io)
  // the Secret Service uses the session bus; without one, secret-tool would hang
  return io.env['DBUS_SESSION_BUS_ADDRESS'] && isInstalled(io, 'secret-tool') ? secretService(io) : null
}

function isInstalled(io: Io, program: string): boolean {
  return (io.env['PATH'] ?? '').split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK)
      return true
    } catch (error) {
      if (error instanceof Error && 'code' in error) return false
      throw error
    }
  })
}

function execute(io: Io, program: string, args: readonly string[], stdin = ''): string | null {
  const { status, stdout } = spawnSync(program, args, {
    input: stdin,
    encoding: 'utf8',
    timeout: timeout_ms,
    env: { ...io.env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  return status === 0 ? stdout : null
}

/** GNOME Keyring, KWallet and others by the Secret Service. The secret goes by standard input, never as an argument. */
function secretService(io: Io): Keyring {
  const attributes = (access_key: string) => ['service', 'demarc', 'access_key', access_key]
  return {
    name: 'Secret Service',
    read: async (access_key) => execute(io, 'secret-tool', ['lookup', ...attributes(access_key)])?.trim() || null,
    store: async (access_key, secret_key) =>
      execute(io, 'secret-tool', ['store', `--label=Demarc ${access_key}`, ...attributes(access_key)], secret_key) !==
      null,
    remove: async (access_key) => {
      execute(io, 'secret-tool', ['clear', ...attributes(access_key)])
    },
  }
}

/** The keychain of macOS. `security -i` reads the command from standard input, so that no process list shows the secret. */
function macKeychain(io: Io): Keyring {
  const item = (access_key: string) => ['-s', 'demarc', '-a', access_key]
  return {
    name: 'Keychain',
    read: async (access_key) =>
      execute(io, 'security', ['find-generic-password', ...item(access_key), '-w'])?.trim() || null,
    store: async (access_key, secret_key) =>
      /^[\w-]+$/.test(access_key + secret_key) &&
      execute(io, 'security', ['-i'], `add-generic-password -U -s demarc -a ${access_key} -w ${secret_key}\n`) !== null,
    remove: async (access_key) => {
      execute(io, 'security', ['delete-generic-password', ...item(access_key)])
    },
  }
}
