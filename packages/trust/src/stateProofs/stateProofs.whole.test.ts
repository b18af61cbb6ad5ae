import { readFileSync } from 'node:fs'
import {
  encodeDeployData,
  encodeFunctionData,
  keccak256,
  parseAbi,
  parseEventLogs,
  toHex,
  zeroAddress,
  zeroHash,
  type Abi,
  type Hex as ViemHex,
} from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import contracts from '@attestry/demo/contracts/eas.json' with { type: 'json' }
import { compileSolidity } from '@attestry/demo/compileSolidity.ts'
import { deployContract, mineBlock, mineTransactions } from '@attestry/demo/devChain.ts'
import { easAbi } from '@attestry/demo/easAbi.ts'
import { startLocalChain, type LocalChain } from '@attestry/test/harness/localChain.ts'
import { formatCompositeId, localIdOfCounter, type LocalId } from '@attestry/core/model/compositeId.ts'
import { parseAddress, type Address, type Hash } from '@attestry/core/model/hex.ts'
import { encodeHeader } from '../proofs/encodeHeader.ts'
import { stateBlockOf } from './buildStateProof.ts'
import { checkStateProof } from './checkStateProof.ts'
import { feedbackId, layoutProtocols } from './layouts.ts'
import { implementationSlot } from './readClaim.ts'
import { layoutNames, type Claim, type IndexName, type StateProof } from './stateProof.ts'
import { takeStateProof, type TakenState } from './takeStateProof.ts'
import { verifyStateProof } from './verifyStateProof.ts'

// Layouts hold for the real contracts, and for anvil's own habits: zero as a leaf, and proofs of the newest state only.

let chain: LocalChain
let eas: Address
let registry: Address
let schema: ViemHex
const layouts = new Map<string, Address>()

beforeAll(async () => {
  chain = await startLocalChain()
  const from = chain.account(0).address
  registry = lower(await deployContract(chain.client, from, contracts.schemaRegistry as ViemHex))
  const bytecode = contracts.eas as ViemHex
  eas = lower(
    await deployContract(chain.client, from, encodeDeployData({ abi: easAbi, bytecode, args: [registry] })),
  )
  const data = encodeFunctionData({
    abi: easAbi,
    functionName: 'register',
    args: ['bytes data', zeroAddress, true],
  })
  const [receipt] = await mineTransactions(chain.client, [{ from, to: registry, data }])
  schema = parseEventLogs({ abi: easAbi, eventName: 'Registered', logs: receipt!.logs })[0]!.args.uid
  const source = readFileSync(new URL('../../contracts/testing/Layouts.sol', import.meta.url), 'utf8')
  const names = ['ReputationLayout', 'CoinbaseLayout', 'PassportLayout', 'IndexerLayout']
  const artifacts = await compileSolidity(
    { 'Layouts.sol': source },
    names.map((name) => `Layouts.sol:${name}`),
  )
  for (const name of names) {
    const artifact = artifacts[`Layouts.sol:${name}`]
    layouts.set(name, lower(await deployContract(chain.client, from, artifact?.bytecode ?? '0x')))
  }
}, 60_000)
afterAll(() => chain?.stop())

function lower(address: string): Address {
  const parsed = parseAddress(address)
  if (parsed === null) throw new Error(`${address} is no address`)
  return parsed
}

async function take(protocol: string, contract: Address, claims: readonly Claim[]): Promise<TakenState> {
  const told = await ask('eth_getBlockByNumber', ['latest', false])
  const headerRlp = encodeHeader(told as Record<string, unknown>)
  const block = headerRlp === null ? null : stateBlockOf(headerRlp)
  if (block === null) throw new Error('the header has an unknown form')
  const subjects = layoutNames
    .filter((layout) => layoutProtocols[layout] === protocol)
    .flatMap((layout) =>
      claims.map((claim) => ({ chainId: chain.chainId, protocol, place: { contract, layout }, claim })),
    )
  return await takeStateProof(subjects, {
    block,
    ask: (wanted) =>
      Promise.all(
        wanted.map(({ account, slots }) => ask('eth_getProof', [account, slots, toHex(block.number)])),
      ),
    implementationOf: () => null,
  })
}

