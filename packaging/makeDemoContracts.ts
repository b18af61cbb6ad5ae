import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { collectSources, ownPrefix } from '@attestry/demo/collectSources.ts'
import { compileSolidity } from '@attestry/demo/compileSolidity.ts'
import { resolveSdkFile } from '@attestry/test/sdks/installedSdks.ts'

/**
 * Writes the creation code of the contracts of EAS and Verax, from their npm packages, into files that the demo
 * deploys. Run `node packaging/makeDemoContracts.ts` after `npm run test:sdks` has installed these packages. The agent
 * registries are the demo's own; they are compiled here, so that the demo needs no compiler.
 */
export const demoContracts = [
  {
    file: fileURLToPath(new URL('../demo/src/contracts/eas.json', import.meta.url)),
    make: () => ({
      ...provenanceOf(easPackage),
      schemaRegistry: easCode('SchemaRegistry'),
      eas: easCode('EAS'),
    }),
  },
  {
    file: fileURLToPath(new URL('../demo/src/contracts/verax.json', import.meta.url)),
    make: () => ({
      ...provenanceOf(veraxPackage),
      router: veraxCode('Router'),
      attestationRegistry: veraxCode('AttestationRegistry'),
      schemaRegistry: veraxCode('SchemaRegistry'),
      portalRegistry: veraxCode('PortalRegistry'),
      moduleRegistry: veraxCode('ModuleRegistry'),
    }),
  },
  {
    file: fileURLToPath(new URL('../demo/src/contracts/agents.json', import.meta.url)),
    make: async () => {
      const source = `${ownPrefix}AgentRegistries.sol`
      const wanted = ['AgentIdentities', 'AgentReputation', 'AgentValidation'].map(
        (name) => `${source}:${name}`,
      )
      const artifacts = await compileSolidity(await collectSources([source]), wanted)
      const [identityRegistry, reputationRegistry, validationRegistry] = wanted.map(
        (name) => artifacts[name]?.bytecode,
      )
      return { source, identityRegistry, reputationRegistry, validationRegistry }
    },
  },
]

const easPackage = '@ethereum-attestation-service/eas-contracts'
const veraxPackage = '@verax-attestation-registry/verax-contracts'

/** The MIT license asks that its text goes with every copy. */
function provenanceOf(name: string): Readonly<Record<'source' | 'license', string>> {
  const { version } = readJson(name, 'package.json') as { readonly version: string }
  return { source: `${name}@${version}`, license: readText(name, 'LICENSE') }
}

function easCode(contract: string): string {
  const artifact = readJson(easPackage, `artifacts/contracts/${contract}.sol/${contract}.json`)
  return (artifact as { readonly bytecode: string }).bytecode
}

function veraxCode(contract: string): string {
  const artifact = readJson(veraxPackage, `build/${contract}.json`)
  return (artifact as { readonly bytecode: { readonly object: string } }).bytecode.object
}

function readJson(name: string, path: string): unknown {
  return JSON.parse(readText(name, path))
}

function readText(name: string, path: string): string {
  return readFileSync(resolveSdkFile(`${name}/${path}`), 'utf8')
}

if (import.meta.main) {
  for (const { file, make } of demoContracts) {
    writeFileSync(file, `${JSON.stringify(await make(), null, 2)}\n`)
  }
}
