import { type Address, concatHex, encodeAbiParameters, encodeFunctionData } from 'viem'
import type { SignArtifacts } from './compileSign.ts'
import type { DeployOptions } from './demoProtocol.ts'
import { type DevClient, deployContract } from './devChain.ts'
import { signAbi } from './signAbi.ts'

export interface SignDeployment {
  /** Address of the proxy, which callers and the index use. */
  readonly address: Address
  /** The block that created the proxy; no log of the protocol is earlier. */
  readonly startBlock: number
  /** A schema hook that accepts everything. */
  readonly hook: Address
}

/** The address of Multicall3 on every chain (https://www.multicall3.com). */
export const multicall3Address: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'

/**
 * Deploys Sign Protocol to a local chain that does not mine by itself: the contract, its ERC-1967 proxy whose counters
 * begin at 1, and a hook. Batched reads stand at the address of Multicall3.
 */
export async function deploySign(
  client: DevClient,
  artifacts: SignArtifacts,
  options: DeployOptions,
): Promise<SignDeployment> {
  const time = async (): Promise<number | undefined> => options.nextTimestampS?.()
  await client.setCode({ address: multicall3Address, bytecode: artifacts.multicall.deployedBytecode })
  const implementation = await deployContract(client, options.from, artifacts.sign.bytecode, await time())
  const initialize = encodeFunctionData({ abi: signAbi, functionName: 'initialize', args: [1n, 1n] })
  const constructorArguments = encodeAbiParameters(
    [{ type: 'address' }, { type: 'bytes' }],
    [implementation, initialize],
  )
  const address = await deployContract(
    client,
    options.from,
    concatHex([artifacts.proxy.bytecode, constructorArguments]),
    await time(),
  )
  const startBlock = Number(await client.getBlockNumber())
  const hook = await deployContract(client, options.from, artifacts.hook.bytecode, await time())
  return { address, startBlock, hook }
}
