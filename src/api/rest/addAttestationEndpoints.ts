import type { FastifyInstance } from 'fastify'
import { NotFoundError } from '../../errors/apiErrors.ts'
import { Type } from 'typebox'
import { addEndpoint, type ApiContext } from '../addEndpoint.ts'
import { idsParameter, ofProtocol, recordIdParameter, shownId } from '../parameters/idParameters.ts'
import { idProtocolParameter } from '../parameters/protocolParameters.ts'
import { waitParameter, wantedRecord } from '../waits/waitParameter.ts'
import { answerAttestationListing, attestationListingParameters } from './answerAttestationListing.ts'
import { findByIds } from './findByIds.ts'
import { includeParameter, presentIncluded } from './include.ts'
import {
  attestationRow,
  detailedAttestationRow,
  pageOf,
  recordsOf,
  singleAttestation,
  stepOf,
} from './payloadSchemas.ts'
import { presentAttestation, withMembers } from './presentAttestation.ts'
import { presentRows } from './presentList.ts'

/** Attestations, in pages and alone (docs/api.md, "Paths"). */
export function addAttestationEndpoints(app: FastifyInstance, context: ApiContext): void {
  addEndpoint(app, context, {
    path: '/scan/attestations',
    summary: 'Attestations, newest first; filters combine',
    parameters: attestationListingParameters,
    data: Type.Union([
      pageOf(attestationRow),
      pageOf(detailedAttestationRow),
      stepOf(attestationRow),
      stepOf(detailedAttestationRow),
    ]),
    answer: (reader, values, url) => answerAttestationListing(context, reader, values, url),
  })

  addEndpoint(app, context, {
    path: '/scan/attestations/:id',
    summary: 'An attestation by its composite id',
    parameters: {
      id: recordIdParameter('Composite id of the attestation.'),
      protocol: idProtocolParameter,
      include: includeParameter,
      wait: waitParameter,
    },
    data: singleAttestation,
    wait: ({ id, protocol, wait }) => ({
      seconds: wait,
      record: wantedRecord('attestation', ofProtocol(id, protocol)),
    }),
    answer: async (reader, { include, ...values }) => {
      const id = ofProtocol(values.id, values.protocol)
      const attestation = id.kind === 'known' ? await reader.findAttestation(id.value) : null
      if (attestation === null) {
        throw new NotFoundError(
          `No attestation ${shownId(id)} is indexed here; /scan/attestations lists those that are.`,
        )
      }
      if (include === null) return presentAttestation(attestation)
      const [included = ''] = await presentIncluded([attestation], include, context.decodePayload)
      return withMembers(presentAttestation(attestation), included)
    },
  })

  addEndpoint(app, context, {
    path: '/scan/attestations/by-ids',
    summary: 'Up to 100 attestations by their composite ids',
    parameters: {
      ids: idsParameter('Attestations to answer.'),
      protocol: idProtocolParameter,
      include: includeParameter,
    },
    data: recordsOf(singleAttestation),
    answer: async (_reader, { ids, protocol, include }) => {
      const { reader } = context
      const found = await findByIds(ids, protocol, (keys) =>
        reader.findAttestations(keys, { detail: true, schema: true }),
      )
      const known = found.filter((attestation) => attestation !== null)
      const included = include === null ? [] : await presentIncluded(known, include, context.decodePayload)
      let next = 0
      return presentRows(found, (attestation) => {
        if (attestation === null) return 'null'
        const text = presentAttestation(attestation)
        return include === null ? text : withMembers(text, included[next++] ?? '')
      })
    },
  })
}
