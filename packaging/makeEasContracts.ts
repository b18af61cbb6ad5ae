import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/**
 * Writes the creation code of the contracts of EAS, as their npm package has it, into a file that the demo deploys:
 * `node packaging/makeEasContracts.ts`. The package itself, which brings all of Hardhat, stays a development dependency.
 */
export const easContractsFile = fileURLToPath(new URL('../src/demo/contracts/eas.json', import.meta.url))

/** The content of the file. The MIT license asks that its text goes with every copy. */
export function easContracts(): Readonly<Record<string, string>> {
  return {
    source: `${easPackage}@${String(readJson('package.json')['version'])}`,
    license: readText('LICENSE'),
    schemaRegistry: creationCode('SchemaRegistry'),
    eas: creationCode('EAS'),
  }
}

const easPackage = '@ethereum-attestation-service/eas-contracts'

function creationCode(contract: string): string {
  return String(readJson(`artifacts/contracts/${contract}.sol/${contract}.json`)['bytecode'])
}

function readJson(path: string): Record<string, unknown> {
  return JSON.parse(readText(path)) as Record<string, unknown>
}

function readText(path: string): string {
  return readFileSync(createRequire(import.meta.url).resolve(`${easPackage}/${path}`), 'utf8')
}

if (import.meta.main) writeFileSync(easContractsFile, `${JSON.stringify(easContracts(), null, 2)}\n`)
