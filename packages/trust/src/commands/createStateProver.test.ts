import { afterEach, describe, expect, test } from 'vitest'
import { createStateFetcher } from '@attestry/core/chain/createStateFetcher.ts'
import { formatCompositeId, type LocalId } from '@attestry/core/model/compositeId.ts'
import { parseAddress, zeroAddress, type Address } from '@attestry/core/model/hex.ts'
import { createSleepingClock } from '@attestry/test/harness/sleepingClock.ts'
import { rpcError, startScriptedRpcServer } from '@attestry/test/harness/scriptedRpcServer.ts'
import { implementationSlot } from '../stateProofs/readClaim.ts'
import type { BlockState, KnownBlocks } from '../stateProofs/knownBlocks.ts'
import { putRecord, someWord } from '../stateProofs/testing/madeRecords.ts'
import {
  makeState,
  type MadeAccount,
  type MadeState,
  type MadeStorage,
} from '../stateProofs/testing/madeState.ts'
import { openSqliteBeside } from '@attestry/store/beside/openSqliteBeside.ts'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { keptProofsLayout, openKeptProofs, type KeptProofs } from '../stateProofs/keptProofs.ts'
import { createStateProver, type WantedProof } from './createStateProver.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

const addressOf = (byte: string): Address => parseAddress(`0x${byte.repeat(20)}`) ?? zeroAddress
const [contract, attester, recipient, implementation] = ['11', 'a1', 'b2', 'ee'].map(addressOf) as [
  Address,
  Address,
  Address,
  Address,
]
const uid = someWord('5a')

async function stateAt(number: number, revokedAt = 0n, isProxy = false): Promise<MadeState> {
  const storage: MadeStorage = new Map()
  putRecord(storage, 'eas-1.2', { id: uid, schema: someWord('77'), attester, recipient, revokedAt })
  if (isProxy) storage.set(implementationSlot, BigInt(implementation))
  const accounts: MadeAccount[] = [{ address: contract, storage }]
  if (isProxy) accounts.push({ address: implementation, code: '0x6001', storage: new Map() })
  return await makeState(accounts, number)
}

const wanted: WantedProof = {
  chainId: 7,
  protocol: 'eas',
  key: 'attestation',
  claims: (['eas-0.26', 'eas-1.2', 'eas-predeploy'] as const).map((layout) => ({
    place: { contract, layout },
    claim: { kind: 'attestation', id: formatCompositeId({ chainId: 7, localId: uid as string as LocalId }) },
  })),
}

/** A node: its state, the state of its proofs if that is another one, and its refusal to prove. */
interface MadeNode {
  state: MadeState
  answers: Pick<MadeState, 'prove'> | null
  refusal: unknown
}

/** The index: the block that is newest there, and what it says of any block. */
interface IndexedBlocks {
  newest: { number: number; timestamp: number } | null
  state: BlockState
}

/** A prover over nodes, each of which has a state and may refuse proofs. */
function open(...states: readonly MadeState[]) {
  return openShared(undefined, ...states)
}

async function openShared(
  shared: Pick<KeptProofs, 'put' | 'find'> | undefined,
  ...states: readonly MadeState[]
) {
  const clock = createSleepingClock()
  const nodes = await Promise.all(
    states.map(async (first) => {
      const node: MadeNode = { state: first, answers: null, refusal: null }
      const server = await startScriptedRpcServer(7, {
        eth_getBlockByNumber: () => node.state.block,
        eth_getProof: ({ params: [account, slots] }) =>
          node.refusal ?? (node.answers ?? node.state).prove({ account, slots } as never),
      })
      cleanups.push(() => server.close())
      return { node, server }
    }),
  )
  const fetcher = createStateFetcher({ chainId: 7, endpoints: nodes.map(({ server }) => server.url), clock })
  cleanups.push(() => fetcher.close())
  const failures: unknown[] = []
  const unshared: unknown[] = []
  const prover = createStateProver({
    fetchers: new Map([[7, fetcher]]),
    limits: { blocksAtOnceMax: 2, blocksWaitingMax: 20, blocksPerMinute: 10 },
    onFailure: (_chainId, error) => failures.push(error),
    ...(shared === undefined ? {} : { shared }),
    onUnshared: (error) => unshared.push(error),
    clock,
  })
  const index: IndexedBlocks = { newest: null, state: 'unknown' }
  const blocks: KnownBlocks = {
    findNewest: () => Promise.resolve(index.newest),
    stateOf: () => Promise.resolve(index.state),
  }
  const requests = () =>
    nodes.reduce(
      (sum, { server }) =>
        sum + server.requests.filter(({ calls }) => calls[0]?.method !== 'eth_chainId').length,
      0,
    )
  return {
    prover,
    index,
    clock,
    failures,
    unshared,
    nodes,
    requests,
    prove: (more = {}) => prover.prove({ ...wanted, ...more }, blocks),
    blocks,
  }
}

