import manifest from '../package.json' with { type: 'json' }

/** This program's version; the service reports its own. */
export const version: string = manifest.version

declare const DEMARC_COMMIT: string | undefined

/** The commit of a packed release, which the bundler writes here: `0.1.0 (commit 7b17ed3c0e9c)`. */
export const versionText =
  typeof DEMARC_COMMIT === 'string' ? `${version} (commit ${DEMARC_COMMIT.slice(0, 12)})` : version
