import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { AnchorFilter, PageRequest } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import type { ApiContext } from '../../apiContext.ts'
import { addEndpoint } from '../../pipeline/addEndpoint.ts'
import { describeAnchor } from '../../records/describeAnchor.ts'
import { answerListing } from '../../records/answerListing.ts'
import {
  anchorAccountParameter,
  anchorTypeParameter,
  anchorValueParameter,
} from '../../pipeline/parameters/anchorParameters.ts'
import {
  cursorParameter,
  pageOrCursorParameter,
  sizeParameter,
} from '../../pipeline/parameters/listingParameters.ts'
import { readPlace } from '../../pipeline/parameters/readPlace.ts'
import { anchorRow } from '../../records/offchainSchemas.ts'
import { pageOf, stepOf } from '../../records/payloadSchemas.ts'

const anchorParameters = {
  value: anchorValueParameter,
  type: anchorTypeParameter,
  account: anchorAccountParameter,
  page: pageOrCursorParameter,
  cursor: cursorParameter,
  size: sizeParameter,
} as const

const anchorList = Type.Union([pageOf(anchorRow), stepOf(anchorRow)])

/** The off-chain anchors, newest first (docs/offchain.md, "Anchors"). */
export function addAnchorEndpoint(app: FastifyInstance, context: ApiContext): void {
  addEndpoint(app, context, {
    path: '/scan/anchors',
    summary: 'Off-chain anchors: values that accounts noted on chain, newest first; filters combine',
    description:
      'A page with its exact total, or with `cursor` a step of a walk, which costs the same at any depth.',
    parameters: anchorParameters,
    data: anchorList,
    answer: async (reader, { value, type: kind, account, size, ...place }, url) => {
      const filter: AnchorFilter = { value, kind, account, chainId: null }
      const asked = { place: readPlace({ ...place, keyword: null }, null), size, url }
      const reads = {
        page: (request: PageRequest) => reader.listAnchors(filter, request),
        slice: (after: RowPlace | null, limit: number) =>
          reader.sliceAnchors({ filter, order: 'newestFirst', after, limit }),
      }
      return await answerListing(asked, reads, (rows) => rows.map(describeAnchor))
    },
  })
}
