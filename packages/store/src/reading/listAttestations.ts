import type { ChainId, RecordKey } from '@attestry/core/model/compositeId.ts'
import {
  type AddressListing,
  type AttestationFilter,
  everyAttestation,
  type Page,
  type PageRequest,
} from '@attestry/core/index/indexQueries.ts'
import type { AttestationFields, StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { listKind } from '../layout/listKinds.ts'
import { findAddress, findAddressSources } from './addressLists.ts'
import { everyArm, schemaArm } from './attestationArms.ts'
import { resolveParts } from './attestationFilter.ts'
import { readListPage, readSummaryPage, type ListSource } from './attestationPage.ts'
import { fieldArms } from './fieldArms.ts'
import { fieldListsOf } from './knownCounts.ts'
import { findPage } from './countAsOf.ts'
import type { ReadSession } from './session.ts'
import { findSchemaRow } from './storedSchema.ts'

/** A page of the attestations that pass a filter; null if the index keeps no lists whose union they are. */
export async function listByRank(
  session: ReadSession,
  filter: AttestationFilter,
  page: PageRequest,
  fields: AttestationFields,
): Promise<Page<StoredAttestation> | null> {
  const sources = await findSources(session, filter)
  return sources && (await readListPage(session, sources, page, fields))
}

/** A page of the attestations that an address made, received, or either. */
export async function listAttestationsOfAddress(
  session: ReadSession,
  listing: Omit<AddressListing, 'attester'>,
  page: PageRequest,
  fields: AttestationFields,
): Promise<Page<StoredAttestation>> {
  return await readListPage(session, await findListsOfAddress(session, listing), page, fields)
}

/**
 * A page of all attestations, or of those under a schema, as the text of a JSON array of summaries; null if the list
 * includes chains outside the cut.
 */
export async function listAttestationSummaries(
  session: ReadSession,
  schema: RecordKey | null,
  page: PageRequest,
): Promise<{ readonly total: number; readonly rowsJson: string } | null> {
  if (schema === null && session.cut !== null && session.cut.chainId !== null) return null
  const { counted, arms } = await findSource(session, schema)
  const { total, bounds } = await findPage(session, [counted], page)
  const rowsJson = bounds === null ? '[]' : await readSummaryPage(session, arms, bounds)
  return { total, rowsJson }
}

/** Whether a filter narrows by no members but these. */
export function isOnly(filter: AttestationFilter, members: readonly Member[]): boolean {
  return filterMembers.every(
    (member) =>
      members.includes(member) ||
      filter[member] === null ||
      (member === 'fields' && filter.fields.length === 0),
  )
}

type Member = keyof AttestationFilter

// The object has exactly the members of its type.
const filterMembers = Object.keys(everyAttestation) as readonly Member[]

/** The disjoint lists of which the attestations that pass a filter are the union; null if none are kept. */
async function findSources(
  session: ReadSession,
  asked: AttestationFilter,
): Promise<readonly ListSource[] | null> {
  const filter = ofCutChain(asked, session.cut?.chainId ?? null)
  if (filter === null) return []
  const { schema, chainId, attester, recipient } = filter
  if (schema !== null && chainId !== null && schema.chainId !== chainId) return []
  if (isOnly(filter, schema === null ? [] : ['schema', 'chainId'])) return [await findSource(session, schema)]
  const ofSchema = schema && ({ kind: 'key', key: schema } as const)
  if (attester !== null && isOnly(filter, ['attester', 'schema', 'chainId'])) {
    return await findListsOfAddress(session, {
      address: attester,
      role: 'created',
      chainId,
      schema: ofSchema,
    })
  }
  if (recipient?.kind === 'address' && isOnly(filter, ['recipient', 'schema', 'chainId'])) {
    const { address } = recipient
    return await findListsOfAddress(session, { address, role: 'received', chainId, schema: ofSchema })
  }
  if (filter.fields.length !== 1 || !isOnly(filter, ['fields', 'schema', 'chainId'])) return null
  return await findListsOfField(session, filter)
}

/** The filter restricted to one chain; null if nothing can pass. */
function ofCutChain(filter: AttestationFilter, chainId: ChainId | null): AttestationFilter | null {
  if (chainId === null) return filter
  if (filter.chainId !== null && filter.chainId !== chainId) return null
  return { ...filter, chainId }
}

async function findSource(session: ReadSession, schema: RecordKey | null): Promise<ListSource> {
  const { connection } = session
  if (schema === null) {
    const list = { kind: listKind.attestations, ownerId: 0, scopeId: 0 }
    const counted = { list, count: session.snapshot.attestationCount }
    return { counted, arms: [everyArm(connection.dialect)] }
  }
  const row = await findSchemaRow(session, schema)
  const ownerId = row?.id ?? -1
  const list = { kind: listKind.attestationsOfSchema, ownerId, scopeId: 0 }
  const arms = [schemaArm(connection.dialect, ownerId, schema.chainId, null)]
  return { counted: { list, count: row?.attestationCount ?? 0 }, arms }
}

async function findListsOfAddress(
  session: ReadSession,
  { address, ...filter }: Omit<AddressListing, 'attester'>,
): Promise<readonly ListSource[]> {
  const row = await findAddress(session.connection, address)
  return row === null ? [] : await findAddressSources(session, row, filter)
}

/** The lists of the values that a condition on a field asks for; null if they overlap, or are not kept. */
async function findListsOfField(
  session: ReadSession,
  filter: AttestationFilter,
): Promise<readonly ListSource[] | null> {
  const { connection } = session
  // Before its schema is registered, a payload has no fields.
  if (session.cut !== null && filter.schema === null) return null
  const [only, ...others] = await resolveParts(session, filter)
  if (only === undefined) return []
  const lists = others.length > 0 ? null : fieldListsOf(only.resolved.fields)
  if (lists === null) return null
  const arms = only.resolved.fields.flatMap((field) =>
    fieldArms(connection.dialect, field, field.lists ?? []),
  )
  return lists.map((counted, index) => ({ counted, arms: arms.slice(index, index + 1) }))
}
