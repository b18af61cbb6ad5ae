import type { FastifyInstance } from 'fastify'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import {
  everySchema,
  type AddressListing,
  type Page,
  type PageRequest,
} from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import type { ApiContext } from '../../apiContext.ts'
import { addEndpoint } from '../../pipeline/addEndpoint.ts'
import { asOfParameter } from '../../pipeline/asOf/parseAsOf.ts'
import { pageTooDeep } from '../../pipeline/pageTooDeep.ts'
import { choiceParameter } from '../../pipeline/parameters/choiceParameter.ts'
import {
  addressFilterParameter,
  addressParameter,
  chainIdParameter,
  chainsOfListed,
  chainsOfSchema,
  schemaFilterParameter,
  schemaOfProtocol,
} from '../../pipeline/parameters/idParameters.ts'
import { idProtocolParameter } from '../../pipeline/parameters/protocolParameters.ts'
import { pageParameter, sizeParameter } from '../../pipeline/parameters/listingParameters.ts'
import {
  attestationInclude,
  includedFollowsClock,
  includeNamesParameter,
  includeProtocolParameter,
  presentIncluded,
  presentWhole,
  wholeRow,
  presentNamed,
  presentWith,
} from '../../records/include.ts'
import {
  addressStatistics,
  attestationOfAddress,
  pageOf,
  registeredSchema,
} from '../../records/payloadSchemas.ts'
import { presentStatistics } from './presentAddress.ts'
import { presentAttestationOfAddress } from '../../records/presentAttestation.ts'
import { emptyPage, presentPage } from '../../records/presentList.ts'
import { presentRegisteredSchema } from '../../records/presentSchema.ts'

/** The records of one account (docs/api.md, "Paths"). An account without records has zeros and empty pages. */
export function addAddressEndpoints(app: FastifyInstance, context: ApiContext): void {
  addEndpoint(app, context, {
    path: '/scan/addresses/:address/statistics',
    summary: 'Numbers of schemas and attestations that an address made and received',
    description: 'An address without records has zeros.',
    parameters: { address: addressParameter, include: includeNamesParameter, asOf: asOfParameter },
    tool: {
      name: 'get_address',
      description: 'How many attestations an address made and received, and how many schemas it registered.',
    },
    data: addressStatistics,
    about: ({ asOf }) => ({ asOf, chainIds: null }),
    answer: async (reader, { address, include }) => {
      const present = presentNamed(include, context, presentStatistics, () => [checksumAddress(address)])
      return { data: present(await reader.addressStatistics(address)) }
    },
  })

  addEndpoint(app, context, {
    path: '/scan/addresses/:address/schemas',
    summary: 'Schemas that an address registered, newest first',
    description: 'An address without schemas has an empty page.',
    parameters: {
      address: addressParameter,
      include: includeProtocolParameter,
      asOf: asOfParameter,
      page: pageParameter,
      size: sizeParameter,
    },
    data: pageOf(registeredSchema),
    about: ({ asOf }) => ({ asOf, chainIds: null }),
    answer: async (reader, { address, include, page, size }) => {
      const request = { page, size }
      const found = await reader.listSchemas({ filter: { ...everySchema, registrant: address } }, request)
      return { data: presentPage(found, request, presentWith(include, context, presentRegisteredSchema)) }
    },
  })

  addEndpoint(app, context, {
    path: '/scan/addresses/:address/attestations',
    summary: 'Attestations that an address made or received, newest first; filters combine',
    description: 'Each row says whether the address made or received it, and who sent its transaction.',
    parameters: {
      address: addressParameter,
      type: choiceParameter({
        name: 'type',
        description:
          '`created`: only attestations that the address made; `received`: only attestations that it received.',
        choices: ['created', 'received'],
      }),
      attester: addressFilterParameter('attester', 'Only attestations that this account made.'),
      chainId: chainIdParameter,
      schemaId: schemaFilterParameter,
      protocol: idProtocolParameter,
      include: attestationInclude(context.includes),
      asOf: asOfParameter,
      page: pageParameter,
      size: sizeParameter,
    },
    data: pageOf(attestationOfAddress),
    about: ({ asOf, chainId, schemaId }) => ({
      asOf,
      chainIds: chainsOfListed(chainId) ?? (schemaId === null ? null : chainsOfSchema(schemaId)),
      isFiltered: true,
    }),
    answer: async (reader, { address, type, attester, chainId, schemaId, protocol, include, page, size }) => {
      if (protocol !== null && schemaId === null) {
        throw new BadParameterError(
          'protocol needs schemaId, the id that several protocols may have; add it.',
        )
      }
      // A schema that cannot be indexed has no key to look up.
      if (chainId?.kind === 'unknown' || schemaId?.kind === 'unknown') {
        return { data: emptyPage({ page, size }) }
      }
      const listing: AddressListing = {
        address,
        role: type ?? 'either',
        attester,
        chainId: chainId?.value ?? null,
        schema: schemaId === null ? null : schemaOfProtocol(schemaId.value, protocol),
      }
      const found = await listAttestations(reader, listing, { page, size })
      const presentRow = (row: StoredAttestation) => presentAttestationOfAddress(row, address)
      const rows = await presentWhole(reader, found.rows, context, (whole) =>
        presentIncluded(
          whole.filter((row) => row !== null),
          include,
          context,
          presentRow,
        ),
      )
      return {
        data: { total: found.total, rows, page, size },
        followsClock: includedFollowsClock(include, context.includes),
      }
    },
  })
}

/** No walk by cursor lists what one account made and another received, but the listing of all attestations does. */
async function listAttestations(
  reader: PastReader,
  listing: AddressListing,
  page: PageRequest,
): Promise<Page<StoredAttestation>> {
  try {
    return await reader.listAttestations(listing, page, wholeRow)
  } catch (error) {
    const where = '/scan/attestations, with this address as recipient,'
    const message = error instanceof StoreTooMuchWorkError ? pageTooDeep(error, where) : null
    if (message === null) throw error
    throw new BadParameterError(message, { cause: error })
  }
}
