import type { Address, Hex, TransactionReceipt } from 'viem'
import type { HDAccount } from 'viem/accounts'
import { compileSign, type CompileSignOptions } from '@attestry/demo/compileSign.ts'
import { demoAccount } from '@attestry/demo/demoAccounts.ts'
import { deploySign, type SignDeployment } from '@attestry/demo/deploySign.ts'
import {
  createDevClient,
  createdIds,
  deployContract,
  type DevClient,
  type DevTransaction,
  mineBlock,
  mineTransactions,
} from '@attestry/demo/devChain.ts'
import type { AttestationInput, SchemaInput } from '@attestry/demo/signCalls.ts'
import { createSignTransactions, type SignTransactions } from '@attestry/demo/signTransactions.ts'
import { startAnvil } from '@attestry/demo/startAnvil.ts'

export interface LocalChainOptions {
  /** 31337 by default. */
  readonly chainId?: number
  /** Unix seconds of the genesis block; by default a fixed time in 2025, so that runs are reproducible. */
  readonly genesisTimeS?: number
  /** Seconds between blocks; 12 by default. */
  readonly blockTimeS?: number
  readonly keptStates?: number
  /** Changes the sources of the contract, to reproduce the behaviour of earlier versions. */
  readonly changeSources?: CompileSignOptions['changeSources']
}

/** The receipt of a call, and the id of the schema that it created. */
export interface Registered {
  readonly schemaId: bigint
  readonly receipt: TransactionReceipt
}

export interface Attested {
  readonly attestationIds: readonly bigint[]
  readonly receipt: TransactionReceipt
}

/**
 * A fresh anvil with the real Sign Protocol, for one test file. anvil mines only on request: each call of `register`,
 * `attest` and so on mines a block of its own. The test sets the clock.
 */
export interface LocalChain extends SignDeployment {
  readonly url: string
  readonly chainId: number
  readonly client: DevClient
  /** Builds transactions without sending them, for `mineTogether`. */
  readonly build: SignTransactions
  /** Unlocked accounts with a balance; their keys sign delegated calls. */
  account(index: number): HDAccount
  /** Mines these transactions into one block, in this order; returns the receipts in the same order. */
  mineTogether(transactions: readonly DevTransaction[]): Promise<readonly TransactionReceipt[]>
  register(schema: SchemaInput, relayer?: Address): Promise<Registered>
  attest(attestation: AttestationInput, relayer?: Address): Promise<Attested>
  attestBatch(attestations: readonly AttestationInput[], relayer?: Address): Promise<Attested>
  revoke(attester: Address, id: bigint, reason?: string, relayer?: Address): Promise<TransactionReceipt>
  revokeBatch(
    attester: Address,
    ids: readonly bigint[],
    reasons: readonly string[],
    relayer?: Address,
  ): Promise<TransactionReceipt>
  attestOffchain(attester: Address, ids: readonly string[], relayer?: Address): Promise<TransactionReceipt>
  revokeOffchain(
    attester: Address,
    ids: readonly string[],
    reasons: readonly string[],
  ): Promise<TransactionReceipt>
  /** Creates a contract in a block of its own, sent by the first account. */
  deploy(bytecode: Hex): Promise<Address>
  /** Mines empty blocks. */
  mine(blocks?: number): Promise<void>
  /**
   * Removes the newest `depth` blocks, at most `keptStates`, as a reorganisation does. Later blocks have other
   * timestamps than the removed ones, and therefore other hashes.
   */
  rollback(depth: number): Promise<void>
  /** Whether anvil mines transactions on arrival, as SDKs and wallets expect; `mineTogether` must not be used then. */
  setAutomine(enabled: boolean): Promise<void>
  headNumber(): Promise<number>
  stop(): Promise<void>
}

export async function startLocalChain(options: LocalChainOptions = {}): Promise<LocalChain> {
  const { changeSources, keptStates } = options
  const artifacts = await compileSign(changeSources === undefined ? {} : { changeSources })
  const anvil = await startAnvil({
    chainId: options.chainId ?? 31_337,
    genesisTimeS: options.genesisTimeS ?? 1_750_000_000,
    manualMining: true,
    ...(keptStates === undefined ? {} : { keptStates }),
  })
  const client = createDevClient(anvil.url)
  let stepS = options.blockTimeS ?? 12

  const nextTimestampS = async (): Promise<number> => {
    const { timestamp } = await client.getBlock({ includeTransactions: false })
    return Number(timestamp) + stepS
  }
  const mineTogether = async (
    transactions: readonly DevTransaction[],
  ): Promise<readonly TransactionReceipt[]> => mineTransactions(client, transactions, await nextTimestampS())
  const mineAlone = async (transaction: Promise<DevTransaction>): Promise<TransactionReceipt> => {
    const [receipt] = await mineTogether([await transaction])
    if (receipt === undefined) throw new TypeError('A mined transaction has a receipt.')
    return receipt
  }
  const attestAlone = async (transaction: Promise<DevTransaction>): Promise<Attested> => {
    const receipt = await mineAlone(transaction)
    return { attestationIds: createdIds(receipt).attestationIds, receipt }
  }

  try {
    const deployment = await deploySign(client, artifacts, {
      from: demoAccount(0).address,
      nextTimestampS,
    })
    const build = createSignTransactions(deployment.address)
    return {
      ...deployment,
      url: anvil.url,
      chainId: anvil.chainId,
      client,
      build,
      account: demoAccount,
      mineTogether,
      async register(schema, relayer) {
        const receipt = await mineAlone(build.register(schema, relayer))
        return { schemaId: createdIds(receipt).schemaIds[0] ?? 0n, receipt }
      },
      attest: (attestation, relayer) => attestAlone(build.attest(attestation, relayer)),
      attestBatch: (attestations, relayer) => attestAlone(build.attestBatch(attestations, relayer)),
      revoke: (attester, id, reason, relayer) => mineAlone(build.revoke(attester, id, reason, relayer)),
      revokeBatch: (attester, ids, reasons, relayer) =>
        mineAlone(build.revokeBatch(attester, ids, reasons, relayer)),
      attestOffchain: (attester, ids, relayer) => mineAlone(build.attestOffchain(attester, ids, relayer)),
      revokeOffchain: (attester, ids, reasons) => mineAlone(build.revokeOffchain(attester, ids, reasons)),
      deploy: async (bytecode) =>
        deployContract(client, demoAccount(0).address, bytecode, await nextTimestampS()),
      async mine(blocks = 1) {
        for (let mined = 0; mined < blocks; mined++) await mineBlock(client, await nextTimestampS())
      },
      async rollback(depth) {
        await client.request<RollbackRequest>({ method: 'anvil_rollback', params: [depth] })
        stepS += 1
      },
      setAutomine: (enabled) => client.setAutomine(enabled),
      headNumber: async () => Number(await client.getBlockNumber()),
      stop: () => anvil.stop(),
    }
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

interface RollbackRequest {
  Method: 'anvil_rollback'
  Parameters: [depth: number]
  ReturnType: null
}
