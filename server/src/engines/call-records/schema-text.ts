/** The statements of every mode, as schema.sql has them: a change of the schema shows what it changes where. */

import { layoutOf, MODE_NAMES, type StoreMode } from './modes.ts'
import { DEFAULT_DATABASE, schema } from './schema.ts'

/** Each mode, with an example of a cluster. */
export const EXAMPLES: readonly StoreMode[] = MODE_NAMES.map((name) =>
  name === 'cluster' ? { name, cluster: 'main' } : { name },
)

export function schemaText(): string {
  const parts = EXAMPLES.map((mode) => {
    const statements = schema(DEFAULT_DATABASE, layoutOf(mode, DEFAULT_DATABASE))
    return `-- ${mode.name}\n\n${statements.map(({ sql }) => `${sql};`).join('\n\n')}\n`
  })
  return `-- The tables of call records in each mode. Generated from schema.ts: npm run check -- --write\n\n${parts.join('\n')}`
}
