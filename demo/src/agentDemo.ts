import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  keccak256,
  parseAbi,
  stringToHex,
  zeroHash,
} from 'viem'
import { type DemoAgent, demoAgents } from './content/agents.ts'
import contracts from './contracts/agents.json' with { type: 'json' }
import { demoAccount } from './demoAccounts.ts'
import type { DemoCalls, DemoProtocol } from './demoProtocol.ts'
import { deployContract, type DevTransaction, mineTransactions } from './devChain.ts'

/** The interface of the demo's own registries (`contracts/AgentRegistries.sol`). */
export const agentAbi = parseAbi([
  'constructor(address identities)',
  'function register(string agentURI) returns (uint256 agentId)',
  'function setAgentURI(uint256 agentId, string newURI)',
  'function setMetadata(uint256 agentId, string key, bytes value)',
  'function transferFrom(address from, address to, uint256 agentId)',
  'function giveFeedback(uint256 agentId, int128 value, uint8 valueDecimals, string tag1, string tag2, string endpoint, string feedbackURI, bytes32 feedbackHash)',
  'function revokeFeedback(uint256 agentId, uint64 feedbackIndex)',
  'function appendResponse(uint256 agentId, address clientAddress, uint64 feedbackIndex, string responseURI, bytes32 responseHash)',
  'function validationRequest(address validatorAddress, uint256 agentId, string requestURI, bytes32 requestHash)',
  'function validationResponse(bytes32 requestHash, uint8 response, string responseURI, bytes32 responseHash, string tag)',
])

/** An account that does nothing else, so that the addresses of its contracts are known before. */
const deployer = demoAccount(31).address
const identityRegistry = getContractAddress({ from: deployer, nonce: 0n })
const reputationRegistry = getContractAddress({ from: deployer, nonce: 1n })
const validationRegistry = getContractAddress({ from: deployer, nonce: 2n })

/**
 * ERC-8004: agents, what clients and validators say of them, and a transfer, all at the beginning of the chain. Later
 * transactions have none of it: the history that the demo makes is one of schemas and attestations.
 */
export const agentDemo: DemoProtocol<Hex> = {
  chainId: 31_338,
  chainName: 'Demo L2',
  schemas: [],
  attestations: 0,
  contracts: [
    {
      protocol: 'erc8004',
      address: identityRegistry,
      schemaRegistry: null,
      reputationRegistry,
      validationRegistry,
      startBlock: 1,
    },
  ],
  deploy: async (client, { nextTimestampS }) => {
    await deployContract(client, deployer, hex(contracts.identityRegistry), await nextTimestampS?.())
    for (const code of [contracts.reputationRegistry, contracts.validationRegistry]) {
      const data = encodeDeployData({ abi: agentAbi, bytecode: hex(code), args: [identityRegistry] })
      await deployContract(client, deployer, data, await nextTimestampS?.())
    }
    for (const transactions of [registrations(), feedback(), afterwards(), validations()]) {
      // A block holds the gas of about a hundred.
      for (let from = 0; from < transactions.length; from += blockMax) {
        const block = transactions.slice(from, from + blockMax)
        await mineTransactions(client, block, await nextTimestampS?.())
      }
    }
    return noCalls
  },
}

/** Transactions of a block. */
const blockMax = 20

/** The account that validates agents. */
const validatorAccount = 9

/** The URI that holds a registration. */
export function registrationUri({ name, description, endpoint, skill }: DemoAgent): string {
  const registration = {
    type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
    name,
    description,
    active: true,
    supportedTrust: ['reputation'],
    services: [
      { name: 'A2A', endpoint, version: '0.3.0' },
      ...(skill === undefined
        ? []
        : [
            { name: 'MCP', endpoint: endpoint.replace('/a2a', '/mcp'), version: '2025-06-18' },
            { name: 'OASF', endpoint: '', version: '0.8', skills: [skill], domains: [skill.split('/')[0]] },
          ]),
    ],
  }
  return `data:application/json;base64,${Buffer.from(JSON.stringify(registration)).toString('base64')}`
}

