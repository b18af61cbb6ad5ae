import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordKeyText } from '@attestry/core/model/compositeId.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import {
  attestationMembers,
  recipientsJson,
  type AttestationSummary,
} from '@attestry/core/model/recordJson.ts'
import type { Attestation } from '@attestry/core/model/records.ts'
import {
  everyAttestation,
  everySchema,
  type Page,
  type PageRequest,
} from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { StoredAttestation, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { addresses, generateBlocks, schemaId, steps } from './generatedChain.ts'
import { historyRuns } from './historyShare.ts'
import { playHistory, histories } from './playHistory.ts'
import {
  buildModel,
  byTopOrder,
  isOfAddress,
  isUnder,
  meantAttestation,
  meantSchema,
  modelStatistics,
  modelTrending,
  schemaKeyOf,
  storedKey,
  type ModelAttestation,
  type ModelIndex,
  type ModelSchema,
} from './modelIndex.ts'
import { fillStore, withStore, type CreateTestStore } from './storeFactory.ts'

const everything = { detail: true, schema: true }

export function testListings(create: CreateTestStore, share: number): void {
  test('every listing, page by page, is what the plain model lists', async () => {
    await fc.assert(
      fc.asyncProperty(
        histories,
        fc.constantFrom(1, 3, 1_000),
        fc.integer({ min: 1, max: 9 }),
        async (history, rankThreshold, size) => {
          await withStore(create, { rankThreshold }, async (writer, reader) => {
            const model = buildModel(await playHistory(writer, history))
            await compareRecords(reader, model)
            await compareLists(reader, model, size)
            for (const address of addresses) {
              expect(await reader.addressStatistics(address)).toEqual(modelStatistics(model, address))
              await compareAddressLists(reader, model, address, size)
            }
          })
        },
      ),
      { numRuns: historyRuns(25, share), verbose: 1 },
    )
  })

  test('a page past the end has no rows and the right total, however large its number', async () => {
    const blocks = generateBlocks(5, [], fc.sample(steps(200), { numRuns: 1, seed: 7 })[0] ?? [], 'a')
    const chains = new Map([[5, blocks]])
    const total = buildModel(chains).attestations.length
    await withStore(create, { rankThreshold: 3 }, async (writer, reader) => {
      await fillStore(writer, chains)
      for (const page of [total + 1, 2_147_483_647]) {
        const place = { page, size: 100 }
        const all = { filter: everyAttestation }
        expect(await reader.listAttestations(all, place, everything)).toEqual({ total, rows: [] })
        const summaries = await reader.listAttestationSummaries(null, place)
        expect(summaries).toEqual({ total, rowsJson: '[]' })
      }
    })
  })
}

async function compareRecords(reader: IndexReader, model: ModelIndex): Promise<void> {
  for (const { record, revocation } of model.attestations) {
    const found = await reader.findAttestation(storedKey(record))
    const schema = model.schemas.find((each) => isUnder(record, storedKey(each.record)))
    expect(found).toMatchObject({
      ...summaryOf(record),
      detail: {
        transactionHash: record.transactionHash,
        indexingValueJson: JSON.stringify(record.indexingValue),
        linkedAttestation: record.linkedAttestation,
        validUntil: record.validUntil.toString(),
        data: record.data,
        dataLocation: record.dataLocation,
      },
      revocation,
      transactionSender: record.transactionSender,
      schema: {
        key: schemaKeyOf(record),
        name: schema?.name ?? '',
        description: schema?.record.definition.description ?? '',
      },
    })
    expect(found?.lastSyncAt === null).toBe(revocation === null)
    expect((await reader.findAttestation(record.key))?.key).toEqual(meantAttestation(model, record.key))
  }
  for (const schema of model.schemas) {
    const { record } = schema
    expect((await reader.findSchema(record.key))?.key).toEqual(meantSchema(model, record.key))
    expect(await reader.findSchema(storedKey(record))).toMatchObject({
      key: storedKey(record),
      transactionHash: record.transactionHash,
      name: schema.name,
      description: record.definition.description,
      registrant: record.registrant,
      resolver: record.resolver,
      maxValidFor: record.maxValidFor.toString(),
      rawText: record.rawText,
      attestationCount: schema.attestationCount,
      attesterCount: schema.attesterCount,
      transactionSender: record.transactionSender,
    })
  }
  expect(await reader.findSchema({ chainId: 99, localId: schemaId(0) })).toBeNull()
  expect(await reader.findAttestation({ chainId: 99, localId: schemaId(0) })).toBeNull()
}

async function compareLists(reader: IndexReader, model: ModelIndex, size: number): Promise<void> {
  const schemas = await wholeList((page) => reader.listSchemas({ filter: everySchema }, page), size)
  expect(schemas.map(schemaKey)).toEqual(model.schemas.map(modelKey))
  for (const localId of [0, 1, 2, 3, 6, 8].map(schemaId)) {
    for (const schema of [null, { chainId: 137, localId }, { chainId: 5, localId, protocol: 'sign' }]) {
      const meant = schema && meantSchema(model, schema)
      const expected = model.attestations.filter(({ record }) => schema === null || isUnder(record, meant))
      const filter = { ...everyAttestation, schema }
      const rows = await wholeList((page) => reader.listAttestations({ filter }, page, everything), size)
      expect(rows.map(attestationKey)).toEqual(expected.map(modelKey))
      const summaries = await wholeList(async (page) => {
        const { total, rowsJson } = await reader.listAttestationSummaries(schema, page)
        return { total, rows: JSON.parse(rowsJson) as object[] }
      }, size)
      expect(summaries).toEqual(expected.map(({ record }) => attestationMembers(summaryOf(record))))
    }
  }
  const top = [...model.schemas].sort(byTopOrder)
  for (const limit of [1, 2, 5, 8, 50]) {
    expect((await reader.listTopSchemas(limit)).map(schemaKey)).toEqual(top.slice(0, limit).map(modelKey))
  }
  const trending = modelTrending(model)
  expect((await reader.listTrendingSchemas(5)).map(schemaKey)).toEqual(trending.slice(0, 5).map(modelKey))
}

async function compareAddressLists(
  reader: IndexReader,
  model: ModelIndex,
  address: (typeof addresses)[number],
  size: number,
): Promise<void> {
  const created = model.schemas.filter(({ record }) => record.registrant === address)
  const schemas = await wholeList(
    (page) => reader.listSchemas({ filter: { ...everySchema, registrant: address } }, page),
    size,
  )
  expect(schemas.map(schemaKey)).toEqual(created.map(modelKey))
  const localId = schemaId(0)
  for (const role of ['created', 'received', 'either'] as const) {
    for (const chainId of [null, 5, 137, 99]) {
      for (const schema of [
        null,
        { kind: 'localId', localId } as const,
        { kind: 'localId', localId, protocol: 'sign' } as const,
        { kind: 'key', key: { chainId: 5, localId } } as const,
      ]) {
        const filter = { address, role, chainId, schema }
        const expected = model.attestations.filter(({ record }) => isOfAddress(model, record, filter))
        const listing = { ...filter, attester: null }
        const rows = await wholeList((page) => reader.listAttestations(listing, page, everything), size)
        expect(rows.map(attestationKey)).toEqual(expected.map(modelKey))
      }
    }
  }
}

function summaryOf(record: Attestation): AttestationSummary {
  return {
    key: storedKey(record),
    schemaId: record.schemaLocalId,
    attester: checksumAddress(record.attester),
    attestTimestamp: record.attestTimestamp,
    recipientsJson: recipientsJson(record.recipients),
  }
}

/** All rows of a listing, taken page by page; the total must be the same on every page. */
export async function wholeList<Row>(
  list: (page: PageRequest) => Promise<Page<Row>>,
  size: number,
): Promise<Row[]> {
  const rows: Row[] = []
  for (let page = 1; ; page++) {
    const answer = await list({ page, size })
    rows.push(...answer.rows)
    if (answer.rows.length < size) {
      expect(answer.total).toBe(rows.length)
      return rows
    }
  }
}

export function attestationKey({ key }: StoredAttestation): string {
  return recordKeyText(key)
}

export function schemaKey({ key }: StoredSchema): string {
  return recordKeyText(key)
}

export function modelKey({ record }: ModelAttestation | ModelSchema): string {
  return recordKeyText(storedKey(record))
}
