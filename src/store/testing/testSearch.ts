import fc from 'fast-check'
import { expect, test } from 'vitest'
import { classifyKeyword, type ClassifiedKeyword } from '../../model/keyword.ts'
import type { IndexReader } from '../indexReader.ts'
import { addresses, attestationId, hashOf, schemaId, texts } from './generatedChain.ts'
import {
  buildModel,
  byAttestationOrder,
  bySchemaOrder,
  isUnder,
  modelStatistics,
  rankAttestation,
  rankSchema,
  type ModelIndex,
} from './modelIndex.ts'
import { playHistory, histories } from './playHistory.ts'
import { withStore, type CreateTestStore } from './storeFactory.ts'
import { attestationKey, modelKey, schemaKey, wholeList } from './testListings.ts'

const fixedKeywords: readonly string[] = [
  ...texts,
  ...addresses,
  ...[0, 1, 2, 5].map(attestationId),
  ...[0, 6, 7].map(schemaId),
  'NAME',
  'a',
  'é',
  '"',
  '%',
  '_',
  'AND',
  'NOT x',
  '本語',
  'επ',
  'οδος',
  'strasse',
  'STRASSE',
  '0',
  '1',
  '7',
  '007',
  '99999999999999999999999',
  '0x',
  '0x1',
  '0X1',
  // Beginnings of an id of EAS, of which the first is that of other ids, too.
  ...[3, 4, 5].map((length) => attestationId(2).slice(0, length)),
  ...[3, 4].map((length) => attestationId(5).slice(0, length)),
  '0xabcdef',
  '0xabcdef7',
  '0xABCDEF77000',
  'onchain_evm_137_0x1',
  'onchain_evm_5_0x2',
  'offchain_evm_5_0x2',
  hashOf('nothing'),
]

export function testSearch(create: CreateTestStore, share: number): void {
  test('a keyword finds what the plain model finds, in the listings and in the search', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.constantFrom(2, 1_000), async (history, rankThreshold) => {
        await withStore(create, { rankThreshold }, async (writer, reader) => {
          const model = buildModel(await playHistory(writer, history))
          const hashes = [...model.schemas, ...model.attestations]
            .slice(0, 9)
            .map(({ record }) => record.transactionHash)
          for (const raw of [...fixedKeywords, ...hashes]) {
            const keyword = classifyKeyword(raw)
            // The API refuses unpaired surrogates before they are looked up.
            if (keyword !== null && keyword.text.isWellFormed()) await compare(reader, model, keyword)
          }
        })
      }),
      { numRuns: Math.ceil(25 * share), verbose: 1, interruptAfterTimeLimit: 60_000 },
    )
  }, 240_000)
}

async function compare(reader: IndexReader, model: ModelIndex, keyword: ClassifiedKeyword): Promise<void> {
  const size = 4
  const fields = { detail: false, schema: true }
  const attestations = model.attestations.flatMap((each) => {
    const rank = rankAttestation(each.record, keyword)
    return rank === null ? [] : [{ ...each, rank }]
  })
  const schemas = model.schemas.flatMap((each) => {
    const rank = rankSchema(each, keyword)
    return rank === null ? [] : [{ ...each, rank }]
  })

  const listed = await wholeList(
    (page) => reader.listAttestations({ schema: null, keyword, fields, ...page }),
    size,
  )
  expect(listed.map(attestationKey), keyword.text).toEqual(attestations.map(modelKey))
  const schema = { chainId: 137, localId: schemaId(0) }
  const under = await wholeList((page) => reader.listAttestations({ schema, keyword, fields, ...page }), size)
  expect(under.map(attestationKey), keyword.text).toEqual(
    attestations.filter(({ record }) => isUnder(record, schema)).map(modelKey),
  )
  const listedSchemas = await wholeList((page) => reader.listSchemas({ keyword, ...page }), size)
  expect(listedSchemas.map(schemaKey), keyword.text).toEqual(schemas.map(modelKey))

  const bestAttestations = [...attestations].sort((a, b) => a.rank - b.rank || byAttestationOrder(a, b))
  const found = await reader.searchAttestations(keyword, 5)
  expect(found.total).toBe(attestations.length)
  expect(found.rows.map(attestationKey)).toEqual(bestAttestations.slice(0, 5).map(modelKey))

  const bestSchemas = [...schemas].sort(
    (a, b) =>
      a.rank - b.rank || (a.rank >= 2 ? b.attestationCount - a.attestationCount : 0) || bySchemaOrder(a, b),
  )
  const foundSchemas = await reader.searchSchemas(keyword, 5)
  expect(foundSchemas.total).toBe(schemas.length)
  expect(foundSchemas.rows.map(schemaKey), keyword.text).toEqual(bestSchemas.slice(0, 5).map(modelKey))

  await compareAddresses(reader, model, keyword)
}

async function compareAddresses(
  reader: IndexReader,
  model: ModelIndex,
  keyword: ClassifiedKeyword,
): Promise<void> {
  const { target } = keyword
  const matches = addresses
    .filter((address) => {
      if (target.kind === 'address') return address === target.address
      return (
        target.kind === 'hexPrefix' && target.digits.length >= 6 && address.startsWith(`0x${target.digits}`)
      )
    })
    .map((address) => ({ address, ...modelStatistics(model, address) }))
    .filter(({ schemaCreated, totalAttestations }) => schemaCreated + totalAttestations > 0)
    .sort((a, b) => b.totalAttestations - a.totalAttestations || (a.address < b.address ? -1 : 1))
  const found = await reader.searchAddresses(keyword, 3)
  expect(found).toEqual({ total: matches.length, rows: matches.slice(0, 3) })
}
