import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import * as z from 'zod'
import manifest from '../../package.json' with { type: 'json' }
import { git, root, run } from './run.ts'
import { billOfMaterials } from './sbom.ts'

/**
 * Packs a release: the same commit gives the same bytes, with the same Node, npm, and tar. All times are the commit's.
 */

export const { version } = manifest

/** The files of the server's tarball, by their beginnings. */
const shipped =
  /^(\.npmrc|(CHANGELOG|LICENSE|NOTICE|README|SECURITY)(\.md)?|package\.json|openapi\.json|api\/(package\.json|src\/)|server\/(package\.json|src\/|migrations\/|seed\/)|portal\/(package\.json|build\.ts|source\.ts)|scripts\/(node$|e911-import\/)|deploy\/(kubernetes|monitoring|systemd)\/|docs\/)/
const not_shipped = /\.test\.(ts|yaml)$|\/testing\/|\/tsconfig[\w.]*\.json$/
/** The scripts of package.json that work with these files. */
const scripts = ['start', 'serve', 'seed', 'backup', 'restore', 'files', 'cdrs', 'e911:import'] as const

/** A package.json that is rewritten for the tarball. */
const package_json = z.looseObject({ scripts: z.record(z.string(), z.string()).optional() })

/** Packs the files of this checkout into the folder. Returns the lines of SHA256SUMS. */
export function packRelease(folder: string): string[] {
  const commit = git('rev-parse', 'HEAD')
  const epoch = git('log', '-1', '--format=%ct')
  const stage = mkdtempSync(path.join(os.tmpdir(), 'demarc-release-'))
  mkdirSync(folder, { recursive: true })
  try {
    const server = path.join(stage, `demarc-${version}`)
    stageServer(server, commit)
    const client = path.join(stage, 'client')
    run(process.execPath, [path.join(root, 'scripts/client-package.ts'), client])
    const cli = path.join(stage, 'cli')
    stageCommandLine(cli, commit)
    const names = [
      writeTarball(server, path.join(folder, `demarc-server-${version}.tar.gz`), epoch),
      npmPack(client, folder),
      npmPack(cli, folder),
      writeText(
        folder,
        `demarc-${version}.cdx.json`,
        billOfMaterials(path.join(server, 'package-lock.json'), new Date(Number(epoch) * 1000)),
      ),
    ]
    const sums = names.toSorted().map((name) => `${sha256(path.join(folder, name))}  ${name}`)
    writeText(folder, 'SHA256SUMS', `${sums.join('\n')}\n`)
    return sums
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

/** Writes the folder of the server's tarball: code, built portal, and a lock with only what the service needs to run. */
function stageServer(folder: string, commit: string): void {
  // also files that are not committed, for a snapshot
  const files = git('ls-files', '--cached', '--others', '--exclude-standard', '-z').split('\0')
  for (const file of files)
    if (shipped.test(file) && !not_shipped.test(file) && existsSync(path.join(root, file)))
      cpSync(path.join(root, file), path.join(folder, file))
  const portal = run(process.execPath, [path.join(root, 'portal/build.ts')]).trim()
  cpSync(portal.slice(portal.lastIndexOf('\n') + 1), path.join(folder, 'portal/dist/packed'), { recursive: true })
  rewrite(folder, ({ scripts: all = {}, ...rest }) => ({
    ...rest,
    devDependencies: undefined,
    workspaces: ['api', 'server'],
    scripts: Object.fromEntries(scripts.map((name) => [name, all[name]])),
  }))
  rewrite(path.join(folder, 'server'), (content) => ({ ...content, devDependencies: undefined }))
  rewrite(path.join(folder, 'portal'), ({ name, version, type }) => ({ name, version, private: true, type }))
  writeText(path.join(folder, 'server'), 'build.json', `${JSON.stringify({ commit })}\n`)
  cpSync(path.join(root, 'package-lock.json'), path.join(folder, 'package-lock.json'))
  // npm removes from the lock what the workspaces above don't need, and changes nothing else
  run('npm', ['install', '--package-lock-only', '--offline', '--ignore-scripts'], folder)
}

/** Writes the folder of the command line's tarball. */
function stageCommandLine(folder: string, commit: string): void {
  for (const file of ['package.json', 'README.md']) cpSync(path.join(root, 'cli', file), path.join(folder, file))
  run(process.execPath, [path.join(root, 'cli/bundle.ts'), path.join(folder, 'dist')], root, { DEMARC_COMMIT: commit })
}

function rewrite(folder: string, change: (content: z.infer<typeof package_json>) => object): void {
  const file = path.join(folder, 'package.json')
  const content = package_json.parse(JSON.parse(readFileSync(file, 'utf8')))
  writeFileSync(file, `${JSON.stringify(change(content), null, 2)}\n`)
}

/** Sorted, owned by root, with the commit's time. Returns the file's name. */
function writeTarball(folder: string, file: string, epoch: string): string {
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX', '--format=ustar']
  const tar = execFileSync('tar', ['-c', ...same, `--mtime=@${epoch}`, path.basename(folder)], {
    cwd: path.dirname(folder),
    maxBuffer: 1 << 30,
  })
  writeFileSync(file, gzipSync(tar, { level: 9 }))
  return path.basename(file)
}

const packed = z.tuple([z.object({ filename: z.string() })])

/** npm sorts the files and gives them its own time, always the same. Returns the tarball's name. */
function npmPack(folder: string, destination: string): string {
  const output = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', destination], folder)
  return packed.parse(JSON.parse(output))[0].filename
}

function writeText(folder: string, name: string, text: string): string {
  writeFileSync(path.join(folder, name), text)
  return name
}

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')