async function prove(protocol: string, contract: Address, ...claims: readonly Claim[]): Promise<StateProof> {
  const taken = await take(protocol, contract, claims)
  if (taken.kind !== 'proof') throw new Error(JSON.stringify(taken))
  return taken.proof
}

function ask(method: string, params: readonly unknown[]): Promise<unknown> {
  return chain.client.request({ method, params } as never)
}

const idOf = (localId: string) => formatCompositeId({ chainId: chain.chainId, localId: localId as LocalId })
const attestation = (localId: string): Claim => ({ kind: 'attestation', id: idOf(localId) })

async function attest(recipient: Address, data: ViemHex, expirationTime = 0n): Promise<Hash> {
  const request = { recipient, expirationTime, revocable: true, refUID: zeroHash, data, value: 0n }
  const args = [[{ schema, data: [request] }]] as const
  const call = encodeFunctionData({ abi: easAbi, functionName: 'multiAttest', args })
  const [receipt] = await mineTransactions(chain.client, [
    { from: chain.account(1).address, to: eas, data: call },
  ])
  return parseEventLogs({ abi: easAbi, eventName: 'Attested', logs: receipt!.logs })[0]!.args
    .uid as string as Hash
}

async function send(index: number, to: Address, signature: string, args: readonly unknown[]): Promise<void> {
  const abi: Abi = parseAbi([signature] as readonly string[])
  await mineTransactions(chain.client, [
    { from: chain.account(index).address, to, data: encodeFunctionData({ abi, args }) },
  ])
}

test('records of EAS and of Sign Protocol are proven with payloads of any length, and once they are revoked', async () => {
  const attester = chain.account(1).address
  const recipient = lower(chain.account(5).address)
  for (const length of [0, 31, 32, 33, 5_000]) {
    const data: ViemHex = `0x${'c7'.repeat(length)}`
    const uid = await attest(recipient, data, 4_000_000_000n)
    const { says, layout } = await prove('eas', eas, attestation(uid))
    expect(layout.name).toBe('eas-1.2')
    expect(says).toEqual({
      exists: true,
      revoked: false,
      revokedAt: null,
      expiresAt: 4_000_000_000,
      dataHash: keccak256(data),
      schemaId: schema,
      attester: lower(attester),
      recipients: [recipient],
    })
    if (length !== 33) continue
    const args = [[{ schema, data: [{ uid, value: 0n }] }]] as const
    const call = encodeFunctionData({ abi: easAbi, functionName: 'multiRevoke', args })
    await mineTransactions(chain.client, [{ from: attester, to: eas, data: call }])
    const proof = await prove('eas', eas, attestation(uid))
    expect(proof.says).toMatchObject({ revoked: true, revokedAt: proof.block.timestamp })
  }

  const { schemaId } = await chain.register({ registrant: attester, data: '{}' })
  const sign = lower(chain.address)
  await chain.attest({ schemaId, attester })
  await chain.mineTogether([
    await chain.build.attest({ schemaId, attester }),
    await chain.build.revoke(attester, 2n, 'in the same block'),
  ])
  const first = await prove('sign', sign, attestation(localIdOfCounter(1n)))
  expect(first).toMatchObject({
    layout: { name: 'sign-1.1' },
    says: { revoked: false, attester: lower(attester) },
  })
  expect(first.contracts[0]?.implementation).not.toBeNull()
  const second = await prove('sign', sign, attestation(localIdOfCounter(2n)))
  expect(second.says).toMatchObject({ revoked: true, revokedAt: second.block.timestamp })
  expect((await take('sign', sign, [attestation(localIdOfCounter(3n))])).kind).toBe('unfit')
  expect((await prove('sign', sign, { kind: 'count', witness: null })).says).toEqual({
    attestations: '2',
    lastId: '0x2',
  })

  // The proxy is upgraded between two blocks: parts of both are no proof.
  const { address } = second.contracts[0] ?? {}
  await ask('anvil_setStorageAt', [address, implementationSlot, `0x${eas.slice(2).padStart(64, '0')}`])
  await mineBlock(chain.client)
  const upgraded = await prove('sign', sign, attestation(localIdOfCounter(2n)))
  expect(upgraded.contracts[0]?.implementation?.address).toBe(eas)
  expect(checkStateProof({ ...upgraded, accounts: second.accounts }).kind).toBe('invalid')
  expect(checkStateProof({ ...second, block: upgraded.block }).kind).toBe('invalid')
  expect(verifyStateProof(second, { blockHash: upgraded.block.hash })).toMatchObject({ valid: false })
  expect(verifyStateProof(upgraded, { blockHash: upgraded.block.hash, contract: sign })).toMatchObject({
    valid: true,
  })
})

