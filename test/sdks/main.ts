import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * `npm run test:sdks`: the tests whose requests, signatures and calls are those of SDKs, with the SDKs themselves. Each
 * must make what `recordings/` has of it, byte for byte; `npm run test:sdks -- --update` records them anew.
 */
const files = [
  'packages/server/src/interfaces/sdk/sdkClient.test.ts',
  'packages/trust/src/statements/readOffchain.test.ts',
  'packages/trust/src/statements/readSignBody.test.ts',
  'packages/core/src/protocols/eas/formatDecodedDataJson.test.ts',
  'packages/core/src/protocols/eas/easAdapter.realChain.test.ts',
  'packages/core/src/protocols/abi/parseEthersParameters.test.ts',
  'packages/trust/src/commands/offchainStore.test.ts',
  'packages/trust/src/commands/offchainApi.test.ts',
  'test/eas/clientOperations.test.ts',
  'test/e2e/eas.test.ts',
  'test/e2e/sdk.test.ts',
  'test/e2e/transactionToDatabase.test.ts',
  'test/e2e/verax.test.ts',
  'test/harness/signSdk.test.ts',
  'test/tooling/demoContracts.test.ts',
]
const mode = process.argv.includes('--update') ? 'update' : 'compare'
// One file after the other: several add to one recording.
const options = ['--project', 'unit', '--project', 'whole', '--no-file-parallelism']
const { status } = spawnSync('npx', ['vitest', 'run', ...options, ...files], {
  cwd: join(import.meta.dirname, '..', '..'),
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: { ...process.env, ATTESTRY_SDKS: mode },
})
process.exit(status ?? 1)
