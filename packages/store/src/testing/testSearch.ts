import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  localIdOfCounter,
  recordKeyText,
  type ChainId,
  type LocalId,
} from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { classifyKeyword, type ClassifiedKeyword } from '@attestry/core/model/keyword.ts'
import { canonicalValue, fieldPathText } from '@attestry/core/model/fieldValues.ts'
import type { StoredKey } from '@attestry/core/index/storedRecords.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import {
  addresses,
  attestationId,
  generateBlocks,
  hashOf,
  schemaId,
  texts,
  type GeneratedBlock,
} from './generatedChain.ts'
import { historyRuns } from './historyShare.ts'
import {
  buildModel,
  byAttestationOrder,
  bySchemaOrder,
  isUnder,
  meantSchema,
  modelStatistics,
  rankAttestation,
  rankSchema,
  storedKey,
  type ModelAttestation,
  type ModelIndex,
} from './modelIndex.ts'
import { playHistory, histories } from './playHistory.ts'
import { fillStore, withStore, type CreateTestStore } from './storeFactory.ts'
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
      { numRuns: historyRuns(25, share), verbose: 1 },
    )
  })

  // Of one and two digits prefixes are walked; of more the records are gathered first.
  test.each(['0x1', '0x1a', '0x1ab', '26', attestationId(2), 'onchain_evm_5_0x1a'])(
    'of %s the search finds the record with that id first, then those that hold the keyword as a value, then longer ids',
    async (raw) => {
      const keyword = classifyKeyword(raw)
      if (keyword === null) throw new Error('it is a keyword')
      const exact = raw.startsWith('0x') ? (raw as LocalId) : localIdOfCounter(26n)
      const longer = (digit: string) => (exact.length < 66 ? `${exact}0${digit}` : `0x${digit}`) as LocalId
      // In the order of listings, which is newest first, they come the other way round.
      const chains = new Map(
        [5, 137].map((chainId) => [
          chainId,
          attestationBlocks(chainId, [
            { localId: exact, indexingValue: '' },
            { localId: localIdOfCounter(7n), indexingValue: raw },
            // Holds the keyword as a value and begins with it.
            { localId: longer('c'), indexingValue: raw },
            { localId: localIdOfCounter(8n), indexingValue: raw },
            { localId: longer('d'), indexingValue: '' },
            { localId: longer('e'), indexingValue: '' },
          ]),
        ]),
      )
      await withStore(create, { rankThreshold: 1_000 }, async (writer, reader) => {
        await fillStore(writer, chains)
        const model = buildModel(chains)
        for (const limit of [1, 2, 3, 5, 9, 20]) {
          const found = await reader.searchAttestations(keyword, limit)
          const best = bestOf(model, keyword)
          expect(found.total).toBe(best.length)
          expect(found.rows.map(attestationKey), `${limit} rows`).toEqual(best.slice(0, limit).map(modelKey))
        }
      })
    },
  )
}

/** Attestations with these ids and values, the oldest first, in a block each. */
function attestationBlocks(
  chainId: ChainId,
  records: readonly { readonly localId: LocalId; readonly indexingValue: string }[],
): GeneratedBlock[] {
  const life = records.map(() => ({ kind: 12, gap: 2, who: 0, whom: 1, what: 5, text: 3 }))
  const left = [...records]
  return generateBlocks(chainId, [], life, 'a').map((block) => ({
    ...block,
    events: block.events.map((event): DomainEvent => {
      const record = left.shift()
      if (event.kind !== 'attestationMade' || record === undefined) throw new Error('each is an attestation')
      const { localId, indexingValue } = record
      return { ...event, attestation: { ...event.attestation, key: { chainId, localId }, indexingValue } }
    }),
  }))
}