const timestamp = 0x684ee1bc

describe('a proof of state', () => {
  test('takes two requests, also of a proxy, and is kept until a newer block is indexed', async () => {
    const { prove, requests, index, nodes } = await open(await stateAt(77, 0n, true))
    const first = await prove()
    expect(first).toMatchObject({
      blockState: 'unknown',
      keptBecause: null,
      proof: { layout: { name: 'eas-1.2' } },
    })
    expect(requests()).toBe(3)
    index.newest = { number: 77, timestamp }
    index.state = 'indexed'
    expect(await prove()).toMatchObject({ proof: first.proof, blockState: 'indexed' })
    expect(requests()).toBe(3)
    nodes[0]!.node.state = await stateAt(78, 5n, true)
    index.newest = { number: 78, timestamp }
    expect(await prove()).toMatchObject({ proof: { block: { number: 78 }, says: { revoked: true } } })
    expect(requests()).toBe(5)
  })

  test('is the same for all that ask at once, and found again by its block', async () => {
    const { prove, requests, prover, blocks, index, nodes } = await open(await stateAt(77))
    const all = await Promise.all([prove(), prove(), prove()])
    expect(new Set(all.map(({ proof }) => proof)).size).toBe(1)
    expect(requests()).toBe(2)
    const { hash } = all[0].proof.block
    nodes[0]!.node.state = await stateAt(78)
    index.newest = { number: 78, timestamp }
    await prove()
    for (const state of ['final', 'left'] as const) {
      index.state = state
      expect(await prover.findKept(wanted, hash, blocks)).toMatchObject({
        blockState: state,
        proof: { block: { number: 77 } },
      })
    }
    expect(await prover.findKept(wanted, someWord('01'), blocks)).toBeNull()
  })

  test('that is older is served with the reason, unless the index knows better', async () => {
    const { prove, index, nodes } = await open(await stateAt(77))
    await prove()
    index.newest = { number: 78, timestamp }
    nodes[0]!.node.refusal = rpcError(-32000, 'the proof window is 0 blocks')
    expect(await prove()).toMatchObject({
      proof: { block: { number: 77 } },
      keptBecause: expect.stringContaining('the proof window is 0 blocks') as unknown,
    })
    const contradiction = ({ says }: { says: object }) =>
      'revoked' in says && says.revoked === true ? null : 'is old'
    await expect(prove({ contradiction })).rejects.toMatchObject({ statusCode: 503 })
    index.state = 'left'
    await expect(prove()).rejects.toMatchObject({ statusCode: 503, retryAfterSeconds: 30 })
  })

  test('that one process has taken is kept for all others', async () => {
    const { path, remove } = createSqliteTestStore({ rankThreshold: 1 })
    cleanups.push(remove)
    const kept = [1, 2].map(() => openKeptProofs(openSqliteBeside(`${path}.proofs`, keptProofsLayout)))
    cleanups.push(...kept.map((each) => () => each.close()))
    const [one, two] = await Promise.all(kept.map(async (each) => openShared(each, await stateAt(77))))
    const { proof } = await one!.prove()
    expect(await two!.prover.findKept(wanted, proof.block.hash, two!.blocks)).toMatchObject({
      proof,
      keptBecause: null,
    })
    two!.nodes[0]!.node.refusal = rpcError(-32000, 'the proof window is 0 blocks')
    expect(await two!.prove()).toMatchObject({
      proof,
      keptBecause: expect.stringContaining('the proof window is 0 blocks') as unknown,
    })
    const contradiction = () => 'is old'
    await expect(two!.prove({ contradiction })).rejects.toMatchObject({ statusCode: 503 })
    expect([...one!.unshared, ...two!.unshared]).toEqual([])
  })

  test('is served if it cannot be kept for others', async () => {
    const failure = new Error('full')
    const shared = { put: () => Promise.reject(failure), find: () => Promise.reject(failure) }
    const { prove, prover, blocks, unshared } = await openShared(shared, await stateAt(77))
    const { proof } = await prove()
    expect(await prover.findKept(wanted, proof.block.hash, blocks)).toMatchObject({ proof })
    expect(await prover.findKept(wanted, someWord('01'), blocks)).toBeNull()
    expect(unshared).toEqual([failure, failure])
  })

  test('is refused where no layout fits, and the endpoint is not to blame', async () => {
    const { prove, failures } = await open(await makeState([{ address: contract, storage: new Map() }]))
    await expect(prove()).rejects.toMatchObject({
      statusCode: 409,
      message: expect.stringContaining('the layout eas-1.2 has the id of the record') as unknown,
    })
    await expect(prove({ claims: [], impossible: 'Nothing is kept.' })).rejects.toThrow('Nothing is kept.')
    expect(failures).toEqual([])
  })

  test('is limited in number', async () => {
    const { prove } = await open(await stateAt(77))
    for (let key = 0; key < 10; key++) await prove({ key: `attestation ${key}` })
    await expect(prove({ key: 'attestation 10' })).rejects.toMatchObject({ code: 'API_OVERLOADED' })
    expect(await prove({ key: 'attestation 9' })).toMatchObject({ proof: { block: { number: 77 } } })
  })
})

