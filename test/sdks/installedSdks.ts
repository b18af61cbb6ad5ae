import { createRequire } from 'node:module'

/**
 * The SDKs of other projects stand in `test/sdks/node_modules`, which `npm run test:sdks` installs (820 MB, since they
 * bring wallets, other chains and compilers). `npm test` sends what these SDKs sent when they were recorded
 * (`recordings.ts`); `npm run test:sdks` runs the same tests with the SDKs themselves.
 */

/** Whether the tests run with the SDKs themselves. */
export const usesSdks = process.env['ATTESTRY_SDKS'] !== undefined
/** Whether what the SDKs send replaces the recordings. */
export const updatesRecordings = process.env['ATTESTRY_SDKS'] === 'update'

const require = createRequire(new URL('package.json', import.meta.url))

/**
 * A module of the installed SDKs. `Sdk` has the part that is used.
 * @throws Error if `npm run test:sdks` has not installed the SDKs.
 */
export function requireSdk<Sdk>(name: string): Sdk {
  return require(name) as Sdk
}

/** The path of a file of the installed SDKs. */
export function resolveSdkFile(path: string): string {
  return require.resolve(path)
}
