import { readFileSync } from 'node:fs'
import type { Hex } from 'viem'
import { resolveSdkFile } from './installedSdks.ts'
import { recorded } from './recordings.ts'

interface Artifact {
  /** A text with Hardhat, an object with Foundry. */
  readonly bytecode: Hex | { readonly object: Hex }
}

/** The creation code of a contract, from the artifact that a package of contracts publishes at this path. */
export function readContractCode(path: string): Promise<Hex> {
  return recorded('contracts', [path], () => {
    const { bytecode } = JSON.parse(readFileSync(resolveSdkFile(path), 'utf8')) as Artifact
    return typeof bytecode === 'string' ? bytecode : bytecode.object
  })
}
