import {
  type Address,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  encodePacked,
  getContractAddress,
  type Hex,
  isAddress,
  keccak256,
  parseEventLogs,
  stringToHex,
  zeroAddress,
  zeroHash,
} from 'viem'
import { easSchemas } from './content/easSchemas.ts'
import contracts from './contracts/eas.json' with { type: 'json' }
import { demoAccount } from './demoAccounts.ts'
import type { DemoAttestation, DemoCalls, DemoProtocol } from './demoProtocol.ts'
import { deployContract, mineTransactions } from './devChain.ts'
import { easAbi } from './easAbi.ts'

/** The schema under which registrants name their schemas. */
const namingText = 'bytes32 schemaId,string name'

const deployer = demoAccount(0).address
const registry = getContractAddress({ from: deployer, nonce: 0n })
const eas = getContractAddress({ from: deployer, nonce: 1n })

/** The Ethereum Attestation Service: its contracts (MIT) are in `contracts/eas.json` as they were published. */
export const easDemo: DemoProtocol<Hex> = {
  chainId: 31_338,
  chainName: 'Demo L2',
  schemas: easSchemas,
  attestations: 1_200,
  contracts: [{ protocol: 'eas', address: eas, schemaRegistry: registry, startBlock: 1 }],
  deploy: async (client, { from, nextTimestampS }) => {
    await deployContract(client, from, hex(contracts.schemaRegistry), await nextTimestampS?.())
    const code = encodeDeployData({ abi: easAbi, bytecode: hex(contracts.eas), args: [registry] })
    await deployContract(client, from, code, await nextTimestampS?.())
    const naming = encodeFunctionData({
      abi: easAbi,
      functionName: 'register',
      args: [namingText, zeroAddress, true],
    })
    await mineTransactions(client, [{ from, to: registry, data: naming }], await nextTimestampS?.())
    return easCalls
  },
}

const easCalls: DemoCalls<Hex> = {
  register: async (content, text) => {
    const from = demoAccount(content.registrant).address
    const revocable = content.revocable ?? true
    const args = [text, zeroAddress, revocable] as const
    const name = encodeAbiParameters(
      [{ type: 'bytes32' }, { type: 'string' }],
      [schemaUid(text, revocable), content.name],
    )
    const naming = {
      recipient: zeroAddress,
      expirationTime: 0n,
      revocable: true,
      refUID: zeroHash,
      value: 0n,
    }
    return [
      { from, to: registry, data: encodeFunctionData({ abi: easAbi, functionName: 'register', args }) },
      { from, to: eas, data: encodeAttest(schemaUid(namingText, true), [{ ...naming, data: name }]) },
    ]
  },
  attest: async (attestations) => {
    const [first] = attestations
    if (first === undefined) throw new RangeError('A batch holds at least one attestation.')
    return {
      from: demoAccount(first.planned.attester).address,
      to: eas,
      data: encodeAttest(first.schemaId, attestations.map(requestData)),
    }
  },
  revoke: async (attester, revocations) => {
    const data = revocations.map(({ attestationId }) => ({ uid: attestationId, value: 0n }))
    const args = [[{ schema: revocations[0]?.schemaId ?? zeroHash, data }]] as const
    return {
      from: attester,
      to: eas,
      data: encodeFunctionData({ abi: easAbi, functionName: 'multiRevoke', args }),
    }
  },
  anchor: async (attester, ids) => ({
    from: attester,
    to: eas,
    data: encodeFunctionData({ abi: easAbi, functionName: 'multiTimestamp', args: [ids.map(hashText)] }),
  }),
  revokeAnchor: async (attester, ids) => ({
    from: attester,
    to: eas,
    data: encodeFunctionData({ abi: easAbi, functionName: 'multiRevokeOffchain', args: [ids.map(hashText)] }),
  }),
  createdIds: ({ logs }) => {
    const events = parseEventLogs({ abi: easAbi, logs })
    return {
      schemaIds: events.flatMap((log) => (log.eventName === 'Registered' ? [log.args.uid] : [])),
      attestationIds: events.flatMap((log) => (log.eventName === 'Attested' ? [log.args.uid] : [])),
    }
  },
}

interface RequestData {
  readonly recipient: Address
  readonly expirationTime: bigint
  readonly revocable: boolean
  readonly refUID: Hex
  readonly data: Hex
  readonly value: bigint
}

function requestData({ linkedId, revocable, planned }: DemoAttestation<Hex>): RequestData {
  const [recipient] = planned.recipients
  return {
    recipient: recipient !== undefined && isAddress(recipient) ? recipient : zeroAddress,
    expirationTime: planned.validUntil,
    revocable,
    refUID: linkedId ?? zeroHash,
    data: planned.data,
    value: 0n,
  }
}

function encodeAttest(schema: Hex, data: readonly RequestData[]): Hex {
  return encodeFunctionData({ abi: easAbi, functionName: 'multiAttest', args: [[{ schema, data }]] })
}

/** The uid of a schema without a resolver: the hash of its content. */
export function schemaUid(text: string, revocable: boolean): Hex {
  return keccak256(encodePacked(['string', 'address', 'bool'], [text, zeroAddress, revocable]))
}

function hashText(text: string): Hex {
  return keccak256(stringToHex(text))
}

function hex(text: string): Hex {
  return text as Hex
}
