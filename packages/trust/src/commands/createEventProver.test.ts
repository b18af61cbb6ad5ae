import { afterEach, describe, expect, test } from 'vitest'
import type { BlockFetcher, ToldBlock } from '@attestry/core/chain/createBlockFetcher.ts'
import { OverloadedError, ProofUnavailableError } from '@attestry/core/errors/apiErrors.ts'
import { runAs } from '@attestry/core/shares/askers.ts'
import { RpcUnreachableError } from '@attestry/core/errors/rpcErrors.ts'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { parseAddress, parseHash, zeroAddress } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type { ProvableEvent } from '@attestry/core/model/recordProof.ts'
import { checkProof } from '../proofs/checkProof.ts'
import { makeBlock, signLog, type MadeBlock } from '../proofs/testing/madeBlock.ts'
import { createEventProver, type EventProver, type EventProverOptions } from './createEventProver.ts'

const contract = parseAddress(`0x${'11'.repeat(20)}`) ?? zeroAddress
const provers: EventProver[] = []
afterEach(async () => {
  for (const prover of provers.splice(0)) await prover.close()
})

/** Blocks of a chain as its endpoint would answer them; each made one attestation, whose id is the block number. */
function createChain() {
  const fetched: number[] = []
  let answer = async (number: number, _signal: AbortSignal): Promise<ToldBlock> => makeTold(number, 6)
  const fetcher: BlockFetcher = {
    fetchBlock: (number, signal) => {
      fetched.push(number)
      return answer(number, signal)
    },
    fetchHeader: () => Promise.resolve(null),
    close: () => Promise.resolve(),
  }
  return {
    fetched,
    fetcher,
    answerWith: (next: typeof answer) => {
      answer = next
    },
  }
}

function makeTold(number: number, forks: number): Promise<MadeBlock> {
  const logs = [signLog('AttestationMade', contract, BigInt(number), '')]
  return makeBlock(number, [{ type: 2, logs }], forks)
}

function eventOf(number: number, changes: Partial<ProvableEvent> = {}): ProvableEvent {
  return {
    event: 'attestation',
    key: { chainId: 7, localId: localIdOfCounter(BigInt(number)) },
    protocol: 'sign',
    position: eventPosition(number, 0),
    blockHash: null,
    contracts: [contract],
    ...changes,
  }
}

function startProver(fetcher: BlockFetcher, options: Partial<EventProverOptions> = {}) {
  const failures: unknown[] = []
  const prover = createEventProver({
    fetchers: new Map([[7, fetcher]]),
    onFailure: (_chainId, error) => void failures.push(error),
    ...options,
  })
  provers.push(prover)
  return { prover, failures }
}

async function hashOf(number: number, forks: number) {
  const { block } = await makeTold(number, forks)
  return parseHash(String(block['hash']))
}

