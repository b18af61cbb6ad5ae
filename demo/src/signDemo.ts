import { type Address, getContractAddress } from 'viem'
import { compileSign } from './compileSign.ts'
import type { DemoSchema } from './content/demoSchema.ts'
import { demoSchemas } from './content/demoSchemas.ts'
import { demoAccount } from './demoAccounts.ts'
import type { DemoAttestation, DemoCalls, DemoProtocol } from './demoProtocol.ts'
import { deploySign, type SignDeployment } from './deploySign.ts'
import { createdIds } from './devChain.ts'
import type { AttestationInput, SchemaInput } from './signCalls.ts'
import { createSignTransactions } from './signTransactions.ts'

/**
 * Sign Protocol, compiled on this machine: its license (AGPL-3.0) is not that of this program, which ships no code of
 * it.
 */
export const signDemo: DemoProtocol<bigint> = {
  chainId: 31_337,
  chainName: 'Demo',
  schemas: demoSchemas,
  attestations: 3_300,
  contracts: [
    {
      protocol: 'sign',
      // The first transaction deploys the implementation, the second one its proxy.
      address: getContractAddress({ from: demoAccount(0).address, nonce: 1n }),
      schemaRegistry: null,
      startBlock: 1,
    },
  ],
  deploy: async (client, options) => {
    const artifacts = await compileSign(options.signal === undefined ? {} : { signal: options.signal })
    return createSignCalls(await deploySign(client, artifacts, options))
  },
}

function createSignCalls({ address, hook }: SignDeployment): DemoCalls<bigint> {
  const build = createSignTransactions(address)
  return {
    register: async (content, text, relayer) => [
      await build.register(schemaInput(content, text, hook), relayer),
    ],
    attest: (attestations, relayer) => {
      const inputs = attestations.map(attestationInput)
      const [only] = inputs
      return inputs.length === 1 && only !== undefined
        ? build.attest(only, relayer)
        : build.attestBatch(inputs, relayer)
    },
    revoke: (attester, revocations, relayer) => {
      const [only] = revocations
      if (revocations.length === 1 && only !== undefined)
        return build.revoke(attester, only.attestationId, only.reason, relayer)
      const ids = revocations.map(({ attestationId }) => attestationId)
      const reasons = revocations.map(({ reason }) => reason)
      return build.revokeBatch(attester, ids, reasons, relayer)
    },
    anchor: (attester, ids, relayer) => build.attestOffchain(attester, ids, relayer),
    revokeAnchor: (attester, ids, reasons) => build.revokeOffchain(attester, ids, reasons),
    createdIds,
  }
}

function schemaInput(content: DemoSchema, text: string, hook: Address): SchemaInput {
  return {
    registrant: demoAccount(content.registrant).address,
    data: text,
    revocable: content.revocable ?? true,
    dataLocation: content.dataLocation ?? 0,
    maxValidFor: BigInt(content.maxValidForS ?? 0),
    ...(content.hook === true ? { hook } : {}),
  }
}

function attestationInput({ schemaId, linkedId, planned }: DemoAttestation<bigint>): AttestationInput {
  return {
    schemaId,
    attester: demoAccount(planned.attester).address,
    recipients: planned.recipients,
    data: planned.data,
    dataLocation: planned.dataLocation,
    validUntil: planned.validUntil,
    linkedAttestationId: linkedId ?? 0n,
    indexingValue: planned.indexingValue,
  }
}
