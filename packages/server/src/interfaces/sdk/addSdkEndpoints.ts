import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { BadParameterError, NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import { attestationSubject, passesFilter } from '@attestry/core/changes/changeFilter.ts'
import {
  formatCompositeId,
  parseOffchainId,
  recordKeyText,
  type RecordKey,
} from '@attestry/core/model/compositeId.ts'
import { valueMatchKey } from '@attestry/core/model/keyword.ts'
import { detailOf, indexingValueOf } from '@attestry/core/model/recordJson.ts'
import {
  everyAttestation,
  everySchema,
  recipientNamed,
  type AttestationFilter,
} from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { StoredAttestation, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import type { ApiContext } from '../../apiContext.ts'
import { addEndpoint } from '../../pipeline/addEndpoint.ts'
import { aboutChains } from '../../pipeline/asOf/openView.ts'
import { answerPage, noRows, pageOfOne } from '../../records/answerListing.ts'
import { isUnknown } from '../../pipeline/parameters/attestationFilterParameters.ts'
import {
  aboutIds,
  checkSigner,
  ofProtocol,
  recordIdParameter,
  signerParameter,
  shownId,
  type Identified,
} from '../../pipeline/parameters/idParameters.ts'
import { idProtocolParameter } from '../../pipeline/parameters/protocolParameters.ts'
import { signSchemaAnswer, singleOffchain } from '../../records/offchainSchemas.ts'
import { presentWhole, wholeRow } from '../../records/include.ts'
import { pageOf } from '../../records/payloadSchemas.ts'
import { presentSdkAttestation, presentSdkSchema } from './presentSdkRecord.ts'
import { sdkAttestationParameters, sdkSchemaParameters } from './sdkParameters.ts'
import { sdkAttestation, sdkSchema } from './sdkPayloadSchemas.ts'

/** The first read of a page, whose long payloads follow (`presentWhole`) if they are not too long together. */
const pageFields = { ...wholeRow, payloadBytesMax: 0 }

/** The paths that `IndexService` of `@ethsign/sp-sdk` reads, so that its applications only change their host. */
export function addSdkEndpoints(app: FastifyInstance, context: ApiContext): void {
  addEndpoint(app, context, {
    path: '/index/schemas',
    summary: "Schemas, newest first, as Sign Protocol's SDK reads them",
    description:
      'Every member of a schema; times are in milliseconds. `mode=offchain` lists the schemas of the off-chain store.',
    parameters: sdkSchemaParameters,
    undefinedIsAbsent: true,
    data: Type.Union([pageOf(sdkSchema), pageOf(signSchemaAnswer)]),
    about: ({ id }) => (id === null ? aboutChains(null) : aboutIds([id], 'schema')),
    answer: async (reader, { id, protocol, registrant, mode, page, size }, url) => {
      const request = { page, size }
      if (mode === 'offchain') {
        const filter = { id: id && textOf(id), signer: registrant, protocol }
        return await context.offchainRecords.sdk.listSchemas({ filter, request, url })
      }
      if (isUnknown(id)) return answerPage(url, request, noRows, presentSdkSchema)
      if (id !== null) {
        const schema = await reader.findSchema({ ...id.value, protocol })
        const isWithin = schema !== null && (registrant === null || schema.registrant === registrant)
        return answerPage(url, request, pageOfOne(isWithin ? schema : null, request), presentSdkSchema)
      }
      const filter = { ...everySchema, protocol, registrant }
      const found = await reader.listSchemas({ filter }, request)
      return answerPage(url, request, found, presentSdkSchema)
    },
  })

  addEndpoint(app, context, {
    path: '/index/schemas/:id',
    summary: "A schema by its composite id, as Sign Protocol's SDK reads it",
    description: 'Every member of the schema; times are in milliseconds.',
    parameters: { id: recordIdParameter('Composite id of the schema.'), protocol: idProtocolParameter },
    data: sdkSchema,
    about: ({ id }) => aboutIds([id], 'schema'),
    answer: async (reader, values) => {
      const id = ofProtocol(values.id, values.protocol)
      const schema = id.kind === 'known' ? await reader.findSchema(id.value) : null
      if (schema === null) throw notIndexed('schema', id)
      return { data: presentSdkSchema(schema) }
    },
  })

  addEndpoint(app, context, {
    path: '/index/attestations',
    summary: "Attestations, newest first, as Sign Protocol's SDK reads them; filters combine",
    description:
      'Every member of an attestation and of its schema; times are in milliseconds. `mode=offchain` lists the records of the off-chain store.',
    parameters: sdkAttestationParameters,
    undefinedIsAbsent: true,
    data: Type.Union([pageOf(sdkAttestation), pageOf(singleOffchain)]),
    about: ({ id, schemaId }) => {
      if (id !== null) return aboutIds([id], 'attestation')
      return schemaId === null ? aboutChains(null) : aboutIds([schemaId], 'schema')
    },
    answer: async (reader, values, url) => {
      const { id, schemaId, protocol, attester, indexingValue, mode, page, size } = values
      const recipient = recipientNamed(values.recipient)
      const request = { page, size }
      if (mode === 'offchain') {
        const filter = {
          id: id && textOf(id),
          schemaId: schemaId && textOf(schemaId),
          signer: attester,
          recipient,
          indexingValue,
          protocol,
        } as const
        return await context.offchainRecords.sdk.listAttestations(reader, { filter, request, url })
      }
      if (isUnknown(id) || isUnknown(schemaId)) return answerPage(url, request, noRows, (row) => row)
      const filter = { schema: schemaId?.value ?? null, attester, recipient, indexingValue }
      const found =
        id === null
          ? await reader.listAttestations(
              { filter: { ...everyAttestation, ...filter, protocol } },
              request,
              pageFields,
            )
          : pageOfOne(await findWithin(context, reader, { ...id.value, protocol }, filter), request)
      refuseLong(found.rows)
      const schemas = await findSchemasOf(reader, found.rows)
      return await presentWhole(reader, found.rows, context, (rows) =>
        Promise.resolve(
          answerPage(
            url,
            request,
            { total: found.total, rows: rows.filter((row) => row !== null) },
            (attestation) =>
              presentSdkAttestation(attestation, schemas.get(schemaKeyOf(attestation)) ?? null),
          ),
        ),
      )
    },
  })

  addEndpoint(app, context, {
    path: '/index/attestations/:id',
    summary: "An attestation by its composite id, as Sign Protocol's SDK reads it",
    description: 'Every member of the attestation and of its schema; times are in milliseconds.',
    parameters: {
      id: recordIdParameter('Composite id of the attestation.'),
      protocol: idProtocolParameter,
      signer: signerParameter,
    },
    data: Type.Union([sdkAttestation, singleOffchain]),
    about: ({ id }) => aboutIds([id], 'attestation'),
    answer: async (reader, values) => {
      const id = ofProtocol(values.id, values.protocol)
      checkSigner(id, values.signer)
      const offchain = await context.offchainRecords.sdk.find(reader, id, values.signer)
      if (offchain !== null) return { data: offchain, followsClock: true }
      const attestation = id.kind === 'known' ? await reader.findAttestation(id.value) : null
      if (attestation === null) throw notIndexed('attestation', id)
      const schemaKey = attestation.schema?.key
      const schema = schemaKey === undefined ? null : await reader.findSchema(schemaKey)
      return { data: presentSdkAttestation(attestation, schema) }
    },
  })
}

/** An id as it names an off-chain record: Sign Protocol's by itself, EAS's by its uid. */
function textOf(id: Identified<RecordKey>): string {
  return id.kind === 'known' ? formatCompositeId(id.value) : (parseOffchainId(id.text) ?? id.text)
}

/** The attestation with an id, where it passes the filters that stand beside the id. */
async function findWithin(
  { decodePayload }: ApiContext,
  reader: PastReader,
  key: RecordKey,
  {
    schema: wanted,
    indexingValue,
    ...filter
  }: Pick<AttestationFilter, 'schema' | 'attester' | 'recipient' | 'indexingValue'>,
): Promise<StoredAttestation | null> {
  const [attestation, schema] = await Promise.all([
    reader.findAttestation(key),
    wanted && reader.findSchema({ ...wanted, protocol: key.protocol ?? null }),
  ])
  if (attestation === null) return null
  const others = { ...filter, schema: schema?.key ?? wanted, chainId: null, protocol: null, fields: [] }
  if (!passesFilter(others, attestationSubject(attestation, decodePayload))) return null
  if (indexingValue === null) return attestation
  const own = indexingValueOf(detailOf(attestation.detail))
  return valueMatchKey(own) === valueMatchKey(indexingValue) ? attestation : null
}

/** The schemas of a page, each read once, by their keys. */
async function findSchemasOf(
  reader: PastReader,
  attestations: readonly StoredAttestation[],
): Promise<ReadonlyMap<string, StoredSchema>> {
  const keys = new Map(
    attestations.flatMap((attestation) =>
      attestation.schema === null ? [] : [[schemaKeyOf(attestation), attestation.schema.key] as const],
    ),
  )
  const found = keys.size === 0 ? [] : await reader.findSchemas([...keys.values()])
  return new Map(
    found.flatMap((schema) => (schema === null ? [] : [[recordKeyText(schema.key), schema] as const])),
  )
}

function schemaKeyOf({ schema }: StoredAttestation): string {
  return schema === null ? '' : recordKeyText(schema.key)
}

function notIndexed(kind: 'schema' | 'attestation', id: Identified<RecordKey>): NotFoundError {
  return new NotFoundError(`No ${kind} ${shownId(id)} is indexed here; /index/${kind}s lists those that are.`)
}

/** Bytes of the long payloads of a page. A page of one row has any. */
const pageBytesMax = 4 * 1024 * 1024

/** @throws BadParameterError if a page of several rows has too many bytes of long payloads. */
function refuseLong(rows: readonly StoredAttestation[]): void {
  let bytes = 0
  for (const [index, { unreadBytes = 0 }] of rows.entries()) {
    bytes += unreadBytes
    if (bytes <= pageBytesMax || index === 0) continue
    throw new BadParameterError(
      `size: the rows of this page have more than ${pageBytesMax.toLocaleString('en')} bytes of data; the first ` +
        `${index} of them have fewer.`,
    )
  }
}
