import { builtPortal } from './source.ts'

/** Builds the portal if its source changed and prints the output folder. Run by `npm run build -w portal` and when the service starts. */
console.log(await builtPortal())
