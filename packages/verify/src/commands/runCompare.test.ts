import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { IndexDiffersError } from '@attestry/core/errors/storeErrors.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { generateBlocks, type Step } from '@attestry/store/testing/generatedChain.ts'
import { batchOf, identityOf } from '@attestry/store/testing/storeFactory.ts'
import { configWithoutFile } from '@attestry/host/config/loadConfig.ts'
import { knownProtocols } from '@attestry/host/config/resolveChains.ts'
import { runCompare } from './runCompare.ts'
import type { VerifyFlags } from './runVerify.ts'

const own = createSqliteTestStore({ rankThreshold: 4 })
const other = createSqliteTestStore({ rankThreshold: 4 })
const reader = openSqliteReader(other.path)
const server = createServer({ reader })
let url = ''

const life: readonly Step[] = Array.from({ length: 40 }, (_, index) => {
  return { kind: index === 0 ? 0 : 15, gap: 2, who: index % 4, whom: 3, what: 2, text: index % 20 }
})
const blocks = generateBlocks(5, [], life, 'a')
/** The same chain, of which the other index lacks the events of a block. */
const lacking = blocks.map((block) => (block.number === 40 ? { ...block, events: [] } : block))

beforeAll(async () => {
  const here = openSqliteWriter(own.path)
  await here.openChain(identityOf(5))
  await here.applyBlocks(5, batchOf(blocks))
  await here.close()
  const there = openSqliteWriter(other.path)
  await there.openChain(identityOf(5))
  await there.applyBlocks(5, batchOf(lacking.slice(0, 60)))
  await there.close()
  url = await server.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await server.close()
  await reader.close()
  await own.remove()
  await other.remove()
})

test('the first block that differs is named, with its record, until the other index holds that too', async () => {
  const id = `onchain_evm_5_${attestationOf(40)}`
  const differing = await compare(`${url}/api/`)
  expect(differing.lines).toEqual([
    `chain 5, first difference in block 40: attestation ${id} (event 0) is only here`,
  ])
  expect(differing.error).toMatchObject({
    message: 'The two indexes were not found to be equal: chains that differ: 5',
    facts: { differing: [5], unasked: [] },
  })
  expect((await compare(url, { json: true })).lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      type: 'disagreement',
      chainId: 5,
      blockNumber: 40,
      holder: 'here',
      event: { type: 'attestation', eventIndex: 0, id },
    },
    { type: 'summary', differing: [5], unasked: [] },
  ])
  const there = openSqliteWriter(other.path)
  await there.openChain(identityOf(5))
  await there.revertBlocks(5, 39, unixMilliseconds(1))
  await there.applyBlocks(5, batchOf(blocks.slice(40, 70)))
  await there.close()
  expect(await compare(url)).toEqual({ lines: ['chain 5: equal up to block 69 (34 events)'], error: null })
})

test('does not report a service as equal if it cannot be compared', async () => {
  const service = new URL(url).host
  expect(await compare(`http://user:s3cr3t%@${service}`, { chain: '5,77' })).toMatchObject({
    lines: [
      expect.stringMatching(/^chain 5: equal/),
      'chain 77 could not be compared: the chain is not indexed here',
    ],
    error: { message: 'The two indexes were not found to be equal: chains that could not be compared: 77' },
  })
  expect((await compare(`${url}/nowhere?key=s3cr3t`)).lines).toEqual([
    expect.stringMatching(`^chain 5 could not be compared: ${service} answers 404: `),
  ])
  await expect(compare('ftp://files.example')).rejects.toThrow(
    'The option --against must be the URL of a service, such as https://attestry.example',
  )
  await expect(compare(url, { repair: true })).rejects.toThrow(
    'The options --against and --repair exclude each other',
  )
})

function attestationOf(block: number): string {
  const [event] = blocks[block]?.events ?? []
  if (event?.kind !== 'attestationMade') throw new Error('the block makes an attestation')
  return event.attestation.key.localId
}

/** The lines of a comparison, and the error that reports differences. */
async function compare(against: string, flags: VerifyFlags = {}) {
  const lines: string[] = []
  const config = {
    ...configWithoutFile({ environment: {}, known: knownProtocols, endpointsNeeded: false }),
    database: { kind: 'sqlite', path: own.path } as const,
  }
  const write = (line: string) => Promise.resolve(void lines.push(line))
  let error: unknown = null
  try {
    await runCompare(config, against, flags, write, new AbortController().signal)
  } catch (thrown) {
    if (!(thrown instanceof IndexDiffersError)) throw thrown
    error = thrown
  }
  return { lines, error }
}
