import { type Address, getAddress, type Hash, type TransactionReceipt, zeroAddress } from 'viem'
import type { AttestationInput, SchemaInput } from '@attestry/demo/signCalls.ts'
import type { LocalChain } from '../harness/localChain.ts'
import type { ExpectedAttestation, ExpectedIndex, ExpectedSchema } from './expectedIndex.ts'

/** The input of a registration, and the meaning of its text. */
export interface SchemaCase {
  readonly label: string
  readonly input: SchemaInput
  readonly name?: string
  readonly description?: string
  readonly fields?: readonly { readonly name: string; readonly type: string }[]
}

/**
 * The input of an attestation, and the meaning of its recipients. `schema` and `linked` are labels of earlier cases.
 */
export interface AttestationCase {
  readonly label: string
  readonly schema: string
  readonly input: Omit<AttestationInput, 'schemaId' | 'linkedAttestationId'>
  readonly recipients?: readonly string[]
  readonly linked?: string
}

export interface Revocation {
  readonly label: string
  readonly reason: string
}

/**
 * Collects the expected index while a scenario calls the contract. The `note…` methods take the input and the receipt
 * of its transaction; `cases` names several records of one receipt in their order.
 */
export interface CaseRecorder {
  noteSchema(receipt: TransactionReceipt, schema: SchemaCase): Promise<void>
  noteAttestations(receipt: TransactionReceipt, cases: readonly AttestationCase[]): Promise<void>
  noteRevocations(receipt: TransactionReceipt, revocations: readonly Revocation[]): Promise<void>
  /** The attestation was created revoked, which the contract accepted up to 1.1.2: its creation revokes it. */
  noteBornRevoked(label: string, revokeTimestamp: number): void
  noteAnchors(receipt: TransactionReceipt, kind: 'made' | 'revoked'): void
  /** The input of a case's call, in which labels are replaced by ids. */
  inputOf(attestation: AttestationCase): AttestationInput
  idOf(label: string): bigint
  attesterOf(label: string): Address
  finish(): Promise<ExpectedIndex>
}

