import type { Address } from 'viem'
import type { HDAccount } from 'viem/accounts'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import { demoAccount, unlockedAccounts } from './demoAccounts.ts'
import type { DevTransaction } from './devChain.ts'
import {
  type AttestationInput,
  encodeAttest,
  encodeAttestBatch,
  encodeAttestOffchain,
  encodeRegister,
  encodeRevoke,
  encodeRevokeBatch,
  encodeRevokeOffchain,
  type SchemaInput,
} from './signCalls.ts'
import {
  signAttest,
  signAttestBatch,
  signAttestOffchain,
  signRegister,
  signRevoke,
  signRevokeBatch,
} from './signDelegation.ts'

/**
 * Transactions that call Sign Protocol. Without a `relayer` the registrant or attester sends its own call. With one,
 * the call is delegated: the registrant or attester, who must be a demo account, signs it, and the relayer sends it.
 */
export interface SignTransactions {
  register(schema: SchemaInput, relayer?: Address): Promise<DevTransaction>
  attest(attestation: AttestationInput, relayer?: Address): Promise<DevTransaction>
  /** All of one attester. */
  attestBatch(attestations: readonly AttestationInput[], relayer?: Address): Promise<DevTransaction>
  revoke(
    attester: Address,
    attestationId: bigint,
    reason?: string,
    relayer?: Address,
  ): Promise<DevTransaction>
  revokeBatch(
    attester: Address,
    attestationIds: readonly bigint[],
    reasons: readonly string[],
    relayer?: Address,
  ): Promise<DevTransaction>
  /** An anchor of off-chain attestations: no record of the index. */
  attestOffchain(attester: Address, ids: readonly string[], relayer?: Address): Promise<DevTransaction>
  revokeOffchain(
    attester: Address,
    ids: readonly string[],
    reasons: readonly string[],
  ): Promise<DevTransaction>
}

/** `contract` is the address of the protocol's proxy. */
export function createSignTransactions(contract: Address): SignTransactions {
  return {
    async register(schema, relayer) {
      const signature = relayer && (await signRegister(signerOf(schema.registrant), schema))
      return { from: relayer ?? schema.registrant, to: contract, data: encodeRegister(schema, signature) }
    },
    async attest(attestation, relayer) {
      const signature = relayer && (await signAttest(signerOf(attestation.attester), attestation))
      return {
        from: relayer ?? attestation.attester,
        to: contract,
        data: encodeAttest(attestation, signature),
      }
    },
    async attestBatch(attestations, relayer) {
      const attester = attestations[0]?.attester
      if (attester === undefined) throw new RangeError('A batch holds at least one attestation.')
      const signature = relayer && (await signAttestBatch(signerOf(attester), attestations))
      return { from: relayer ?? attester, to: contract, data: encodeAttestBatch(attestations, signature) }
    },
    async revoke(attester, attestationId, reason, relayer) {
      const signature = relayer && (await signRevoke(signerOf(attester), attestationId, reason))
      return { from: relayer ?? attester, to: contract, data: encodeRevoke(attestationId, reason, signature) }
    },
    async revokeBatch(attester, ids, reasons, relayer) {
      const signature = relayer && (await signRevokeBatch(signerOf(attester), ids, reasons))
      return { from: relayer ?? attester, to: contract, data: encodeRevokeBatch(ids, reasons, signature) }
    },
    async attestOffchain(attester, ids, relayer) {
      const signature = relayer && (await signAttestOffchain(signerOf(attester), ids))
      const data = encodeAttestOffchain(ids, attester, signature)
      return { from: relayer ?? attester, to: contract, data }
    },
    async revokeOffchain(attester, ids, reasons) {
      return { from: attester, to: contract, data: encodeRevokeOffchain(ids, reasons) }
    },
  }
}

function signerOf(address: Address): HDAccount {
  for (let index = 0; index < unlockedAccounts; index++) {
    const account = demoAccount(index)
    if (account.address === address) return account
  }
  throw new StartError(`No key of the local chain belongs to ${address}.`)
}
