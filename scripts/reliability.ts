import { writeFileSync } from 'node:fs'
import { reliabilityPage } from '../acceptance/reliability/page.ts'
import { keptResults } from '../acceptance/reliability/results.ts'

/** `npm run reliability`: makes docs/operate/reliability.md from the results that are kept beside it. */
writeFileSync(new URL('../docs/operate/reliability.md', import.meta.url), reliabilityPage(await keptResults()))
