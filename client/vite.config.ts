import { defineConfig } from 'vite'

/**
 * Makes one module each of `@attestry/client/offchain` and `@attestry/client/proofs`: the verifiers of the service, with
 * the parts of libraries that they use, so that the package has no dependencies.
 */
export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'warn',
  build: {
    lib: { entry: { offchain: 'src/offchain.ts', proofs: 'src/proofs.ts' }, formats: ['es'] },
    outDir: 'dist',
    emptyOutDir: false,
    target: 'es2022',
    sourcemap: true,
    minify: false,
  },
})
