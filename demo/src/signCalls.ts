import { type Address, encodeFunctionData, type Hex, zeroAddress } from 'viem'
import { signAbi } from './signAbi.ts'

/** The members of a schema that a caller chooses; the rest has the contract's usual defaults. */
export interface SchemaInput {
  readonly registrant: Address
  /** The text of the schema, whatever it is. */
  readonly data: string
  /** true by default. */
  readonly revocable?: boolean
  /** 0 ONCHAIN (the default), 1 ARWEAVE, 2 IPFS, 3 CUSTOM. */
  readonly dataLocation?: number
  /** Seconds; 0, the default, for ever. */
  readonly maxValidFor?: bigint
  readonly hook?: Address
}

/** The members of an attestation that a caller chooses. */
export interface AttestationInput {
  readonly schemaId: bigint
  readonly attester: Address
  /** Any bytes; none by default. */
  readonly recipients?: readonly Hex[]
  /** Empty by default. */
  readonly data?: Hex
  /** An attestation of the same attester; 0, the default, for none. */
  readonly linkedAttestationId?: bigint
  /** Unix seconds; 0, the default, for ever. */
  readonly validUntil?: bigint
  readonly dataLocation?: number
  /** Refused by the contract from 1.1.3 on. */
  readonly revoked?: boolean
  /** Set by the contract; a value other than 0, the default, is refused from 1.1.3 on. */
  readonly revokeTimestamp?: bigint
  /** Emitted by the call's event, not part of the record; empty by default. */
  readonly indexingValue?: string
}

/** The input of a transaction that registers a schema. With a signature of the registrant, anyone may send it. */
export function encodeRegister(schema: SchemaInput, signature: Hex = '0x'): Hex {
  return encodeFunctionData({
    abi: signAbi,
    functionName: 'register',
    args: [schemaStruct(schema), signature],
  })
}

export function encodeAttest(attestation: AttestationInput, signature: Hex = '0x'): Hex {
  return encodeFunctionData({
    abi: signAbi,
    functionName: 'attest',
    args: [attestationStruct(attestation), attestation.indexingValue ?? '', signature, '0x'],
  })
}

export function encodeAttestBatch(attestations: readonly AttestationInput[], signature: Hex = '0x'): Hex {
  return encodeFunctionData({
    abi: signAbi,
    functionName: 'attestBatch',
    args: [
      attestations.map(attestationStruct),
      attestations.map((attestation) => attestation.indexingValue ?? ''),
      signature,
      '0x',
    ],
  })
}

export function encodeRevoke(attestationId: bigint, reason = '', signature: Hex = '0x'): Hex {
  return encodeFunctionData({
    abi: signAbi,
    functionName: 'revoke',
    args: [attestationId, reason, signature, '0x'],
  })
}

/** `reasons` has as many items as `attestationIds`. */
export function encodeRevokeBatch(
  attestationIds: readonly bigint[],
  reasons: readonly string[],
  signature: Hex = '0x',
): Hex {
  return encodeFunctionData({
    abi: signAbi,
    functionName: 'revokeBatch',
    args: [attestationIds, reasons, signature, '0x'],
  })
}

/** Anchors the ids of off-chain attestations; with a signature of `attester` in that account's name. */
export function encodeAttestOffchain(
  ids: readonly string[],
  attester: Address = zeroAddress,
  signature: Hex = '0x',
): Hex {
  const [id] = ids
  return ids.length === 1 && id !== undefined
    ? encodeFunctionData({ abi: signAbi, functionName: 'attestOffchain', args: [id, attester, signature] })
    : encodeFunctionData({
        abi: signAbi,
        functionName: 'attestOffchainBatch',
        args: [ids, attester, signature],
      })
}

export function encodeRevokeOffchain(
  ids: readonly string[],
  reasons: readonly string[],
  signature: Hex = '0x',
): Hex {
  const [id] = ids
  return ids.length === 1 && id !== undefined
    ? encodeFunctionData({
        abi: signAbi,
        functionName: 'revokeOffchain',
        args: [id, reasons[0] ?? '', signature],
      })
    : encodeFunctionData({
        abi: signAbi,
        functionName: 'revokeOffchainBatch',
        args: [ids, reasons, signature],
      })
}

/** The contract's struct; the time is set by the contract. */
export function schemaStruct(schema: SchemaInput) {
  return {
    registrant: schema.registrant,
    revocable: schema.revocable ?? true,
    dataLocation: schema.dataLocation ?? 0,
    maxValidFor: schema.maxValidFor ?? 0n,
    hook: schema.hook ?? zeroAddress,
    timestamp: 0n,
    data: schema.data,
  }
}

/** The contract's struct; the time of attesting is set by the contract. */
export function attestationStruct(attestation: AttestationInput) {
  return {
    schemaId: attestation.schemaId,
    linkedAttestationId: attestation.linkedAttestationId ?? 0n,
    attestTimestamp: 0n,
    revokeTimestamp: attestation.revokeTimestamp ?? 0n,
    attester: attestation.attester,
    validUntil: attestation.validUntil ?? 0n,
    dataLocation: attestation.dataLocation ?? 0,
    revoked: attestation.revoked ?? false,
    recipients: attestation.recipients ?? [],
    data: attestation.data ?? '0x',
  }
}
