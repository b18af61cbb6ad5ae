import { collectSources, ownPrefix, type SoliditySources } from './collectSources.ts'
import { type Artifact, type CompileOptions, compileSolidity } from './compileSolidity.ts'

/** The contracts of a local chain with Sign Protocol. */
export interface SignArtifacts {
  /** The protocol's contract, used behind `proxy`. */
  readonly sign: Artifact
  readonly proxy: Artifact
  /** Batched reads, with the interface of Multicall3. */
  readonly multicall: Artifact
  /** A schema hook that accepts everything. */
  readonly hook: Artifact
  /** A contract that attests. */
  readonly attestingContract: Artifact
}

export interface CompileSignOptions extends CompileOptions {
  /** Changes the published sources before compilation, for the behaviour of an earlier version. */
  readonly changeSources?: (sources: SoliditySources) => SoliditySources
}

export const signSourceName = '@ethsign/sign-protocol-evm/src/core/SP.sol'

const contracts = {
  sign: [signSourceName, 'SP'],
  proxy: ['@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol', 'ERC1967Proxy'],
  multicall: [`${ownPrefix}Multicall.sol`, 'Multicall'],
  hook: [`${ownPrefix}AcceptingHook.sol`, 'AcceptingHook'],
  attestingContract: [`${ownPrefix}AttestingContract.sol`, 'AttestingContract'],
} as const

/** Compiles Sign Protocol from its npm package: some five seconds the first time, then from a cache. */
export async function compileSign(options: CompileSignOptions = {}): Promise<SignArtifacts> {
  const published = await collectSources(Object.values(contracts).map(([source]) => source))
  const sources = options.changeSources?.(published) ?? published
  const wanted = Object.values(contracts).map(([source, contract]) => `${source}:${contract}`)
  const artifacts = await compileSolidity(sources, wanted, options)
  const pick = ([source, contract]: readonly [string, string]): Artifact => {
    const artifact = artifacts[`${source}:${contract}`]
    if (artifact === undefined) throw new TypeError(`${contract} was asked for and not compiled.`)
    return artifact
  }
  return {
    sign: pick(contracts.sign),
    proxy: pick(contracts.proxy),
    multicall: pick(contracts.multicall),
    hook: pick(contracts.hook),
    attestingContract: pick(contracts.attestingContract),
  }
}
