import { expect, onTestFinished, test } from 'vitest'
import { noEvents } from '../simulator/simulatedChain.ts'
import type { EndpointCharacter } from '../simulator/simulatedEndpoint.ts'
import { followChain, type FollowedChain } from './followChain.ts'

test('an endpoint that leaves logs out of its answers is caught at it, and nothing is missing', async () => {
  const index = followBeside([{ lie: { kind: 'omitsLogs', chance: 1 } }, {}, {}])
  await index.settle()
  expect(index.status()).toMatchObject({ phase: 'following', lastError: null })
  const caught = index.logged.flatMap((line) => /"kind":"logsLeftOut","host":"([^"]+)"/.exec(line)?.[1] ?? [])
  expect(caught).toEqual(['e0.example'])
  expect(await index.compare()).toEqual([])
})

test('an endpoint that alters records is left out, from the first block on', async () => {
  const index = followBeside([{ lie: { kind: 'altersRecords', chance: 1 } }, {}, {}])
  await index.settle()
  expect(index.status()).toMatchObject({ phase: 'following', lastError: null })
  expect(quarantined(index)).toEqual(new Set(['e0.example']))
  expect(await index.compare()).toEqual([])
})

test('an endpoint that alters few records alters none in the index', async () => {
  const index = followBeside([{ lie: { kind: 'altersRecords', chance: 0.1 } }, {}, {}])
  await index.settle()
  for (let block = 0; block < 60; block++) {
    index.chain.mine(1)
    await index.settle()
    await index.pass(12_000)
  }
  expect(await index.compare()).toEqual([])
})

test('an endpoint that begins to alter records while the chain is followed is left out', async () => {
  let lies = false
  const liar = () => (lies ? { lie: { kind: 'altersRecords', chance: 1 } as const } : {})
  const index = followBeside([{}, liar, {}, {}])
  await index.settle()
  lies = true
  while (quarantined(index).size === 0 && index.chain.head() < 1_400) {
    index.chain.mine(1)
    await index.settle()
    await index.pass(12_000)
  }
  expect(quarantined(index)).toEqual(new Set(['e1.example']))
  expect(await index.compare()).toEqual([])
})

test('one endpoint against one: neither is believed, and the chain waits', async () => {
  const index = followBeside([{ lie: { kind: 'altersRecords', chance: 1 } }, {}], 1)
  await index.pass(60_000)
  expect(index.status()).toMatchObject({ phase: 'retrying', indexedBlock: null })
  expect(index.status().lastError).toMatch(
    /^the endpoints disagree about a record of block \d+: e0.example against e1.example/,
  )
  expect(quarantined(index)).toEqual(new Set())
})

/** An index of a chain of numbered records through such endpoints. */
function followBeside(
  characters: readonly (Partial<EndpointCharacter> | (() => Partial<EndpointCharacter>))[],
  seed = 9,
): FollowedChain {
  const events = { ...noEvents, signSchema: 2, signAttestation: 20 }
  const index = followChain({
    chain: { seed, blocks: 1_000, shape: { blocks: 32, eventBlocks: 13, events } },
    contracts: { name: 'Lied to', sign: 0, eas: null, transactionSenders: false },
    finality: 12,
    characters,
  })
  onTestFinished(index.remove)
  return index
}

function quarantined({ logged }: FollowedChain): ReadonlySet<string> {
  return new Set(logged.flatMap((line) => /"kind":"quarantined","host":"([^"]+)"/.exec(line)?.[1] ?? []))
}
