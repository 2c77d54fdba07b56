import { builtPortal } from './source.ts'

/** Builds the portal unless that is done, and prints the folder: `npm run build -w portal`, and the service at its start. */
console.log(await builtPortal())
