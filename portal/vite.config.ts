import { defineConfig } from 'vite'

/** Where `npm run dev -w portal` expects a running service. */
const service = process.env['DEMARC_URL'] ?? 'http://127.0.0.1:8911'
const paths = ['/v2', '/health', '/docs', '/openapi.json']

export default defineConfig({
  root: import.meta.dirname,
  // libraries mark modules as server code, and the bundler warns about each
  logLevel: 'error',
  server: {
    proxy: {
      ...Object.fromEntries(paths.map((path) => [path, service])),
      // a page when the browser navigates there, otherwise the API
      '/operator': {
        target: service,
        bypass: ({ headers }) => (headers.accept?.includes('text/html') === true ? '/index.html' : undefined),
      },
    },
  },
  build: {
    target: 'es2023',
    // files are named by digest and cached forever
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // every page needs these, and they change less often than pages
            { name: 'libraries', test: /node_modules\/(react|react-dom|scheduler|@tanstack)\// },
            // shared by most pages: one file compresses better than thirty and takes one request
            { name: 'common', minShareCount: 25 },
          ],
        },
      },
    },
  },
})