test('anchors, feedback and indexes of issuers are proven both ways', async () => {
  const [signer, recipient, nobody] = [1, 5, 6].map((index) => lower(chain.account(index).address)) as [
    Address,
    Address,
    Address,
  ]
  const uid = await attest(recipient, '0x01')
  const anchored = keccak256('0xaa') as string as Hash
  await send(1, eas, 'function multiRevokeOffchain(bytes32[] data) returns (uint64)', [[anchored]])
  const anchor = { kind: 'anchor', account: signer, uid: anchored, witness: idOf(uid) } as const
  expect((await prove('eas', eas, anchor)).says).toMatchObject({ revoked: true, timestampedAt: null })
  expect((await prove('eas', eas, { ...anchor, account: nobody })).says).toMatchObject({ revoked: false })

  const reputation = layouts.get('ReputationLayout')!
  const give = 'function giveFeedback(uint256 agentId, int128 value, uint8 decimals, string tag1)'
  await send(5, reputation, give, [22n, -7n, 1, 'a tag'])
  await send(5, reputation, give, [22n, 9n, 0, ''])
  await send(6, reputation, give, [22n, 1n, 0, ''])
  await send(5, reputation, 'function revokeFeedback(uint256 agentId, uint64 index)', [22n, 2n])
  const all = { kind: 'reputation', agentId: '22', client: null, witness: null } as const
  expect((await prove('erc8004', reputation, all)).says).toEqual({
    clients: [
      {
        client: recipient,
        feedback: [
          { index: '1', value: '-7', decimals: 1, revoked: false },
          { index: '2', value: '9', decimals: 0, revoked: true },
        ],
      },
      { client: nobody, feedback: [{ index: '1', value: '1', decimals: 0, revoked: false }] },
    ],
    count: 3,
    revoked: 1,
  })
  const feedback = { agentId: '22', client: recipient, index: '2' }
  const one: Claim = { kind: 'attestation', id: idOf(feedbackId(feedback)), feedback }
  expect((await prove('erc8004', reputation, one)).says).toMatchObject({ revoked: true, attester: recipient })

  for (const [name, layout] of [
    ['coinbase', 'CoinbaseLayout'],
    ['passport', 'PassportLayout'],
    ['eas-indexer', 'IndexerLayout'],
  ] as const satisfies readonly (readonly [IndexName, string])[]) {
    const contract = layouts.get(layout)!
    await send(1, contract, 'function put(address recipient, bytes32 schema, bytes32 uid)', [
      recipient,
      schema,
      uid,
    ])
    const holder = {
      kind: 'holder',
      address: recipient,
      schemaId: schema,
      attester: signer,
      attestation: null,
      index: { name, contract },
      witness: null,
    } as const
    expect((await prove('eas', eas, holder)).says).toEqual({ holds: true, attestation: uid, expiresAt: null })
    const witness = { address: recipient, attestation: uid }
    const none = { ...holder, address: nobody }
    const proof = await prove('eas', eas, none, { ...none, witness })
    expect(proof.says).toEqual({
      holds: name === 'eas-indexer' ? null : false,
      attestation: null,
      expiresAt: null,
    })
    expect((await take('eas', eas, [none])).kind).toBe('unfit')
  }
})
