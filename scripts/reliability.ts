import { writeFileSync } from 'node:fs'
import { reliabilityPage } from '../acceptance/reliability/page.ts'
import { keptResults } from '../acceptance/reliability/results.ts'

/** `npm run reliability`: generates docs/operate/reliability.md from the results in the folder next to it. */
writeFileSync(new URL('../docs/operate/reliability.md', import.meta.url), reliabilityPage(await keptResults()))
