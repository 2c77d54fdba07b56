import { chmodSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'

/**
 * Bundles the command line into one file, which needs Node and nothing else: `bundle.ts [FOLDER]`. `npm pack` runs it for `dist`.
 * A release bundles into a folder of its own, because `dist` may be written at any time.
 */

const outfile = path.join(process.argv[2] ?? path.join(import.meta.dirname, 'dist'), 'demarc.js')

await build({
  entryPoints: [path.join(import.meta.dirname, 'src/main.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'eof',
  // the commit of a release; see src/version.ts
  define: { DEMARC_COMMIT: JSON.stringify(process.env['DEMARC_COMMIT']) ?? 'undefined' },
  // the parser is CommonJS and requires Node's own modules
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
})
chmodSync(outfile, 0o755)
