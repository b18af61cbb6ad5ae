import {
  type Address,
  concatHex,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  parseAbi,
} from 'viem'
import contracts from './contracts/verax.json' with { type: 'json' }
import { deployContract, type DevClient, type DevTransaction, mineTransactions } from './devChain.ts'

/** The part of the interface of Verax's registries and portals that the demo and the tests call. */
export const veraxAbi = parseAbi([
  'constructor(bool isTestnet)',
  'function initialize()',
  'function updateRouter(address router)',
  'function updateAttestationRegistry(address registry)',
  'function updateSchemaRegistry(address registry)',
  'function updatePortalRegistry(address registry)',
  'function updateModuleRegistry(address registry)',
  'function updateChainPrefix(uint256 prefix)',
  'function setIsTestnet(bool isTestnet)',
  'function createSchema(string name, string description, string context, string schema)',
  'function updateContext(bytes32 schemaId, string context)',
  'function deployDefaultPortal(address[] modules, string name, string description, bool isRevocable, string ownerName)',
  'struct AttestationPayload { bytes32 schemaId; uint64 expirationDate; bytes subject; bytes attestationData; }',
  'function attest(AttestationPayload payload, bytes[] validationPayloads) payable',
  'function bulkAttest(AttestationPayload[] payloads, bytes[][] validationPayloads)',
  'function massImport(AttestationPayload[] payloads, address portal)',
  'function replace(bytes32 attestationId, AttestationPayload payload, bytes[] validationPayloads) payable',
  'function bulkReplace(bytes32[] attestationIds, AttestationPayload[] payloads, bytes[][] validationPayloads)',
  'function revoke(bytes32 attestationId)',
  'function bulkRevoke(bytes32[] attestationIds)',
  'struct Attestation { bytes32 attestationId; bytes32 schemaId; bytes32 replacedBy; address attester; address portal; uint64 attestedDate; uint64 expirationDate; uint64 revocationDate; uint16 version; bool revoked; bytes subject; bytes attestationData; }',
  'function getAttestation(bytes32 attestationId) view returns (Attestation)',
  'event SchemaCreated(bytes32 indexed id, string name, string description, string context, string schemaString)',
  'event PortalRegistered(string name, string description, address portal)',
  'event ModuleRegistered(string name, string description, address moduleAddress)',
  'event AttestationRegistered(bytes32 indexed attestationId)',
])

/** The addresses of the contracts of a deployment. */
export interface VeraxContracts {
  readonly attestationRegistry: Address
  readonly schemaRegistry: Address
  readonly portalRegistry: Address
  readonly moduleRegistry: Address
}

export interface DeployVeraxOptions {
  /** The owner of the registries. */
  readonly from: Address
  /** How many transactions `from` has sent before. */
  readonly nonce: number
  /** The prefix of attestation ids. */
  readonly chainPrefix: bigint
  /** Returns the time of the next block to mine; by default the time of the chain's clock. */
  readonly nextTimestampS?: () => number | Promise<number>
}

/**
 * The addresses that `deployVerax` gives the contracts: they follow from the deployer and its earlier transactions.
 */
export function veraxContracts({ from, nonce }: Pick<DeployVeraxOptions, 'from' | 'nonce'>): VeraxContracts {
  const [attestationRegistry, schemaRegistry, portalRegistry, moduleRegistry] = [3, 5, 7, 9].map((place) =>
    getContractAddress({ from, nonce: BigInt(nonce + place) }),
  ) as [Address, Address, Address, Address]
  return { attestationRegistry, schemaRegistry, portalRegistry, moduleRegistry }
}

/**
 * Deploys the contracts (MIT, as published, in `contracts/verax.json`) and opens them to every account. Each stands
 * behind a minimal proxy, since it can be initialised only there.
 */
export async function deployVerax(client: DevClient, options: DeployVeraxOptions): Promise<VeraxContracts> {
  const { from, chainPrefix, nextTimestampS } = options
  const deploy = async (code: Hex) => deployContract(client, from, code, await nextTimestampS?.())
  const deployBehindProxy = async (code: Hex) => deploy(minimalProxy(await deploy(code)))
  const router = await deployBehindProxy(hex(contracts.router))
  const attestationRegistry = await deployBehindProxy(hex(contracts.attestationRegistry))
  const schemaRegistry = await deployBehindProxy(hex(contracts.schemaRegistry))
  const portalCode = encodeDeployData({
    abi: veraxAbi,
    bytecode: hex(contracts.portalRegistry),
    args: [true],
  })
  const portalRegistry = await deployBehindProxy(portalCode)
  const moduleRegistry = await deployBehindProxy(hex(contracts.moduleRegistry))
  const registries = [attestationRegistry, schemaRegistry, portalRegistry, moduleRegistry]
  const call = (to: Address, data: Hex): DevTransaction => ({ from, to, data })
  const initialize = encodeFunctionData({ abi: veraxAbi, functionName: 'initialize' })
  const updateRouter = encodeFunctionData({ abi: veraxAbi, functionName: 'updateRouter', args: [router] })
  const updates = (
    [
      ['updateAttestationRegistry', attestationRegistry],
      ['updateSchemaRegistry', schemaRegistry],
      ['updatePortalRegistry', portalRegistry],
      ['updateModuleRegistry', moduleRegistry],
    ] as const
  ).map(([functionName, address]) =>
    call(router, encodeFunctionData({ abi: veraxAbi, functionName, args: [address] })),
  )
  const prefixed = { abi: veraxAbi, functionName: 'updateChainPrefix', args: [chainPrefix] } as const
  const opened = { abi: veraxAbi, functionName: 'setIsTestnet', args: [true] } as const
  const transactions = [
    ...[router, ...registries].map((registry) => call(registry, initialize)),
    ...updates,
    ...registries.map((registry) => call(registry, updateRouter)),
    call(attestationRegistry, encodeFunctionData(prefixed)),
    call(portalRegistry, encodeFunctionData(opened)),
  ]
  await mineTransactions(client, transactions, await nextTimestampS?.())
  return { attestationRegistry, schemaRegistry, portalRegistry, moduleRegistry }
}

/** The creation code of a proxy that delegates every call to one contract (ERC-1167). */
function minimalProxy(implementation: Address): Hex {
  return concatHex([
    '0x3d602d80600a3d3981f3363d3d373d3d3d363d73',
    implementation,
    '0x5af43d82803e903d91602b57fd5bf3',
  ])
}

function hex(text: string): Hex {
  return text as Hex
}
