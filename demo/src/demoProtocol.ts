import type { Address, TransactionReceipt } from 'viem'
import type { DemoSchema } from './content/demoSchema.ts'
import type { DevClient, DevTransaction } from './devChain.ts'
import type { PlannedAttestation } from './planHistory.ts'
import type { FurtherRegistries } from '@attestry/core/model/indexedContract.ts'

/** A contract to index, in the form of `contracts` in the configuration. */
export interface DemoContract extends FurtherRegistries<Address> {
  readonly protocol: 'sign' | 'eas' | 'verax' | 'erc8004'
  readonly address: Address
  readonly schemaRegistry: Address | null
  readonly startBlock: number
}

export interface DeployOptions {
  readonly from: Address
  /** Returns the time of the next block to mine; by default the time of the chain's clock. */
  readonly nextTimestampS?: () => number | Promise<number>
  readonly signal?: AbortSignal
}

/** A protocol of the demo, with a chain of its own. `Id` is the type by which the contract names records. */
export interface DemoProtocol<Id> {
  readonly chainId: number
  readonly chainName: string
  readonly schemas: readonly DemoSchema[]
  /** Attestations of the history. */
  readonly attestations: number
  /**
   * The contracts that `deploy` makes, one of each protocol. Their addresses follow from the deployer and the order of
   * the deployment, so that an indexer can be configured before.
   */
  readonly contracts: readonly DemoContract[]
  /**
   * Deploys the contracts as the first transactions of `demoAccount(0)`, on a chain that does not mine by itself.
   * @throws StartError when the contracts cannot be compiled or deployed.
   */
  deploy(client: DevClient, options: DeployOptions): Promise<DemoCalls<Id>>
}

/** An attestation of the plan, with the ids from the contract. */
export interface DemoAttestation<Id> {
  readonly schemaId: Id
  /** The attestation that this one refers to; null without one. */
  readonly linkedId: Id | null
  readonly revocable: boolean
  readonly planned: PlannedAttestation
}

export interface DemoRevocation<Id> {
  readonly schemaId: Id
  readonly attestationId: Id
  readonly reason: string
}

/**
 * Transactions that call the contracts of a protocol. A `relayer` sends a call in the name of another account, as far
 * as the protocol's demo has that.
 */
export interface DemoCalls<Id> {
  /** The transactions that register a schema, in this order. */
  register(content: DemoSchema, text: string, relayer?: Address): Promise<readonly DevTransaction[]>
  /** All under one schema and of one attester. */
  attest(attestations: readonly DemoAttestation<Id>[], relayer?: Address): Promise<DevTransaction>
  /** All under one schema and of `attester`. */
  revoke(
    attester: Address,
    revocations: readonly DemoRevocation<Id>[],
    relayer?: Address,
  ): Promise<DevTransaction>
  /** Anchors off-chain attestations: no record of the index. */
  anchor(attester: Address, ids: readonly string[], relayer?: Address): Promise<DevTransaction>
  revokeAnchor(attester: Address, ids: readonly string[], reasons: readonly string[]): Promise<DevTransaction>
  /** The ids that a transaction created, in the order of its logs. */
  createdIds(receipt: TransactionReceipt): CreatedIds<Id>
}

export interface CreatedIds<Id> {
  readonly schemaIds: readonly Id[]
  readonly attestationIds: readonly Id[]
}