/** The attestations that a keyword finds, the best first. */
function bestOf(model: ModelIndex, keyword: ClassifiedKeyword): readonly ModelAttestation[] {
  return model.attestations
    .flatMap((each) => {
      const rank = rankAttestation(each.record, keyword)
      return rank === null ? [] : [{ ...each, rank }]
    })
    .sort((a, b) => a.rank - b.rank || byAttestationOrder(a, b))
}

async function compare(reader: IndexReader, model: ModelIndex, keyword: ClassifiedKeyword): Promise<void> {
  const size = 4
  const fields = { detail: false, schema: true }
  const attestations = model.attestations.filter(({ record }) => rankAttestation(record, keyword) !== null)
  const schemas = model.schemas.flatMap((each) => {
    const rank = rankSchema(each, keyword)
    return rank === null ? [] : [{ ...each, rank }]
  })

  const listed = await wholeList(
    (page) => reader.listAttestations({ schema: null, keyword }, page, fields),
    size,
  )
  expect(listed.map(attestationKey), keyword.text).toEqual(attestations.map(modelKey))
  const schema = { chainId: 137, localId: schemaId(0) }
  const under = await wholeList((page) => reader.listAttestations({ schema, keyword }, page, fields), size)
  expect(under.map(attestationKey), keyword.text).toEqual(
    attestations.filter(({ record }) => isUnder(record, meantSchema(model, schema))).map(modelKey),
  )
  const listedSchemas = await wholeList((page) => reader.listSchemas({ keyword }, page), size)
  expect(listedSchemas.map(schemaKey), keyword.text).toEqual(schemas.map(modelKey))

  const found = await reader.searchAttestations(keyword, 5)
  expect(found.total).toBe(attestations.length)
  expect(found.rows.map(attestationKey), keyword.text).toEqual(
    bestOf(model, keyword).slice(0, 5).map(modelKey),
  )

  const bestSchemas = [...schemas].sort(
    (a, b) =>
      a.rank - b.rank || (a.rank >= 2 ? b.attestationCount - a.attestationCount : 0) || bySchemaOrder(a, b),
  )
  const foundSchemas = await reader.searchSchemas(keyword, 5)
  expect(foundSchemas.total).toBe(schemas.length)
  expect(foundSchemas.rows.map(schemaKey), keyword.text).toEqual(bestSchemas.slice(0, 5).map(modelKey))

  await compareAddresses(reader, model, keyword)
  await compareValues(reader, model, keyword)
}

/** Compares rows without their order: the contract does not order fields with equal counts. */
async function compareValues(
  reader: IndexReader,
  model: ModelIndex,
  { text, target }: ClassifiedKeyword,
): Promise<void> {
  const matches = new Map<string, number>()
  for (const { record, leaves } of model.attestations) {
    const schema = model.schemas.find((each) => isUnder(record, storedKey(each.record)))
    if (schema === undefined) continue
    for (const { path, kind, value } of leaves) {
      const wanted = canonicalValue(kind, text)
      if (kind === 'boolean' || wanted === null || canonicalValue(kind, value) !== wanted) continue
      const key = JSON.stringify([storedKey(schema.record), schema.name, fieldPathText(path), kind])
      matches.set(key, (matches.get(key) ?? 0) + 1)
    }
  }
  const found = await reader.searchValues({ text, target }, 1_000)
  expect(found.total, text).toBe(matches.size)
  const shown = found.rows.map(({ key, schemaName, path, attestationCount }) =>
    JSON.stringify([recordKeyText(key), schemaName, path, attestationCount]),
  )
  const expected = [...matches].map(([key, count]) => {
    const [stored, name, path] = JSON.parse(key) as [StoredKey, string, string]
    return JSON.stringify([recordKeyText(stored), name, path, count])
  })
  expect(shown.toSorted(), text).toEqual(expected.toSorted())
  expect(found.rows.map(({ attestationCount }) => attestationCount)).toEqual(
    [...matches.values()].toSorted((a, b) => b - a),
  )
  expect((await reader.searchValues({ text, target }, 2)).rows).toEqual(found.rows.slice(0, 2))
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