const hang = (_number: number, signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

describe('a proof', () => {
  test('is made of a block that is fetched once, however often and at once it is asked for', async () => {
    const { fetcher, fetched } = createChain()
    const { prover } = startProver(fetcher)
    const proofs = await Promise.all([1, 2, 3].map(() => prover.prove(eventOf(5))))
    await prover.prove(eventOf(5))
    for (const proof of proofs) expect(await checkProof(proof)).toEqual({ kind: 'valid' })
    expect(fetched).toEqual([5])
  })

  test('is made anew where the block has changed, and of a block that was not final when it was fetched', async () => {
    const { fetcher, fetched, answerWith } = createChain()
    const { prover } = startProver(fetcher)
    const [one, other] = [await hashOf(5, 6), await hashOf(5, 5)]
    expect(await prover.prove(eventOf(5, { blockHash: one }))).toMatchObject({ block: { hash: one } })
    await prover.prove(eventOf(5, { blockHash: one }))
    expect(fetched).toEqual([5])
    answerWith((number) => makeTold(number, 5))
    expect(await prover.prove(eventOf(5, { blockHash: other }))).toMatchObject({ block: { hash: other } })
    expect(fetched).toEqual([5, 5])
    await prover.prove(eventOf(5))
    expect(fetched).toEqual([5, 5, 5])
    await prover.prove(eventOf(5))
    expect(fetched).toEqual([5, 5, 5])
  })

  test('takes no more memory than it may', async () => {
    const { fetcher, fetched } = createChain()
    const { prover } = startProver(fetcher, { limits: { cacheBytesMax: 40_000 } })
    for (const number of [1, 2, 3, 4, 1]) await prover.prove(eventOf(number))
    expect(fetched).toEqual([1, 2, 3, 4, 1])
    await prover.prove(eventOf(4))
    expect(fetched).toHaveLength(5)
  })
})

describe('no proof can be made', () => {
  test('of a chain that the server is not connected to', async () => {
    const { prover } = startProver(createChain().fetcher)
    const proving = prover.prove(eventOf(5, { key: { chainId: 8, localId: localIdOfCounter(5n) } }))
    await expect(proving).rejects.toMatchObject({
      message:
        'This server is not connected to chain 8, so that it cannot make proofs of what happened there.',
      retryAfterSeconds: null,
    })
  })

  test('of a block in a form that is not known, which is said without asking again', async () => {
    const { fetcher, fetched, answerWith } = createChain()
    const { prover } = startProver(fetcher)
    answerWith(async (number) => {
      const { block, receipts } = await makeTold(number, 6)
      return { block, receipts: receipts.map((receipt) => ({ ...receipt, type: '0x7b' })) }
    })
    for (let time = 0; time < 2; time++) {
      await expect(prover.prove(eventOf(5))).rejects.toMatchObject({
        message:
          'No proof can be made: block 5 of chain 7 has receipts of type 0x7b, whose form is not known here.',
        retryAfterSeconds: null,
      })
    }
    expect(fetched).toEqual([5])
  })

  test('of a block that is another one than the indexed', async () => {
    const { fetcher } = createChain()
    const { prover } = startProver(fetcher)
    const blockHash = await hashOf(5, 3)
    for (const event of [eventOf(5, { blockHash }), eventOf(5, { key: eventOf(6).key })]) {
      await expect(prover.prove(event)).rejects.toMatchObject({ retryAfterSeconds: 5 })
    }
  })

  test('while endpoints fail, which is logged, and tried again when it is asked for again', async () => {
    const { fetcher, answerWith } = createChain()
    const { prover, failures } = startProver(fetcher)
    const failure = new RpcUnreachableError('host.example did not answer')
    answerWith(() => Promise.reject(failure))
    const proving = prover.prove(eventOf(5))
    await expect(proving).rejects.toBeInstanceOf(ProofUnavailableError)
    await expect(proving).rejects.toMatchObject({ retryAfterSeconds: 30, cause: failure })
    await expect(proving).rejects.not.toThrow(/host\.example/)
    expect(failures).toEqual([failure])
    answerWith((number) => makeTold(number, 6))
    await prover.prove(eventOf(5))
  })

  test('where an endpoint takes longer than a request may, or the server is closing', async () => {
    const { fetcher, answerWith } = createChain()
    answerWith(hang)
    const { prover } = startProver(fetcher, { limits: { durationMaxMs: 20 } })
    await expect(prover.prove(eventOf(5))).rejects.toBeInstanceOf(ProofUnavailableError)
    const { prover: closing } = startProver(fetcher)
    const proving = closing.prove(eventOf(5))
    await closing.close()
    await expect(proving).rejects.toBeInstanceOf(ProofUnavailableError)
  })
})

describe('the endpoints of a chain', () => {
  test('are asked for a bounded number of blocks at a time, and others wait or are sent away', async () => {
    const { fetcher, fetched, answerWith } = createChain()
    const { promise, resolve } = Promise.withResolvers<void>()
    answerWith(async (number) => {
      await promise
      return makeTold(number, 6)
    })
    const { prover } = startProver(fetcher, { limits: { blocksAtOnceMax: 2, blocksWaitingMax: 3 } })
    const proving = Array.from({ length: 8 }, (_, number) => prover.prove(eventOf(number + 1)))
    const results = Promise.allSettled(proving)
    await expect(proving[7]).rejects.toMatchObject({ code: 'API_OVERLOADED', retryAfterSeconds: 5 })
    expect(fetched).toEqual([1, 2])
    resolve()
    const statuses = (await results).map(({ status }) => status)
    expect(statuses).toEqual([...Array<string>(5).fill('fulfilled'), ...Array<string>(3).fill('rejected')])
    expect(fetched).toEqual([1, 2, 3, 4, 5])
  })

  test('are limited in blocks a minute, over all clients', async () => {
    const { fetcher, fetched } = createChain()
    let nowMs = 1_000_000
    const clock = { nowMs: () => nowMs }
    const { prover } = startProver(fetcher, { clock, limits: { blocksPerMinute: 3 } })
    for (const number of [1, 2, 3]) await prover.prove(eventOf(number))
    const refused = prover.prove(eventOf(4))
    await expect(refused).rejects.toBeInstanceOf(OverloadedError)
    await expect(refused).rejects.toMatchObject({ retryAfterSeconds: 25 })
    await prover.prove(eventOf(3))
    nowMs += 25_000
    await prover.prove(eventOf(4))
    await expect(prover.prove(eventOf(5))).rejects.toBeInstanceOf(OverloadedError)
    nowMs += 3_600_000
    for (const number of [5, 6, 7]) await prover.prove(eventOf(number))
    await expect(prover.prove(eventOf(8))).rejects.toBeInstanceOf(OverloadedError)
    expect(fetched).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  test('are asked for no more than a share on behalf of one client, and another one gets its proof', async () => {
    const { fetcher } = createChain()
    const { prover } = startProver(fetcher, { clock: { nowMs: () => 0 }, limits: { blocksPerMinute: 16 } })
    const prove = (name: string, number: number) =>
      runAs({ name, hasKey: false }, () => prover.prove(eventOf(number)))
    for (const number of [1, 2, 3]) await prove('192.0.2.1', number)
    await expect(prove('192.0.2.1', 4)).rejects.toMatchObject({ statusCode: 503 })
    expect(await prove('192.0.2.2', 4)).toMatchObject({ version: expect.anything() as unknown })
  })
})
