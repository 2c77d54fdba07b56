import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { pageWithModes } from '../acceptance/drills/call-record-modes.ts'
import { pageWith } from '../acceptance/drills/page.ts'
import { storedResults } from '../acceptance/drills/results.ts'
import { clientReference } from './client-reference.ts'
import { schemaText } from '../server/src/engines/call-records/schema-text.ts'
import { endpointOf, endpointText, openapi, operations, type Operation } from '@demarc/client'
import manifest from '../server/package.json' with { type: 'json' }

/** Committed files that are generated from the code: `npm run check` compares them, and `npm run check -- --write` writes them. */
export interface GeneratedFile {
  path: string
  text(): string
}

const page = (name: string) => readFileSync(new URL(`../docs/operate/${name}.md`, import.meta.url), 'utf8')

export const generatedFiles: readonly GeneratedFile[] = [
  {
    path: 'openapi.json',
    text: () =>
      `${JSON.stringify(openapi(operations, { version: manifest.version, server_url: 'http://127.0.0.1:8911' }), null, 2)}\n`,
  },
  { path: 'api/src/client/endpoints.ts', text: endpoints },
  { path: 'docs/reference/client.md', text: clientReference },
  { path: 'server/src/engines/call-records/schema.sql', text: schemaText },
  { path: 'docs/operate/scaling.md', text: () => pageWith(page('scaling'), storedResults()) },
  { path: 'docs/operate/call-records.md', text: () => pageWithModes(page('call-records'), storedResults()) },
]

function endpoints(): string {
  const entries = Object.entries<Operation>(operations).map(
    ([name, operation]) => `  ${name}: '${endpointText(endpointOf(operation))}',`,
  )
  return formatted(
    'endpoints.ts',
    `import type { Operations } from '../operations.ts'

/**
 * The endpoint of every operation, so that the client works without schemas: see endpoint.ts. Written by
 * \`npm run check -- --write\`.
 */
export const endpoints: Readonly<Record<keyof Operations, string>> = {
${entries.join('\n')}
}
`,
  )
}

/** A TypeScript file, formatted. */
export const formatted = (name: string, text: string): string =>
  execFileSync('oxfmt', [`--stdin-filepath=${name}`], { input: text, encoding: 'utf8' })
