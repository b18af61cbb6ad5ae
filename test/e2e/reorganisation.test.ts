import { afterEach, describe, expect, test } from 'vitest'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { createLiveIndex } from '../harness/liveIndex.ts'
import { startLocalChain } from '../harness/localChain.ts'
import { expectReorganised } from './expectReorganised.ts'
import { runReorganisations } from './runReorganisations.ts'
import { projections } from '../harness/projections.ts'

/** REORGANISATION_SEED repeats the run of one seed: `REORGANISATION_SEED=3 npx vitest run test/e2e/reorganisation`. */
const seed = Number(process.env.REORGANISATION_SEED ?? 1)

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

describe('an index of a real chain that was reorganised again and again', () => {
  test(`equals a fresh index of the final chain, and the truth (seed ${seed})`, async () => {
    const result = await runReorganisations(seed, 40)
    expect(result.fresh).toEqual([result.survived, result.survived])
    expectReorganised(result)
  })
})

describe('a reorganisation deeper than finality', () => {
  test('stops the chain with a clear error, and indexed records are still served', async () => {
    const finality = 5
    const chain = await startLocalChain()
    cleanups.push(() => chain.stop())
    const registrant = chain.account(1).address
    const { schemaId } = await chain.register({ registrant, data: 'plain' })
    await chain.mine(20)
    await chain.attest({ schemaId, attester: registrant, indexingValue: 'kept' })
    await chain.mine(2)
    const head = await chain.headNumber()
    const index = createLiveIndex(
      { chainId: chain.chainId, contract: chain.address, head: () => chain.headNumber() },
      [chain.url],
      { finality, pollIntervalMs: 10 },
    )
    cleanups.push(() => index.remove())
    index.start()
    await index.reachHead(20_000)

    await chain.rollback(finality + 3)
    await chain.mine(finality + 6)
    await expect.poll(() => index.indexer().status().phase).toBe('stopped')
    const { lastError } = index.indexer().status()
    expect(lastError).toBe(
      `no block from ${head - finality} on is part of the chain any more: it was reorganised deeper than the ` +
        '5 blocks of "finality", or the endpoints serve another chain',
    )

    const reader = openSqliteReader(index.path, { projections })
    cleanups.push(() => reader.close())
    const app = createServer({ reader, chainIds: [chain.chainId] })
    cleanups.push(() => app.close())
    const listed = await app.inject('/scan/attestations')
    expect(listed.json()).toMatchObject({ statusCode: 200, data: { total: 1 } })
    const found = await app.inject(`/scan/search?keyword=kept`)
    expect(found.json()).toMatchObject({
      data: { queryResult: [{ total: 0 }, { type: 'attestation', total: 1 }, { total: 0 }] },
    })
    const ready = await app.inject('/readyz')
    expect(ready.json()).toMatchObject({
      data: { chains: [{ chainId: String(chain.chainId), phase: 'stopped', lastError, indexedBlock: head }] },
    })
  })
})
