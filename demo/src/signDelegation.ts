import { type AbiParameter, encodeAbiParameters, type Hex, keccak256, stringToHex } from 'viem'
import { signAbi } from './signAbi.ts'
import { type AttestationInput, attestationStruct, type SchemaInput, schemaStruct } from './signCalls.ts'

/** A signer of messages, such as a viem account. */
export interface MessageSigner {
  signMessage(args: { message: { raw: Hex } }): Promise<Hex>
}

/**
 * Signatures by which an account lets another send a call in its name (SP.sol, `getDelegated…Hash`): an EIP-191
 * personal message over the hash of the action's name and arguments. Nothing binds it to a chain or to one use, so the
 * same signature may be sent twice. The signer must be the registrant or attester that the call names.
 */
export function signRegister(signer: MessageSigner, schema: SchemaInput): Promise<Hex> {
  return sign(signer, 'REGISTER', [schemaType], [schemaStruct(schema)])
}

export function signAttest(signer: MessageSigner, attestation: AttestationInput): Promise<Hex> {
  return sign(signer, 'ATTEST', [attestationType], [attestationStruct(attestation)])
}

export function signAttestBatch(
  signer: MessageSigner,
  attestations: readonly AttestationInput[],
): Promise<Hex> {
  return sign(signer, 'ATTEST_BATCH', [attestationsType], [attestations.map(attestationStruct)])
}

export function signRevoke(signer: MessageSigner, attestationId: bigint, reason = ''): Promise<Hex> {
  return sign(signer, 'REVOKE', [{ type: 'uint64' }, { type: 'string' }], [attestationId, reason])
}

export function signRevokeBatch(
  signer: MessageSigner,
  attestationIds: readonly bigint[],
  reasons: readonly string[],
): Promise<Hex> {
  return sign(signer, 'REVOKE_BATCH', [{ type: 'uint64[]' }, { type: 'string[]' }], [attestationIds, reasons])
}

/** For one id as for several: the contract hashes the two calls differently. */
export function signAttestOffchain(signer: MessageSigner, ids: readonly string[]): Promise<Hex> {
  return ids.length === 1
    ? sign(signer, 'ATTEST_OFFCHAIN', [{ type: 'string' }], [ids[0]])
    : sign(signer, 'ATTEST_OFFCHAIN_BATCH', [{ type: 'string[]' }], [ids])
}

const schemaType = inputOf('register')
const attestationType = inputOf('attest')
const attestationsType = inputOf('attestBatch')

function inputOf(functionName: string): AbiParameter {
  for (const item of signAbi) {
    if (item.type === 'function' && item.name === functionName && item.inputs[0] !== undefined) {
      return item.inputs[0]
    }
  }
  throw new TypeError(`The ABI has no ${functionName}.`)
}

function sign(
  signer: MessageSigner,
  action: string,
  types: readonly AbiParameter[],
  values: readonly unknown[],
): Promise<Hex> {
  const encoded = encodeAbiParameters(
    [{ type: 'bytes32' }, ...types],
    [stringToHex(action, { size: 32 }), ...values],
  )
  return signer.signMessage({ message: { raw: keccak256(encoded) } })
}
