/**
 * Checks whether the embedded engine can run on this machine. Loading it on an unsupported machine kills the process without an
 * error message.
 */

import { readFileSync } from 'node:fs'

export type Host = {
  platform: string
  arch: string
  /** Runtime version of glibc; undefined on musl and elsewhere. */
  glibc: string | undefined
  /** Flags of the first processor in /proc/cpuinfo; undefined if that file does not exist. */
  cpu_flags: ReadonlySet<string> | undefined
}

const REMEDY =
  'Set CLICKHOUSE_URL to a ClickHouse server, or run on Linux with glibc (an x86-64 processor from 2013 or later, or arm64) or macOS.'

/**
 * Returns why the embedded engine cannot run on `host`, with the remedy, or undefined if it can. chDB has builds for glibc and
 * macOS, x86-64-v3 and arm64.
 */
export function unsupportedReason(host: Host): string | undefined {
  const { platform, arch, glibc, cpu_flags } = host
  if (!['linux', 'darwin'].includes(platform) || !['x64', 'arm64'].includes(arch)) {
    return `The embedded call-record engine has no build for ${platform} on ${arch}. ${REMEDY}`
  }
  if (platform === 'linux' && glibc === undefined) {
    return `The embedded call-record engine needs glibc, but this system (maybe Alpine) does not have it. ${REMEDY}`
  }
  if (platform === 'linux' && arch === 'x64' && cpu_flags !== undefined && !cpu_flags.has('avx2')) {
    return `The embedded call-record engine needs a processor with AVX2. This processor lacks it, or the virtual machine hides it. ${REMEDY}`
  }
  return undefined
}

export function readHost(): Host {
  const linux = process.platform === 'linux'
  return {
    platform: process.platform,
    arch: process.arch,
    glibc: linux ? glibcVersion() : undefined,
    cpu_flags: linux ? cpuFlags() : undefined,
  }
}

/**
 * Only Node's diagnostic report has the libc version. Without `excludeNetwork`, it would resolve the hostnames of open
 * connections.
 */
function glibcVersion(): string | undefined {
  // Node 22 has `excludeNetwork`, but its types do not.
  Reflect.set(process.report, 'excludeNetwork', true)
  const report: unknown = process.report.getReport()
  Reflect.set(process.report, 'excludeNetwork', false)
  if (typeof report !== 'object' || report === null || !('header' in report)) return undefined
  const { header } = report
  if (typeof header !== 'object' || header === null || !('glibcVersionRuntime' in header)) return undefined
  return typeof header.glibcVersionRuntime === 'string' ? header.glibcVersionRuntime : undefined
}

function cpuFlags(): ReadonlySet<string> | undefined {
  let text: string
  try {
    text = readFileSync('/proc/cpuinfo', 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EACCES'))
      return undefined
    throw error
  }
  const line = /^flags\s*:\s*(.*)$/m.exec(text)
  return line?.[1] === undefined ? undefined : new Set(line[1].split(' '))
}
