import { afterEach, expect, test } from 'vitest'
import { startScriptedRpcServer, type CallHandler } from '@attestry/test/harness/scriptedRpcServer.ts'
import { zeroHash } from '@attestry/core/model/hex.ts'
import { makeHeader } from '../proofs/testing/madeBlock.ts'
import { createLogger } from '@attestry/host/createLogger.ts'
import { connectProver } from './connectProver.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

const number = 1_000
const block = makeHeader(number, zeroHash, 6)
const timestamp = Number(block['timestamp'])
/** Eight years earlier: whatever has expired since would hold. */
const earlier = `0x${(timestamp - 250_000_000).toString(16)}`
/** Says that the true block is of another time. */
const moved = { ...block, timestamp: earlier }
/** A block that is made up, with the hash of its own members. */
const madeUp = { ...makeHeader(number, `0x${'11'.repeat(32)}`, 6) }
/** A block of a chain with other members, so that no hash of known members is its hash. */
const foreign = { ...block, hash: `0x${'77'.repeat(32)}` }
const found = { kind: 'found', block: { number, hash: block['hash'], timestamp } }

/** A reader of headers over endpoints, each of which has one block; null: none. */
async function open(...blocks: readonly unknown[]) {
  const lines: string[] = []
  const logger = createLogger({ writeLine: (line) => void lines.push(line), human: false, debug: false })
  const servers = await Promise.all(
    blocks.map((each) => {
      const answer: CallHandler = () => each
      return startScriptedRpcServer(7, { eth_getBlockByNumber: answer, eth_getBlockByHash: answer })
    }),
  )
  const requests = { perSecond: 100, inFlight: 4 }
  const chain = { chainId: 7, rpc: servers.map(({ url }) => url), requests }
  const prover = connectProver({ chains: [chain], blocksPerMinute: 60, statesPerMinute: 60, logger })
  cleanups.push(async () => {
    await prover.close()
    await Promise.all(servers.map((server) => server.close()))
  })
  const asked = () => servers.reduce((sum, server) => sum + server.callsOf('eth_getBlockByNumber').length, 0)
  return { read: prover.readHeader, asked, lines }
}

test('a header that two endpoints give is read once', async () => {
  const { read, asked, lines } = await open(block, block, block)
  expect(await read(7, { number })).toEqual(found)
  expect(await read(7, { number })).toEqual(found)
  expect(asked()).toBe(2)
  expect(lines).toEqual([])
})

test('a time that is not that of the hash changes nothing, and the header is not kept', async () => {
  for (const blocks of [
    [moved, block],
    [block, moved],
  ]) {
    const { read, asked, lines } = await open(...blocks)
    expect(await read(7, { number })).toEqual(found)
    expect(await read(7, { number })).toEqual(found)
    expect(asked()).toBe(4)
    expect(lines.join()).toContain('has another header of block 1000')
  }
})

test('a block that is made up is disputed by one other endpoint, and outvoted by two', async () => {
  const two = await open(madeUp, block)
  const disputed = {
    kind: 'disputed',
    reason: 'The endpoints of chain 7 disagree about block 1000; it counts once two of them agree.',
  }
  expect(await two.read(7, { number })).toEqual(disputed)
  expect(await two.read(7, { number })).toEqual(disputed)
  const three = await open(madeUp, block, block)
  expect(await three.read(7, { number })).toEqual(found)
  expect(await three.read(7, { number })).toEqual(found)
  expect(three.asked()).toBe(6)
})

test('a hash has the block that two endpoints have', async () => {
  const { read } = await open(madeUp, block)
  expect((await read(7, { hash: madeUp['hash'] as typeof zeroHash })).kind).toBe('unreachable')
  expect((await (await open(block, null)).read(7, { hash: block['hash'] as typeof zeroHash })).kind).toBe(
    'disputed',
  )
  expect(await (await open(null, null)).read(7, { hash: zeroHash })).toEqual({ kind: 'none' })
})

test('one of two endpoints does not decide while the other has no answer', async () => {
  for (const blocks of [
    [madeUp, null],
    [null, madeUp],
  ]) {
    const { read } = await open(...blocks)
    expect(await read(7, { number })).toEqual({ kind: 'unreachable' })
  }
})

test('headers whose hash is made in another way count as two endpoints give them, and the log says so once', async () => {
  const { read, lines } = await open(foreign, foreign)
  expect(await read(7, { number })).toMatchObject({ kind: 'found', block: { timestamp } })
  expect(await read(7, { number })).toMatchObject({ kind: 'found' })
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('have a form that is not known here')
  const forged = await open({ ...foreign, timestamp: earlier }, foreign)
  expect((await forged.read(7, { number })).kind).toBe('disputed')
  const outvoted = await open({ ...foreign, timestamp: earlier }, foreign, foreign)
  expect(await outvoted.read(7, { number })).toMatchObject({ kind: 'found', block: { timestamp } })
})

test('an only endpoint is believed between the times of the indexed blocks', async () => {
  const { read, asked } = await open(moved)
  const times = { from: timestamp - 100, to: timestamp + 100 }
  expect(await read(7, { number }, times)).toEqual({
    kind: 'disputed',
    reason:
      `The endpoints of chain 7 give block 1000 the time ${Number(earlier)}, which is not between those of the indexed ` +
      `blocks before and after it (${times.from} and ${times.to}).`,
  })
  expect(await read(7, { number }, times)).toMatchObject({ kind: 'disputed' })
  expect(asked()).toBe(2)
  // A header that was kept is judged again by times that were learnt since.
  expect((await read(7, { number })).kind).toBe('found')
  expect((await read(7, { number }, times)).kind).toBe('disputed')
})
