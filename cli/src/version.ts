import manifest from '../package.json' with { type: 'json' }

/** This program's version; the service reports its own. */
export const version: string = manifest.version
