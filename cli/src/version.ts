import manifest from '../package.json' with { type: 'json' }

/** Of this program; the service says its own. */
export const version: string = manifest.version
