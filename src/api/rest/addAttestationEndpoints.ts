import type { FastifyInstance } from 'fastify'
import { NotFoundError } from '../../errors/apiErrors.ts'
import { formatCompositeId } from '../../model/compositeId.ts'
import { Type } from 'typebox'
import { addEndpoint, type ApiContext } from '../addEndpoint.ts'
import { choiceParameter } from '../parameters/choiceParameter.ts'
import { recordIdParameter, schemaIdParameter } from '../parameters/idParameters.ts'
import { keywordParameter, pageParameter, sizeParameter } from '../parameters/listingParameters.ts'
import { attestationRow, detailedAttestationRow, pageOf, singleAttestation } from './payloadSchemas.ts'
import { presentAttestation, presentDetailedRow } from './presentAttestation.ts'
import { presentPage, presentPageOfJson } from './presentList.ts'

/** Attestations, in pages and alone (service.md 4.1, #7 to #9). */
export function addAttestationEndpoints(app: FastifyInstance, context: ApiContext): void {
  addEndpoint(app, context, {
    path: '/scan/attestations',
    summary: 'Attestations, newest first; filters combine',
    parameters: {
      schemaId: schemaIdParameter,
      fields: choiceParameter({
        name: 'fields',
        description: '`detail`: each row carries a summary of its schema.',
        choices: ['detail'],
      }),
      page: pageParameter,
      size: sizeParameter,
      keyword: keywordParameter(
        'Only attestations that it finds: an attestation id, a transaction hash, the address of an attester or ' +
          'recipient, or exactly an indexing value or a recipient that is no address.',
      ),
    },
    data: Type.Union([pageOf(attestationRow), pageOf(detailedAttestationRow)]),
    answer: async (reader, { schemaId, fields, page, size, keyword }) => {
      if (schemaId?.kind === 'unknown') return presentPageOfJson(0, '[]', { page, size })
      const filter = { schema: schemaId?.value ?? null, keyword, page, size }
      if (fields === 'detail') {
        const query = { ...filter, fields: { detail: false, schema: true } }
        return presentPage(await reader.listAttestations(query), { page, size }, presentDetailedRow)
      }
      const query = { ...filter, fields: { detail: false, schema: false } }
      const { total, rowsJson } = await reader.listAttestationSummaries(query)
      return presentPageOfJson(total, rowsJson, { page, size })
    },
  })

  addEndpoint(app, context, {
    path: '/scan/attestations/:id',
    summary: 'An attestation by its composite id',
    parameters: { id: recordIdParameter('Composite id of the attestation.') },
    data: singleAttestation,
    answer: async (reader, { id }) => {
      const attestation = id.kind === 'known' ? await reader.findAttestation(id.value) : null
      if (attestation === null) {
        const shown = id.kind === 'known' ? formatCompositeId(id.value) : id.shown
        throw new NotFoundError(
          `No attestation ${shown} is indexed here; /scan/attestations lists those that are.`,
        )
      }
      return presentAttestation(attestation)
    },
  })
}
