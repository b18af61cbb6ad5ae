import { expect, test } from 'vitest'
import type { ChainClient, SecondedResult } from '../chain/chainClient.ts'
import { multicall3Address } from '../chain/chainClientOptions.ts'
import type { Hex } from '../model/hex.ts'
import type { ReadResult } from '../protocols/protocolAdapter.ts'
import { readAgreed } from './readAgreed.ts'

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
    [{ read, blockNumber: 5, decode }],
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
  expect(result).toMatch(/an endpoint gave an untrue record of block 5/)
  expect(quarantined).toEqual(['e0'])
  const even = await readOne([pair('0xa', '0xb')], [['0xa', '0xb']])
  expect(even.result).toMatch(/disagree about a record of block 5: e0 against e1/)
  expect(even.quarantined).toEqual([])
})
