import { defineConfig } from 'vite'

/**
 * Makes one module of `@attestry/client/offchain`: the verifier of the service, with the parts of `@noble/curves` and
 * `@noble/hashes` that the verifier uses, so that the package has no dependencies.
 */
export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'warn',
  build: {
    lib: { entry: 'src/offchain.ts', formats: ['es'], fileName: 'offchain' },
    outDir: 'dist',
    emptyOutDir: false,
    target: 'es2022',
    sourcemap: true,
    minify: false,
  },
})
