import { fileURLToPath } from 'node:url'

/** The service's program in the same checkout as this program, which runs from `src` or as the bundle in `dist`. */
export const main_of_checkout = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))
