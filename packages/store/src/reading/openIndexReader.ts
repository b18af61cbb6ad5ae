import {
  type AddressListing,
  type AttestationFilter,
  type ChangeJournal,
  everyAttestation,
  everyDay,
  type Page,
  type PageRequest,
  type SliceRequest,
} from '@attestry/core/index/indexQueries.ts'
import type { IndexReader, PastProjectedReads, ProjectedReads } from '@attestry/core/index/indexReader.ts'
import type { AttestationFields, StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import type { HistoryReads } from '@attestry/core/index/chainHistory.ts'
import type { HookReads } from '@attestry/core/index/hookStore.ts'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import { attestationMembers } from '@attestry/core/model/recordJson.ts'
import type { TakeTurn } from '@attestry/core/model/threadTurns.ts'
import type { Projection } from '../port/projection.ts'
import { exportLines } from '../transfer/exportLines.ts'
import { readHistory } from '../transfer/readHistory.ts'
import { listActivity, listAnchorCounts, listProtocolDays, listTopAttesters, listTotals } from './activity.ts'
import { addressStatistics, findAddress, keysOfLocalId } from './addressLists.ts'
import { countAnchors, findAnchorPlace, sliceAnchors } from './anchors.ts'
import { findBlock } from './findBlock.ts'
import { findBlockAt, locateBlock } from './findMoment.ts'
import { findDigest } from './findDigest.ts'
import { findEvent } from './findEvent.ts'
import { findHoldings } from './findHoldings.ts'
import { findPresent } from './findPresent.ts'
import { findStatuses } from './findStatuses.ts'
import { findTransaction } from './findTransaction.ts'
import { createGroups } from './groupAttestations.ts'
import { listAttestationsByKeyword, searchAttestations } from './keywordAttestations.ts'
import { findPositionBefore, listChainEnds, listHooks, listRecordsBetween } from './hookReads.ts'
import { findAttestationOrigins, findSchemaBlocks } from './findOrigins.ts'
import { listRegistered } from './listRegistered.ts'
import { findSchemasByKeyword } from './keywordSchemas.ts'
import {
  isOnly,
  listAttestationsOfAddress,
  listAttestationSummaries,
  listByRank,
} from './listAttestations.ts'
import { listChains } from './listChains.ts'
import { listSchemasByRank, listTopSchemas } from './listSchemas.ts'
import { createQueryCounts, type CountWork } from './queryCounts.ts'
import { withMoreLooks } from './moreLooks.ts'
import { readFilteredPage } from './readFilteredPage.ts'
import { readInSteps } from './readInSteps.ts'
import { openPastReader } from './openPastReader.ts'
import { mergeSlices } from './readSlice.ts'
import { findNewestChange, listChanges } from './readJournal.ts'
import { searchAddresses } from './searchAddresses.ts'
import { searchValues } from './searchValues.ts'
import type { ReadSessions } from './readSessions.ts'
import type { ReadPlans, ReadSession } from './session.ts'
import { sessionsAsOf } from './sessionsAsOf.ts'
import { sliceAttestations } from './sliceAttestations.ts'
import { sliceSchemas } from './sliceSchemas.ts'
import { findAttestation, findAttestations } from './storedAttestation.ts'
import { findSchema, findSchemas } from './storedSchema.ts'
import type { Effort } from './tallyRows.ts'
import { createTrending } from './trending.ts'

/** Everything that can be read of an index. */
export type StoreReader = IndexReader & ChangeJournal & HookReads & HistoryReads

/** How much work one answer may be, and what payloads are decoded by. */
export interface ReadBounds {
  /** How many rows a slice may pass over before it ends early. */
  readonly sliceRowsMax?: number | undefined
  /** How many rows may be counted for one total, and for how long. */
  readonly countRowsMax?: number | undefined
  readonly countDurationMaxMs?: number | undefined
  /** How many rows are counted like any other read; more are counted by `countLong`. */
  readonly countAtOnceMax?: number | undefined
  /** Decodes the payloads that are filtered by their fields; without it, none can be decoded. */
  readonly decodePayload?: DecodePayload | undefined
  /** The projections of the index, whose reads the reader has too. */
  readonly projections?: readonly Projection[] | undefined
}

const decodeNothing: DecodePayload = () => ({ kind: 'undecodable', reason: 'this reader decodes nothing' })

/** The reader of an index over the sessions of its database. */
export function openIndexReader(sessions: ReadSessions, bounds: ReadBounds): StoreReader {
  const decodePayload = bounds.decodePayload ?? decodeNothing
  const { readOnce } = sessions
  const sliceRowsMax = bounds.sliceRowsMax ?? 20_000
  const read = <Result>(work: (session: ReadSession) => Promise<Result>) => sessions.read('byValues', work)
  const readList = <Result>(work: (session: ReadSession) => Promise<Result>) => sessions.read('kept', work)
  const budget = {
    rowsMax: bounds.countRowsMax ?? 2_000_000,
    durationMaxMs: bounds.countDurationMaxMs ?? 2_000,
    atOnceMax: bounds.countAtOnceMax ?? 1_000,
  }
  const runs = { run: read, countLong: sessions.countLong }
  /** A read that may pass over many rows: in steps if others would wait for it. */
  async function readMany<Result>(
    plans: ReadPlans,
    work: (session: ReadSession, effort: Effort) => Promise<Result | null>,
    turn?: TakeTurn,
  ): Promise<Result> {
    const rowsMax = sessions.turn === null ? Infinity : budget.atOnceMax
    const found = await sessions.read(plans, (session) => work(session, { rowsMax, pace: null }))
    if (found !== null) return found
    const counted: CountWork<Result> = async (session, effort) => {
      const result = await work(session, effort)
      return result === null ? null : { result, isFromRows: true }
    }
    return await sessions.countLong(counted, budget, turn)
  }
  /** The turns between the steps of a read; null if it takes no turns. */
  const turnsOf = (turn = sessions.turn) => sessions.turn && turn
  const { countSchemas, ...counts } = createQueryCounts(runs, budget, decodePayload)
  const countAttestations: IndexReader['countAttestations'] = (asked, turn) =>
    withMoreLooks(asked, (filter) => counts.countAttestations(filter, turn))
  const groups = createGroups(runs, budget, decodePayload)
  const groupAttestations: IndexReader['groupAttestations'] = (request, turn) =>
    withMoreLooks(request.filter, (filter) => groups.groupAttestations({ ...request, filter }, turn))
  const { listTrendingSchemas } = createTrending(read, sessions.turn)
  const walk: IndexReader['sliceAttestations'] = (request, fields, turn) =>
    readInSteps({ ...request, rowsMax: sliceRowsMax }, turnsOf(turn), ({ rowsMax, ...step }) =>
      withMoreLooks(request.filter, (filter) =>
        read((session) =>
          sliceAttestations(session, { ...request, ...step, filter }, fields, rowsMax, decodePayload),
        ),
      ),
    )
  const walkSchemas: IndexReader['sliceSchemas'] = (request, turn) =>
    readInSteps({ ...request, rowsMax: sliceRowsMax }, turnsOf(turn), ({ rowsMax, ...step }) =>
      read((session) => sliceSchemas(session, { ...request, ...step }, rowsMax)),
    )
  const walkAnchors: IndexReader['sliceAnchors'] = (request) =>
    read((session) => sliceAnchors(session, request, sliceRowsMax))

  /** A page of what passes one of several filters, which share no attestation. */
  async function listByWalk(
    filters: readonly AttestationFilter[],
    page: PageRequest,
    fields: AttestationFields,
    turn?: TakeTurn,
  ): Promise<Page<StoredAttestation>> {
    const list = {
      turn: turnsOf(turn),
      count: async () => {
        const found = await Promise.all(filters.map((filter) => countAttestations(filter, turn)))
        return found.reduce((sum, count) => sum + count, 0)
      },
      slice: async (request: Omit<SliceRequest<never>, 'filter'>, purpose: 'read' | 'passOver') => {
        const read = purpose === 'read' ? fields : { detail: false, schema: false }
        return mergeSlices(
          await Promise.all(filters.map((filter) => walk({ ...request, filter }, read, turn))),
          request,
        )
      },
    }
    return await readFilteredPage(list, page)
  }

  async function listOfAddress(
    { attester, ...listing }: AddressListing,
    page: PageRequest,
    fields: AttestationFields,
    turn?: TakeTurn,
  ): Promise<Page<StoredAttestation>> {
    const { address, role, chainId, schema } = listing
    if (attester === null || (attester === address && role !== 'received')) {
      const ranked = attester === null ? listing : { ...listing, role: 'created' as const }
      return await read((session) => listAttestationsOfAddress(session, ranked, page, fields))
    }
    if (role === 'created') return { total: 0, rows: [] }
    const recipient = { kind: 'address', address } as const
    const received = { ...everyAttestation, attester, recipient, chainId }
    if (schema === null) return await listByWalk([received], page, fields, turn)
    const keys =
      schema.kind === 'key'
        ? [schema.key]
        : await readOnce(({ connection }) => keysOfLocalId(connection, schema))
    return await listByWalk(
      keys.map((key) => ({ ...received, schema: key })),
      page,
      fields,
      turn,
    )
  }

  const { projections = [] } = bounds
  const ofProjections = projections.map((projection) =>
    projection.openReads({ read, readOnce, sliceRowsMax, turn: sessions.turn }),
  )
  const reader: StoreReader = {
    // The package of a projection declares these reads as members of `ProjectedReads`.
    ...(Object.assign({}, ...ofProjections) as ProjectedReads & PastProjectedReads),
    sharesThread: sessions.turn !== null,
    indexVersion: sessions.indexVersion,
    asOf: (moment) => {
      const past = sessionsAsOf(sessions, moment)
      return openPastReader(past, reader, openIndexReader(past, bounds), projections)
    },
    findSchema: (key) => readOnce(({ connection }) => findSchema(connection, key)),
    findAttestation: (key) => readOnce((session) => findAttestation(session, key)),
    listSchemas: async (listing, page, turn) => {
      if ('keyword' in listing) {
        return await read((session) => findSchemasByKeyword(session, listing.keyword, 'newest', page))
      }
      const { filter } = listing
      const { registrant, ...others } = filter
      const isRanked = Object.values(others).every((value) => value === null)
      const plans = registrant === null ? 'kept' : 'byValues'
      const ranked = isRanked
        ? await sessions.read(plans, (session) => listSchemasByRank(session, registrant, page))
        : null
      if (ranked !== null) return ranked
      return await readFilteredPage(
        {
          count: () => countSchemas(filter, turn),
          slice: (request) => walkSchemas({ ...request, filter }, turn),
          turn: turnsOf(turn),
        },
        page,
      )
    },
    listAttestations: async (listing, page, fields, turn) => {
      if ('keyword' in listing) {
        const query = { ...listing, ...page, fields }
        return await readMany(
          'byValues',
          (session, effort) => listAttestationsByKeyword(session, query, effort),
          turn,
        )
      }
      if ('address' in listing) return await listOfAddress(listing, page, fields, turn)
      const { filter } = listing
      // Lists of everything and of a schema are walked by one index, whatever the schema is.
      const plans = isOnly(filter, ['schema']) ? 'kept' : 'byValues'
      const found = await sessions.read(plans, (session) => listByRank(session, filter, page, fields))
      return found ?? (await listByWalk([filter], page, fields, turn))
    },
    listAttestationSummaries: async (schema, page) => {
      const found = await readList((session) => listAttestationSummaries(session, schema, page))
      if (found !== null) return found
      const filter = { ...everyAttestation, schema }
      const { total, rows } = await listByWalk([filter], page, { detail: false, schema: false })
      return { total, rowsJson: JSON.stringify(rows.map(attestationMembers)) }
    },
    listTopSchemas: (limit) => read((session) => listTopSchemas(session, limit)),
    listTrendingSchemas,
    addressStatistics: (address) =>
      readOnce(async ({ connection }) => addressStatistics(await findAddress(connection, address))),
    searchSchemas: (keyword, size) =>
      read((session) => findSchemasByKeyword(session, keyword, 'best', { page: 1, size })),
    searchAttestations: (keyword, limit, turn) =>
      readMany('byValues', (session, effort) => searchAttestations(session, keyword, limit, effort), turn),
    searchAddresses: (keyword, limit) => read((session) => searchAddresses(session, keyword, limit)),
    searchValues: (keyword, limit) => read((session) => searchValues(session, keyword, limit)),
    listChains: () => readOnce(({ connection }) => listChains(connection, projections)),
    findBlock: (chainId, wanted) => readOnce(({ connection }) => findBlock(connection, chainId, wanted)),
    locateBlock: (chainId, number) => readOnce((session) => locateBlock(session, chainId, number)),
    findBlockAt: (chainId, timestamp) => readList((session) => findBlockAt(session, chainId, timestamp)),
    findSchemas: (keys) => readOnce(({ connection }) => findSchemas(connection, keys)),
    findAttestations: (keys, fields) => readOnce((session) => findAttestations(session, keys, fields)),
    findStatuses: (keys, now) => readList((session) => findStatuses(session, keys, now)),
    findHoldings: (request, turn) =>
      readMany('kept', (session, effort) => findHoldings(session, request, decodePayload, effort), turn),
    sliceAttestations: walk,
    sliceSchemas: walkSchemas,
    countAttestations,
    groupAttestations,
    countSchemas,
    listTopAttesters: (schema, limit) => read((session) => listTopAttesters(session, schema, limit)),
    listActivity: (subject, span = everyDay) => read((session) => listActivity(session, subject, span)),
    listTotals: () => readOnce(({ connection }) => listTotals(connection)),
    listRegistered: (chainId, protocol, of) =>
      readOnce((session) => listRegistered(session, chainId, protocol, of)),
    findAttestationOrigins: (keys) => readOnce((session) => findAttestationOrigins(session, keys)),
    findSchemaBlocks: (keys) => readOnce(({ connection }) => findSchemaBlocks(connection, keys)),
    listAnchorCounts: (account) => readOnce(({ connection }) => listAnchorCounts(connection, account)),
    sliceAnchors: walkAnchors,
    listAnchors: (filter, page, turn) =>
      readFilteredPage(
        {
          count: () => readOnce(({ connection }) => countAnchors(connection, filter)),
          slice: (request) => walkAnchors({ ...request, filter }),
          findPlace: (order, rows) => read((session) => findAnchorPlace(session, filter, order, rows)),
          turn: turnsOf(turn),
        },
        page,
      ),
    listProtocolDays: (span = everyDay) => readOnce(({ connection }) => listProtocolDays(connection, span)),
    findTransaction: (hash, chainId) => readList((session) => findTransaction(session, hash, chainId)),
    findPresent: (wanted) => readList(({ connection }) => findPresent(connection, wanted)),
    findEvent: (key, event) => read((session) => findEvent(session, key, event)),
    findDigest: (chainId, block) =>
      sessions.read('byValues', ({ connection }) => findDigest(connection, chainId, block)),
    newestChange: () => readOnce(({ connection }) => findNewestChange(connection)),
    listChanges: (after, limit) => sessions.read('byValues', (session) => listChanges(session, after, limit)),
    listHooks: () => readOnce(({ connection }) => listHooks(connection)),
    listChainEnds: () => readOnce(({ connection }) => listChainEnds(connection, projections)),
    listRecordsBetween: (chainId, span, limit) =>
      sessions.read('byValues', (session) => listRecordsBetween(session, chainId, span, limit)),
    findPositionBefore: (chainId, timestamp) =>
      sessions.read('byValues', (session) => findPositionBefore(session, chainId, timestamp)),
    exportLines: (options) => sessions.stream((reads) => exportLines(reads, options ?? {})),
    chainHistory: (request) => sessions.stream((reads) => readHistory(reads, request)),
    close: () => sessions.close(),
  }
  return reader
}
