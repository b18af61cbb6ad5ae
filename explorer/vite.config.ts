import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The service that `vite dev` takes answers from; `npm start` listens there by default. */
const service = process.env['ATTESTRY_URL'] ?? 'http://127.0.0.1:4000'

/**
 * Builds to `dist`: `index.html`, the files of `public`, and `assets/` with hashed names, which may be cached for ever.
 * The result needs only `default-src 'self'`: no inline script, no style element, no data URL.
 */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), { name: 'scripts-last', transformIndexHtml: { order: 'post', handler: deferScripts } }],
  build: {
    outDir: 'dist',
    // The server names the files of each page in its head.
    manifest: 'manifest.json',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One file of styles, and one of the modules that three pages share, instead of 50: a browser fetches six at a time.
    // Modules that only two pages share are not part of the first load.
    cssCodeSplit: false,
    // The suggestions of two search fields stand apart: most pages are read without them.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: 'shared', minShareCount: 3, test: /^(?!.*[/\\]@(?:base-ui|floating-ui)[/\\])/ }],
        },
      },
    },
    reportCompressedSize: false,
  },
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(
      ['/scan', '/graphql', '/openapi.json', '/docs', '/guide', '/healthz', '/readyz'].map((path) => [
        path,
        { target: service, changeOrigin: true },
      ]),
    ),
  },
})

/** The shell of a page is drawn without scripts: on a slow line, they come after the styles. */
function deferScripts(html: string): string {
  return html.replaceAll(/<(?:script type="module"|link rel="modulepreload")/g, '$& fetchpriority="low"')
}
