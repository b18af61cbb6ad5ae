import { expect, test } from 'vitest'
import type { BlockHeader, ChainClient, SecondedResult } from '../chain/chainClient.ts'
import { multicall3Address } from '../chain/chainClientOptions.ts'
import type { Hex } from '../model/hex.ts'
import type { ReadResult } from '../protocols/protocolAdapter.ts'
import { readAgreed, readByTwo } from './readAgreed.ts'

const returned = (text: string): ReadResult => ({ kind: 'returned', data: text as Hex })
const pair = (first: string, second: string | null): SecondedResult => ({
  result: returned(first),
  second: second === null ? null : returned(second),
})

/** Reads one record of a client whose answers come one after the other. */
async function readOne(answers: readonly SecondedResult[], everywhere: readonly (readonly string[])[] = []) {
  const [pairs, tellings] = [answers.values(), everywhere.values()]
  const quarantined: string[] = []
  const client: Partial<ChainClient> = {
    isAlone: () => false,
    readContractsTwice: () => Promise.resolve([pairs.next().value ?? pair('0x', null)]),
    readEverywhere: () =>
      Promise.resolve(
        (tellings.next().value ?? everywhere.at(-1) ?? []).map((text, index) => ({
          host: `e${index}`,
          result: returned(text),
        })),
      ),
    quarantine: (host) => void quarantined.push(host),
  }
  const clock = { nowMs: () => 0, sleep: () => Promise.resolve() }
  const read = { to: multicall3Address, data: '0x' as Hex }
  const decode = (result: ReadResult) => (result.data.length === 2 ? null : result.data.toLowerCase())
  const [result] = await readAgreed(
    { client: client as ChainClient, clock },
    [{ read, about: 'a record of block 5', decode }],
    { kind: 'latest' },
    new AbortController().signal,
  ).catch((error: unknown) => [String(error)])
  return { result: typeof result === 'string' ? result : result?.data, quarantined }
}

test('answers that stand for the same record count, and one that nobody seconds', async () => {
  expect(await readOne([pair('0xa', '0xa')])).toMatchObject({ result: '0xa' })
  expect(await readOne([pair('0xa', '0xA')])).toMatchObject({ result: '0xa' })
  expect(await readOne([pair('0xa', null)])).toMatchObject({ result: '0xa' })
  expect(await readOne([pair('0xa', '0x')])).toMatchObject({ result: '0xa' })
})

test('a record is read again while one endpoint is behind', async () => {
  const behind = [
    ['0xa', '0xb'],
    ['0xb', '0xb'],
  ]
  expect(await readOne([pair('0xa', '0xb'), pair('0xb', '0xb')], behind)).toEqual({
    result: '0xb',
    quarantined: [],
  })
})

test('endpoints that keep to another record than the majority are quarantined, and no answer counts', async () => {
  const { result, quarantined } = await readOne([pair('0xa', '0xb')], [['0xa', '0xb', '0xb']])
  expect(result).toMatch(/an endpoint gave an untrue answer about a record of block 5/)
  expect(quarantined).toEqual(['e0'])
  const even = await readOne([pair('0xa', '0xb')], [['0xa', '0xb']])
  expect(even.result).toMatch(/disagree about a record of block 5: e0 against e1/)
  expect(even.quarantined).toEqual([])
})

/** Reads the state of a contract twice, at the newest state and then at a settled block. */
async function readState(latest: SecondedResult, settled: readonly (readonly string[])[]) {
  const blocks: string[] = []
  let unseconded = 0
  const tellings = settled.values()
  const client: Partial<ChainClient> = {
    isAlone: () => false,
    readContractsTwice: (_, at) => {
      if (at.kind === 'latest') return Promise.resolve([latest])
      blocks.push(at.hash)
      const [first = '0x', second = null] = settled[0] ?? []
      return Promise.resolve([pair(first, second)])
    },
    readEverywhere: () =>
      Promise.resolve(
        (tellings.next().value ?? []).map((text, index) => ({ host: `e${index}`, result: returned(text) })),
      ),
    fetchHead: () => Promise.resolve({ number: 500 } as BlockHeader),
    fetchAgreedHeader: (number) => Promise.resolve({ hash: `0x${number}` } as BlockHeader),
    quarantine: () => undefined,
  }
  const clock = { nowMs: () => 0, sleep: () => Promise.resolve() }
  const [result] = await readByTwo(
    { client: client as ChainClient, clock, finality: 64 },
    [{ to: multicall3Address, data: '0x' as Hex }],
    { kind: 'latest' },
    new AbortController().signal,
    () => (unseconded += 1),
  ).catch((error: unknown) => [String(error)])
  return { result: typeof result === 'string' ? result : result?.data, blocks, unseconded }
}

test('the newest state of a contract counts as two endpoints give it', async () => {
  expect(await readState(pair('0xa', '0xa'), [])).toEqual({ result: '0xa', blocks: [], unseconded: 0 })
  const bare: SecondedResult = {
    result: { kind: 'reverted', data: '0x12' as Hex },
    second: { kind: 'reverted', data: '0x' as Hex },
  }
  expect(await readState(bare, [])).toEqual({ result: '0x12', blocks: [], unseconded: 0 })
  expect(await readState(pair('0xa', null), [])).toEqual({ result: '0xa', blocks: [], unseconded: 1 })
})

test('a settled block decides if endpoints differ about the newest state', async () => {
  expect(await readState(pair('0xb', '0xa'), [['0xa', '0xa']])).toEqual({
    result: '0xa',
    blocks: ['0x436'],
    unseconded: 0,
  })
  const { result } = await readState(
    pair('0xb', '0xa'),
    Array.from({ length: 5 }, () => ['0xb', '0xa']),
  )
  expect(result).toMatch(/the endpoints disagree about the contract 0xca11.*: e0 against e1/)
})