export function createCaseRecorder(chain: LocalChain): CaseRecorder {
  const schemas = new Map<string, ExpectedSchema>()
  const attestations = new Map<string, ExpectedAttestation>()
  const anchors = { made: 0, revoked: 0 }

  const schemaOf = (label: string): ExpectedSchema => found(schemas.get(label), label)
  const attestationOf = (label: string): ExpectedAttestation => found(attestations.get(label), label)
  const compositeId = (localId: string): string => `onchain_evm_${chain.chainId}_${localId}`
  const timeOf = async (receipt: TransactionReceipt): Promise<number> =>
    Number((await chain.client.getBlock({ blockHash: receipt.blockHash })).timestamp)

  /** The logs of the receipt with this topic, each with the id in its first word. */
  const eventsOf = (receipt: TransactionReceipt, topic: Hash) =>
    receipt.logs
      .filter((log) => log.topics[0] === topic && getAddress(log.address) === chain.address)
      .map((log) => ({
        localId: `0x${BigInt(log.data.slice(0, 66)).toString(16)}`,
        origin: {
          transactionHash: receipt.transactionHash,
          sender: getAddress(receipt.from),
          blockNumber: Number(receipt.blockNumber),
          logIndex: log.logIndex,
        },
      }))

  return {
    async noteSchema(receipt, { label, input, name = '', description = '', fields = [] }) {
      const [event] = eventsOf(receipt, schemaRegisteredTopic)
      const { localId, origin } = found(event, label)
      schemas.set(label, {
        label,
        id: compositeId(localId),
        localId,
        registrant: getAddress(input.registrant),
        registerTimestamp: await timeOf(receipt),
        revocable: input.revocable ?? true,
        maxValidFor: String(input.maxValidFor ?? 0n),
        resolver: getAddress(input.hook ?? zeroAddress),
        dataLocation: locationName(input.dataLocation),
        rawText: input.data,
        name,
        description,
        fields,
        ...origin,
      })
    },
    async noteAttestations(receipt, cases) {
      const events = eventsOf(receipt, attestationMadeTopic)
      if (events.length !== cases.length)
        throw new Error('The receipt holds other attestations than the cases say.')
      const attestTimestamp = await timeOf(receipt)
      for (const [index, { label, schema, input, recipients = [], linked }] of cases.entries()) {
        const { localId, origin } = found(events[index], label)
        attestations.set(label, {
          label,
          id: compositeId(localId),
          localId,
          schemaLabel: schema,
          schemaLocalId: schemaOf(schema).localId,
          fullSchemaId: schemaOf(schema).id,
          attester: getAddress(input.attester),
          attestTimestamp,
          recipients,
          indexingValue: input.indexingValue ?? '',
          linkedAttestation: linked === undefined ? '' : attestationOf(linked).id,
          validUntil: String(input.validUntil ?? 0n),
          data: input.data ?? '0x',
          dataLocation: locationName(input.dataLocation),
          revoked: false,
          revokeTimestamp: null,
          revokeReason: null,
          revokeTransactionHash: '',
          ...origin,
        })
      }
    },
    async noteRevocations(receipt, revocations) {
      const events = eventsOf(receipt, attestationRevokedTopic)
      const revokeTimestamp = await timeOf(receipt)
      for (const [index, { label, reason }] of revocations.entries()) {
        const attestation = attestationOf(label)
        if (events[index]?.localId !== attestation.localId) throw new Error(`${label} was not revoked.`)
        attestations.set(label, {
          ...attestation,
          revoked: true,
          revokeTimestamp,
          revokeReason: reason,
          revokeTransactionHash: receipt.transactionHash,
        })
      }
    },
    noteBornRevoked(label, revokeTimestamp) {
      const attestation = attestationOf(label)
      attestations.set(label, {
        ...attestation,
        revoked: true,
        revokeTimestamp,
        revokeReason: '',
        revokeTransactionHash: attestation.transactionHash,
      })
    },
    noteAnchors(receipt, kind) {
      const topic = kind === 'made' ? offchainMadeTopic : offchainRevokedTopic
      anchors[kind] += receipt.logs.filter((log) => log.topics[0] === topic).length
    },
    inputOf: ({ schema, input, linked }) => ({
      ...input,
      schemaId: BigInt(schemaOf(schema).localId),
      linkedAttestationId: linked === undefined ? 0n : BigInt(attestationOf(linked).localId),
    }),
    idOf: (label) => BigInt(attestationOf(label).localId),
    attesterOf: (label) => attestationOf(label).attester,
    async finish() {
      return {
        chainId: chain.chainId,
        contract: chain.address,
        startBlock: chain.startBlock,
        headNumber: await chain.headNumber(),
        schemas: [...schemas.values()].sort(byPosition),
        attestations: [...attestations.values()].sort(byPosition),
        anchors,
      }
    },
  }
}

const schemaRegisteredTopic: Hash = '0xd0f9818d35b9c7d941f89e81a08a7f4761384ae32aeaf4a913b94319a321e7ff'
const attestationMadeTopic: Hash = '0x38b331f00373c8b0f9af5a4273ca1b91e894fec999bfa4ec787e8c90a5c8b05c'
const attestationRevokedTopic: Hash = '0x294c02ce66be799794a712d72e9926c40a3cb2738a51571523ffe23be2c6fb01'
const offchainMadeTopic: Hash = '0x6f0bf119c2fc55752051c1cfde5d145fdd499c7f748df7920409c72319ff6027'
const offchainRevokedTopic: Hash = '0x8cdef7ac4262df432ef960b4d902483c56118d54647a70746d99abc05cb970ba'

function locationName(location = 0): string {
  return found(['ONCHAIN', 'ARWEAVE', 'IPFS', 'CUSTOM'][location], 'data location')
}

function byPosition(
  a: { blockNumber: number; logIndex: number },
  b: { blockNumber: number; logIndex: number },
): number {
  return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex
}

function found<T>(value: T | undefined, label: string): T {
  if (value === undefined) throw new Error(`The scenario has no ${label} yet.`)
  return value
}
