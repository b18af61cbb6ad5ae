import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { Type, type TProperties, type TSchema } from 'typebox'
import { changesPerRead } from '@attestry/core/changes/journalTail.ts'
import { passesFilter, subjectOf, type ChangeFilter } from '@attestry/core/changes/changeFilter.ts'
import { detailOf } from '@attestry/core/model/recordJson.ts'
import type { Change, ChangeJournal, ChangePlace } from '@attestry/core/index/indexQueries.ts'
import { anchorRow } from '../../records/offchainSchemas.ts'
import type { ApiContext } from '../../apiContext.ts'
import { startOfWait } from '../../pipeline/addEndpoint.ts'
import { createUntaggedAnswer } from '../../pipeline/answers/answer.ts'
import { ignoredHeaders } from '../../pipeline/answers/ignoredHeader.ts'
import { sendAnswer } from '../../pipeline/answers/sendAnswer.ts'
import type { Operation } from '../../pipeline/endpoint.ts'
import { writeAnswer } from '../../pipeline/envelope.ts'
import { uncachedHeaders } from '../../pipeline/headers.ts'
import { integerParameter } from '../../pipeline/parameters/integerParameter.ts'
import { createParameterReader } from '../../pipeline/parameters/readParameters.ts'
import { patternParameter } from '../../pipeline/parameters/textParameters.ts'
import {
  attestationSummary,
  exactly,
  schemaSummary,
  singleAttestation,
  singleSchema,
} from '../../records/payloadSchemas.ts'
import { changeFilterOf, changeParameters } from './changeParameters.ts'
import type { ChangeStreams } from './createChangeStreams.ts'
import { createFindBehind } from './findBehind.ts'
import { eventNameOf, formatPlace, parsePlace, placePattern } from './formatEvent.ts'
import { presentChange } from './presentChange.ts'

/** The parameters beside those of the filter, which GraphQL has as well. */
export const changePageParameters = {
  since: patternParameter({
    name: 'since',
    description:
      'The cursor up to which changes are known: `next` of an earlier answer. Without it, the answer has no rows and the ' +
      'newest cursor.',
    pattern: placePattern,
    shape: 'a cursor of this path',
    example: '1764000000000-0',
  }),
  size: integerParameter({
    name: 'size',
    description: 'Rows of the answer at most.',
    minimum: 1,
    maximum: 1_000,
    absent: 100,
  }),
} as const

const parameters = {
  ...changeParameters,
  ...changePageParameters,
  wait: integerParameter({
    name: 'wait',
    description: 'Seconds for which the answer waits for a change where there is none yet.',
    minimum: 1,
    maximum: 30,
    absent: null,
  }),
} as const

/** Changes that one answer reads at most: a filter that few pass must not read the whole journal at once. */
const readMax = 5_000

/** Characters of payloads after which an answer takes no further rows. */
const charactersMax = 4 * 1024 * 1024

const resetMessage =
  'The changes behind this cursor are no longer kept, or were too many to list: read your records anew from the ' +
  'listings, then go on from next.'

type ChangesContext = Pick<
  ApiContext,
  'reader' | 'freshness' | 'checkOwnFields' | 'decodePayload' | 'waits'
> & { readonly journal: ChangeJournal }

/** Adds the changes of the index by pages (docs/api.md, "Changes by pull"). */
export function addChangesEndpoint(
  scope: FastifyInstance,
  streams: Pick<ChangeStreams, 'resolve'>,
  context: ChangesContext,
): void {
  const { reader, journal, checkOwnFields, waits } = context
  const readParameters = createParameterReader(parameters)
  const findBehind = createFindBehind(context)
  scope.route({
    method: ['GET', 'HEAD'],
    url: '/scan/changes',
    config: { operation },
    handler: async (request, reply) => {
      const { values, ignored, url } = readParameters({}, request.raw.url ?? '')
      const filter = await streams.resolve(changeFilterOf(values))
      await checkOwnFields(filter)
      const { since, size, wait } = values
      // The answer is of this state or a newer one.
      let version = await reader.indexVersion()
      let behind = await findBehind(values)
      let page: ChangePage
      if (since === null) page = pageAt(await journal.newestChange())
      else {
        page = await readPage(context, filter, parsePlace(since), size)
        const endMs = wait === null || !isUpToDate(page) ? null : startOfWait(reply.raw, wait)
        while (isUpToDate(page) && endMs !== null) {
          if (!(await waits.waitForChange({ filter, after: page.next }, endMs, reply.raw))) break
          version = await reader.indexVersion()
          behind = await findBehind(values)
          page = await readPage(context, filter, page.next, size)
        }
      }
      const { next, reset } = page
      const rows = page.changes.map(presentRow)
      const told = { rows, next: formatPlace(next), reset }
      const envelope = await writeAnswer(told, reset ? resetMessage : null)
      const answer = createUntaggedAnswer(envelope, version, uncachedHeaders)
      await sendAnswer(
        request,
        reply,
        { answer, key: url, ownHeaders: ignoredHeaders(ignored), behind },
        null,
      )
    },
  })
}

