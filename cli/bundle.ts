import { chmodSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** `npm pack` runs this: the command line as one file, which needs Node and nothing else. */

const outfile = fileURLToPath(new URL('dist/demarc.js', import.meta.url))

await build({
  entryPoints: [fileURLToPath(new URL('src/main.ts', import.meta.url))],
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
