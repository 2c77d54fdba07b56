import { defineConfig } from 'vite'

/** Where `npm run dev -w portal` finds a running service. */
const service = process.env['DEMARC_URL'] ?? 'http://127.0.0.1:8911'
const paths = ['/v2', '/operator', '/health', '/docs', '/openapi.json']

export default defineConfig({
  root: import.meta.dirname,
  // libraries mark their modules for servers, of which the bundler warns
  logLevel: 'error',
  server: {
    proxy: Object.fromEntries(paths.map((path) => [path, service])),
  },
  build: {
    target: 'es2023',
    // named by digest, so that they can be cached for ever
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // what every page needs and changes less often than the pages
            { name: 'libraries', test: /node_modules\/(react|react-dom|scheduler|@tanstack)\// },
            // what most pages need: one file compresses better than thirty, and is asked for once
            { name: 'common', minShareCount: 25 },
          ],
        },
      },
    },
  },
})