/** Changes behind a cursor. */
export interface ChangePage {
  readonly changes: readonly Change[]
  readonly next: ChangePlace
  /** Whether more may stand behind `next`. */
  readonly hasMore: boolean
  readonly reset: boolean
}

function pageAt(next: ChangePlace): ChangePage {
  return { changes: [], next, hasMore: false, reset: false }
}

function isUpToDate({ changes, hasMore, reset }: ChangePage): boolean {
  return changes.length === 0 && !hasMore && !reset
}

function presentRow(change: Change) {
  return { type: eventNameOf(change), id: formatPlace(change.place), data: presentChange(change) }
}

/** Reads a page of changes behind a cursor; without one, the newest cursor. */
export type ReadChanges = (
  filter: ChangeFilter | null,
  since: string | null,
  size: number,
) => Promise<ChangePage>

export function createReadChanges(
  streams: Pick<ChangeStreams, 'resolve'>,
  context: ChangesContext,
): ReadChanges {
  return async (asked, since, size) => {
    const filter = await streams.resolve(asked)
    await context.checkOwnFields(filter)
    return since === null
      ? pageAt(await context.journal.newestChange())
      : await readPage(context, filter, parsePlace(since), size)
  }
}

/** @param filter null: no indexed record can pass. */
async function readPage(
  { journal, decodePayload }: ChangesContext,
  filter: ChangeFilter | null,
  after: ChangePlace | null,
  size: number,
): Promise<ChangePage> {
  // No journal begins with this place.
  let next = after ?? { sequence: 0, offset: 0 }
  const changes: Change[] = []
  let characters = 0
  let hasMore = true
  for (let read = 0; hasMore && read < readMax;) {
    const slice = await journal.listChanges(next, changesPerRead)
    for (const change of slice.changes) {
      if (change.kind === 'reset') return { changes: [], next: change.place, hasMore: false, reset: true }
      if (filter === null || !passesFilter(filter, subjectOf(change, decodePayload))) continue
      if (changes.length === size || characters > charactersMax) {
        return { changes, next, hasMore: true, reset: false }
      }
      changes.push(change)
      if ('attestation' in change) characters += detailOf(change.attestation.detail).data.length
      next = change.place
    }
    read += Math.max(1, slice.changes.length)
    next = slice.next
    hasMore = slice.hasMore
    if (hasMore) await nextTurn()
  }
  return { changes, next, hasMore, reset: false }
}

const cursor = (description: string) =>
  Type.String({ pattern: placePattern.source, description, examples: ['1764000000000-0'] })

function rowOf(type: readonly string[], data: TSchema, description: string): TSchema {
  return exactly({ type: Type.Enum([...type]), id: cursor('The place of the change.'), data }, description)
}

const takenBack = (record: readonly string[], members: TProperties) =>
  exactly(
    {
      record: Type.Enum([...record], { description: 'What was taken back.' }),
      protocol: Type.String({ description: 'The protocol of the record.' }),
      ...members,
    },
    'What a reorganisation took back.',
  )

const { properties: anchorMembers } = anchorRow as unknown as { readonly properties: TProperties }

const data = exactly(
  {
    rows: Type.Array(
      Type.Union([
        rowOf(
          ['attestation', 'revocation'],
          singleAttestation,
          'An attestation that was made or revoked, as it is now.',
        ),
        rowOf(['schema'], singleSchema, 'A schema that was registered, as it is now.'),
        rowOf(['anchor'], anchorRow, 'An off-chain anchor that was made.'),
        rowOf(
          ['revert'],
          Type.Union([
            takenBack(['attestation', 'revocation'], attestationSummary),
            takenBack(['schema'], schemaSummary),
            takenBack(['anchor'], anchorMembers),
          ]),
          'A reorganisation took back a record, the revocation of one, or an anchor.',
        ),
      ]),
      { description: 'Changes behind the cursor that pass the filters, oldest first.' },
    ),
    next: cursor('The cursor for the next request. It equals `since` where nothing has changed.'),
    reset: Type.Boolean({
      description: 'Whether changes are missing: read the records anew, then go on from `next`.',
    }),
  },
  'Changes of the index behind a cursor.',
)

const operation: Operation = {
  summary: 'New, revoked and taken-back records and anchors behind a cursor, by pages',
  description:
    'For jobs that keep a copy of the index: ask once without `since` for the newest cursor, read the listings, then ' +
    'with `since` for what has changed. The events are those of `/scan/events`.',
  parameters,
  data,
  tool: {
    name: 'list_changes',
    description:
      'What changed in the index behind a cursor: records made, revoked, or reverted by a reorganisation. Ask once ' +
      'without since for the newest cursor; later pass next as since, until next stays as it is. reset true: changes ' +
      'are missing, so read the lists anew.',
  },
}
