import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { AnchorFilter } from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { ApiContext } from '../../apiContext.ts'
import { addEndpoint } from '../../pipeline/addEndpoint.ts'
import type { EndpointAnswer } from '../../pipeline/endpoint.ts'
import { describeAnchor } from '../../records/describeAnchor.ts'
import { cursorLinks, pageLinks } from '../../records/pageLinks.ts'
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
import type { ParameterValues } from '../../pipeline/parameters/parameter.ts'
import { readPlace } from '../../pipeline/parameters/readPlace.ts'
import { anchorRow } from '../../records/offchainSchemas.ts'
import { pageOf, stepOf, type Shown } from '../../records/payloadSchemas.ts'
import { presentPage } from '../../records/presentList.ts'
import { nextCursor } from '../../records/slices.ts'

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
    answer: answerAnchors,
  })
}

async function answerAnchors(
  reader: PastReader,
  values: ParameterValues<typeof anchorParameters>,
  url: string,
): Promise<EndpointAnswer<Shown<typeof anchorList>>> {
  const { value, type: kind, account, size } = values
  const filter: AnchorFilter = { value, kind, account, chainId: null }
  const place = readPlace({ ...values, keyword: null }, null)
  if (place.kind === 'page') {
    const request = { page: place.page, size }
    const found = await reader.listAnchors(filter, request)
    return { data: presentPage(found, request, describeAnchor), link: pageLinks(url, request, found.total) }
  }
  const after = place.cursor.place
  const slice = await reader.sliceAnchors({ filter, order: 'newestFirst', after, limit: size })
  const next = nextCursor(slice)
  return {
    data: { rows: slice.rows.map(describeAnchor), size, nextCursor: next },
    link: cursorLinks(url, next),
  }
}