describe('an endpoint', () => {
  test('without the method costs one request an hour, and its reason is reported', async () => {
    const { prove, requests, nodes, clock } = await open(await stateAt(77))
    const { node } = nodes[0]!
    node.refusal = rpcError(-32601, 'the method eth_getProof does not exist')
    for (let times = 0; times < 3; times++) {
      await expect(prove()).rejects.toMatchObject({
        statusCode: 503,
        message: expect.stringContaining('the method eth_getProof does not exist') as unknown,
      })
    }
    expect(requests()).toBe(2)
    const hour = (ms: number) => clock.sleep(ms, new AbortController().signal)
    await hour(3_599_000)
    await expect(prove()).rejects.toMatchObject({ statusCode: 503 })
    expect(requests()).toBe(2)
    await hour(1_000)
    await expect(prove()).rejects.toMatchObject({ statusCode: 503 })
    expect(requests()).toBe(3)
    node.refusal = null
    await hour(3_600_000)
    expect(await prove()).toMatchObject({ proof: { block: { number: 77 } } })
  })

  test.each([
    [
      'answers of another block',
      async (node: MadeNode) => (node.answers = await stateAt(78, 5n)),
      /is not of the state of the block/,
    ],
    [
      'is behind its window',
      async (node: MadeNode) => (node.refusal = rpcError(-32603, 'missing trie node ab')),
      /missing trie node/,
    ],
    [
      'answers with nothing',
      async (node: MadeNode) => (
        (node.refusal = null),
        (node.answers = { prove: () => Promise.resolve({}) })
      ),
      /has no list of nodes/,
    ],
    [
      'hides a word',
      async (node: MadeNode) => {
        const { prove } = node.state
        node.answers = {
          prove: async (asked: never) => {
            const answer = (await prove(asked)) as { storageProof: { proof: unknown[] }[] }
            for (const { proof } of answer.storageProof) proof.pop()
            return answer
          },
        }
      },
      /does not prove the slot/,
    ],
    [
      'has a header of its own',
      async (node: MadeNode) =>
        (node.state = { ...node.state, block: { ...node.state.block, timestamp: '0x1' } }),
      /form that is not known/,
    ],
  ])('that %s gives no proof, and the other one does', async (_what, damage, reason) => {
    const alone = await open(await stateAt(77))
    await damage(alone.nodes[0]!.node)
    await expect(alone.prove()).rejects.toMatchObject({
      statusCode: 503,
      message: expect.stringMatching(reason) as unknown,
    })
    const two = await open(await stateAt(77), await stateAt(77))
    await damage(two.nodes[0]!.node)
    expect(await two.prove()).toMatchObject({ proof: { block: { number: 77 }, says: { revoked: false } } })
  })

  test('that is behind the index, or has another block, gives none', async () => {
    const { prove, index } = await open(await stateAt(77))
    index.newest = { number: 99, timestamp: timestamp + 121 }
    await expect(prove()).rejects.toThrow(/is behind: its newest block is 77, and block 99 is indexed/)
    index.newest = { number: 77, timestamp }
    index.state = 'left'
    await expect(prove()).rejects.toThrow(/has another block 77 than the one that is indexed/)
  })
})
