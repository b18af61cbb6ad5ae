import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { ApiContext } from '../../apiContext.ts'
import { addEndpoint } from '../../pipeline/addEndpoint.ts'
import { asOfHeader } from '../../pipeline/asOf/openView.ts'
import { asOfParameter, refuseBeside } from '../../pipeline/asOf/parseAsOf.ts'
import { askedByListing } from '../../pipeline/parameters/attestationFilterParameters.ts'
import {
  askedByIds,
  chainsOfIds,
  checkSigner,
  idsParameter,
  ofProtocol,
  recordIdParameter,
  signerParameter,
} from '../../pipeline/parameters/idParameters.ts'
import { idProtocolParameter } from '../../pipeline/parameters/protocolParameters.ts'
import { waitParameter, wantedRecord } from '../../pipeline/waits/waitParameter.ts'
import {
  answerAttestationListing,
  attestationList,
  attestationListingParameters,
} from './answerAttestationListing.ts'
import { findByIds } from './findByIds.ts'
import { notIndexed } from './notIndexed.ts'
import {
  attestationInclude,
  includedFollowsClock,
  presentIncluded,
  presentWhole,
  wholeRow,
} from '../../records/include.ts'
import { singleOffchain } from '../../records/offchainSchemas.ts'
import { recordsOf, singleAttestation } from '../../records/payloadSchemas.ts'
import { presentAttestation } from '../../records/presentAttestation.ts'

/** Attestations, in pages and one by one (docs/api.md, "Paths"). */
export function addAttestationEndpoints(app: FastifyInstance, context: ApiContext): void {
  addEndpoint(app, context, {
    path: '/scan/attestations',
    summary: 'Attestations, newest first; filters combine',
    description:
      'A page with its exact total, or with `cursor` a step of a walk, which costs the same at any depth. `fields=detail` adds the schema of each row. `mode=offchain` lists the records of the off-chain store.',
    parameters: { ...attestationListingParameters, include: attestationInclude(context.includes) },
    tool: {
      name: 'list_attestations',
      description:
        'Attestations that pass all given filters, newest first, with their payloads decoded and the exact total. ' +
        'For more than some pages, begin with cursor * and pass on nextCursor.',
    },
    data: attestationList,
    about: (values) => ({ asOf: values.asOf, ...askedByListing(values), isFiltered: true }),
    answer: (reader, values, url, view) => answerAttestationListing(context, reader, values, url, view),
  })

  addEndpoint(app, context, {
    path: '/scan/attestations/:id',
    summary: 'An attestation by its composite id',
    description:
      'The whole record with its payload, its revocation and its schema. With `asOf`, as it was then. With `wait`, the answer comes as soon as the record is indexed.',
    parameters: {
      id: recordIdParameter('Composite id of the attestation.'),
      protocol: idProtocolParameter,
      signer: signerParameter,
      include: attestationInclude(context.includes),
      asOf: asOfParameter,
      wait: waitParameter,
    },
    tool: {
      name: 'get_attestation',
      description:
        'One attestation, with its payload decoded and whether it was revoked. Ids are composite, such as ' +
        'onchain_evm_11155111_0x1a.',
    },
    data: Type.Union([singleAttestation, singleOffchain]),
    about: ({ id, protocol, asOf }) => ({
      asOf,
      ...askedByIds([ofProtocol(id, protocol)], 'attestation'),
      namesBlocks: true,
    }),
    wait: ({ id, protocol, wait }) => ({
      seconds: wait,
      record: wantedRecord('attestation', ofProtocol(id, protocol)),
    }),
    answer: async (reader, { include, signer, ...values }, _url, view) => {
      refuseBeside(values.asOf, 'wait', values.wait)
      refuseBeside(values.asOf, 'signer', signer)
      const id = ofProtocol(values.id, values.protocol)
      checkSigner(id, signer)
      const offchain =
        values.asOf === null ? await context.offchainRecords.answer(reader, id, include, signer) : null
      if (offchain !== null) return offchain
      const attestation = id.kind === 'known' ? await reader.findAttestation(id.value) : null
      if (attestation === null) throw notIndexed('attestation', id, view)
      const asOf = await asOfHeader(view, chainsOfIds([id]))
      const [data] = await presentIncluded([attestation], include, context, presentAttestation)
      if (data === undefined) throw new TypeError('one record is presented as one')
      return { data, followsClock: includedFollowsClock(include, context.includes), asOf }
    },
  })

  addEndpoint(app, context, {
    path: '/scan/attestations/by-ids',
    summary: 'Up to 100 attestations by their composite ids',
    description: 'The rows are in the order of the ids, null for an id that is not indexed.',
    parameters: {
      ids: idsParameter('Attestations to answer.'),
      protocol: idProtocolParameter,
      include: attestationInclude(context.includes),
      asOf: asOfParameter,
    },
    about: ({ ids, asOf }) => ({ asOf, ...askedByIds(ids, 'attestation') }),
    data: recordsOf(Type.Union([singleAttestation, singleOffchain])),
    answer: async (reader, { ids, protocol, include, asOf }) => {
      const found = await findByIds(ids, protocol, (keys) => reader.findAttestations(keys, wholeRow))
      const known = found.filter((attestation) => attestation !== null)
      const presented = await presentWhole(reader, known, context, async (rows) => {
        const still = rows.filter((row) => row !== null)
        const shown = (await presentIncluded(still, include, context, presentAttestation)).values()
        return rows.map((row) => (row === null ? null : (shown.next().value ?? null)))
      })
      const offchain = await Promise.all(
        ids.map(async (id) =>
          asOf === null ? await context.offchainRecords.find(reader, id, include) : null,
        ),
      )
      let next = 0
      const rows = found.map((attestation, index) =>
        attestation === null ? (offchain[index] ?? null) : (presented[next++] ?? null),
      )
      return {
        data: { rows },
        // The version of the index does not change with the off-chain store, where an unknown id may be stored later.
        followsClock:
          includedFollowsClock(include, context.includes) ||
          (asOf === null && context.offchainRecords.mayGrow && ids.some(({ kind }) => kind === 'unknown')),
      }
    },
  })
}