function registrations(): DevTransaction[] {
  return demoAgents.map((agent) => ({
    from: demoAccount(agent.owner).address,
    to: identityRegistry,
    data: encodeFunctionData({
      abi: agentAbi,
      functionName: 'register',
      args: [agent.isOnChain ? registrationUri(agent) : `https://agents.example/${agent.owner}.json`],
    }),
  }))
}

function feedback(): DevTransaction[] {
  return demoAgents.flatMap(({ feedback: given, endpoint }, number) =>
    given.map(({ client, value, tag }) => ({
      from: demoAccount(client).address,
      to: reputationRegistry,
      data: encodeFunctionData({
        abi: agentAbi,
        functionName: 'giveFeedback',
        args: [BigInt(number), BigInt(value), 0, tag, '', endpoint, '', zeroHash],
      }),
    })),
  )
}

/** A revocation, a response, some metadata, a new registration and a transfer, of the first two agents. */
function afterwards(): DevTransaction[] {
  const [first, second] = demoAgents
  if (first === undefined || second === undefined) throw new RangeError('The demo has at least two agents.')
  const [praise, , doubt] = first.feedback
  if (praise === undefined || doubt === undefined) throw new RangeError('The first has three feedback.')
  const owner = demoAccount(first.owner).address
  const seller = demoAccount(second.owner).address
  const thanks = 'https://agents.example/thanks.txt'
  const responded = [0n, demoAccount(praise.client).address, 1n, thanks, hashOf(thanks)] as const
  const renewed = registrationUri({ ...first, description: `${first.description} Now around the clock.` })
  const call = (from: Address, to: Address, data: Hex): DevTransaction => ({ from, to, data })
  return [
    call(
      demoAccount(doubt.client).address,
      reputationRegistry,
      encodeFunctionData({ abi: agentAbi, functionName: 'revokeFeedback', args: [0n, 1n] }),
    ),
    call(
      owner,
      reputationRegistry,
      encodeFunctionData({ abi: agentAbi, functionName: 'appendResponse', args: responded }),
    ),
    call(
      owner,
      identityRegistry,
      encodeFunctionData({
        abi: agentAbi,
        functionName: 'setMetadata',
        args: [0n, 'category', stringToHex('research')],
      }),
    ),
    call(
      owner,
      identityRegistry,
      encodeFunctionData({ abi: agentAbi, functionName: 'setAgentURI', args: [0n, renewed] }),
    ),
    call(
      seller,
      identityRegistry,
      encodeFunctionData({ abi: agentAbi, functionName: 'transferFrom', args: [seller, owner, 1n] }),
    ),
  ]
}

/** The owner of the first two agents asks a validator about each; the validator has answered for the first one. */
function validations(): DevTransaction[] {
  const owner = demoAccount(demoAgents[0]?.owner ?? 0).address
  const validator = demoAccount(validatorAccount).address
  const [answered, open] = ['audit-0', 'audit-1'].map((name) => `https://agents.example/${name}.json`)
  if (answered === undefined || open === undefined) throw new RangeError('There are two requests.')
  const report = 'https://validator.example/audit-0.txt'
  const request = (agentId: bigint, uri: string): DevTransaction => ({
    from: owner,
    to: validationRegistry,
    data: encodeFunctionData({
      abi: agentAbi,
      functionName: 'validationRequest',
      args: [validator, agentId, uri, hashOf(uri)],
    }),
  })
  return [
    request(0n, answered),
    request(1n, open),
    {
      from: validator,
      to: validationRegistry,
      data: encodeFunctionData({
        abi: agentAbi,
        functionName: 'validationResponse',
        args: [hashOf(answered), 97, report, hashOf(report), 'audit'],
      }),
    },
  ]
}

const hashOf = (text: string): Hex => keccak256(stringToHex(text))

const noCalls: DemoCalls<Hex> = {
  register: () => refuse(),
  attest: () => refuse(),
  revoke: () => refuse(),
  anchor: () => refuse(),
  revokeAnchor: () => refuse(),
  createdIds: () => ({ schemaIds: [], attestationIds: [] }),
}

function refuse(): never {
  throw new RangeError('The registries of agents have no schemas and no attestations to make.')
}

function hex(text: string): Hex {
  return text as Hex
}
