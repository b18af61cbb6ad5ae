import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type, type TSchema } from 'typebox'
import { NotFoundError, OffchainRefusedError } from '@attestry/core/errors/apiErrors.ts'
import { isTombstone, type StoredOffchain } from '../offchainStore/offchainStore.ts'
import type { OffchainContext } from './offchainContext.ts'
import { addEndpoint } from '@attestry/server/pipeline/addEndpoint.ts'
import { aboutChains } from '@attestry/server/pipeline/asOf/openView.ts'
import { addBodyParser } from '@attestry/server/pipeline/bodies/readBodies.ts'
import { errorAnswerOf } from '@attestry/server/pipeline/errorAnswer.ts'
import { corsHeaders, jsonContentType } from '@attestry/server/pipeline/headers.ts'
import { recordIdParameter, shownId } from '@attestry/server/pipeline/parameters/idParameters.ts'
import { presentSignSchema } from './presentOffchain.ts'
import { writerOf, type OffchainStorage } from './offchainStorage.ts'
import { signSchemaAnswer } from '@attestry/server/records/offchainSchemas.ts'
import { signedBody, storeAnswer, storeFacts, storeRequest } from './storeSchemas.ts'
import { deleted, storeStatement, type StatementKind } from './storeStatement.ts'

/** A text of the largest size, quoted once more as JSON. */
const bytesMax = 512 * 1024

interface WritePath {
  readonly path: string
  readonly wanted: StatementKind
  readonly summary: string
  readonly description: string
  readonly request: { readonly schema: TSchema; readonly example: unknown }
  readonly answer: { readonly schema: TSchema; readonly example: unknown }
  /** The body of the answer. */
  readonly present: (entry: StoredOffchain) => object
}

const exampleUid = `0x${'5a'.repeat(32)}`
const exampleBody = {
  signType: 'evm-eip712',
  publicKey: `0x${'11'.repeat(20)}`,
  signature: `0x${'22'.repeat(65)}`,
  message: '{"domain":{"name":"sign.global","version":"1"}}',
}

/** The paths that store statements (docs/offchain.md, "The store"): easscan's, and those of Sign Protocol's client. */
const writePaths: readonly WritePath[] = [
  {
    path: '/offchain/store',
    wanted: 'eas',
    summary: 'Stores an off-chain attestation of EAS or BAS that passes all checks, as easscan does',
    description: 'A statement that fails a check is refused with a 422 that says why.',
    request: { schema: storeRequest, example: { filename: 'eas.txt', textJson: '{"sig":{},"signer":"0x"}' } },
    answer: {
      schema: storeAnswer,
      example: {
        error: null,
        ipfsHash: 'Qm',
        offchainAttestationId: exampleUid,
        id: `offchain_evm_1_${exampleUid}`,
      },
    },
    present: ({ contentId, localId, id }) => ({
      error: null,
      ipfsHash: contentId,
      offchainAttestationId: localId,
      id,
    }),
  },
  ...(
    [
      ['/sp/schemas', 'schema', ({ id }) => ({ schemaId: id })],
      [
        '/sp/attestations',
        'attestation',
        ({ id, body }) => ({ attestationId: id, indexingValue: body.indexingValue }),
      ],
      ['/sp/revoke-attestation', 'revocation', ({ id }) => ({ attestationId: id })],
    ] as const satisfies readonly (readonly [string, StatementKind, (entry: StoredOffchain) => object])[]
  ).map(([path, wanted, present]): WritePath => ({
    path,
    wanted,
    summary: `Stores a signed ${wanted} of Sign Protocol, as its client sends it in off-chain mode`,
    description: 'A statement that fails a check is refused with a 422 that says why.',
    request: { schema: signedBody(wanted), example: { ...exampleBody, [wanted]: '{}' } },
    answer: {
      schema: Type.Object(
        { data: Type.Object({}, { additionalProperties: true }) },
        { additionalProperties: true },
      ),
      example: { success: true, statusCode: 200, data: {}, message: '' },
    },
    present: (entry) => ({ success: true, statusCode: 200, data: present(entry), message: 'ok' }),
  })),
]

/** The paths of the store. A server without one only says so. */
export function addStoreEndpoints(app: FastifyInstance, context: OffchainContext): void {
  const { storage } = context
  addEndpoint(app, context, {
    path: '/offchain/store',
    summary: 'Whether this server stores off-chain attestations, and from whom',
    description: 'Says whether storing needs a key, and how much may be stored within a day.',
    parameters: {},
    data: storeFacts,
    about: () => aboutChains([]),
    answer: () => Promise.resolve({ data: factsOf(storage) }),
  })
  if (storage === null) return
  for (const path of writePaths) addWriteEndpoint(app, context, storage, path)
  addEndpoint(app, context, {
    path: '/sp/schemas/:id',
    summary: 'A stored schema of Sign Protocol, as its client reads it in off-chain mode',
    description: 'The schema as it was signed. A deleted one is a 410.',
    parameters: { id: recordIdParameter('Id of the schema, SPS_….') },
    data: signSchemaAnswer,
    about: () => aboutChains([]),
    answer: async (_reader, { id }) => {
      const text = id.kind === 'unknown' ? id.text : ''
      const found = text.startsWith('SPS_') ? await storage.store.find(text) : null
      if (found === null)
        throw new NotFoundError(`No schema ${shownId(id)} is stored here.`, { mayCome: false })
      if (isTombstone(found)) throw deleted(text)
      return { data: presentSignSchema(found), followsClock: true }
    },
  })
}

function factsOf(storage: OffchainStorage | null) {
  if (storage === null) return { stores: false, needsKey: true, quota: null }
  const { writers, quota } = storage
  return { stores: true, needsKey: writers !== 'anyone', quota }
}

function addWriteEndpoint(
  app: FastifyInstance,
  context: OffchainContext,
  storage: OffchainStorage,
  { path, wanted, summary, description, request: described, answer, present }: WritePath,
): void {
  // A scope of its own: its parser of bodies serves only this path.
  app.register((scope, _options, done) => {
    // A client that may not store is refused before its body is read.
    scope.addHook('onRequest', async ({ raw }) => void writerOf(storage, raw))
    addBodyParser(scope, context.bodies, { bytesMax, anyDepth: true })
    scope.route({
      method: 'POST',
      url: path,
      config: {
        operation: {
          method: 'post',
          summary,
          description,
          parameters: {},
          request: described,
          body: { mediaType: 'application/json', description: 'What was stored.', ...answer },
        },
      },
      handler: async ({ body, raw }, reply) => {
        const by = writerOf(storage, raw)
        const sent = typeof body === 'string' ? body : ''
        try {
          const entry = await storeStatement(context, storage, { text: textOf(sent, wanted), wanted, by })
          return await reply
            .headers({ 'content-type': jsonContentType, 'cache-control': 'no-store', ...corsHeaders })
            .send(JSON.stringify(present(entry)))
        } catch (error) {
          if (wanted !== 'eas' || !(error instanceof OffchainRefusedError)) throw error
          return await sendRefusal(reply, error)
        }
      },
    })
    done()
  })
}

/** A refusal that easscan's clients read too: by `error`. */
function sendRefusal(reply: FastifyReply, error: OffchainRefusedError) {
  const { statusCode, message } = errorAnswerOf(error)
  const nothing = { error: message, ipfsHash: null, offchainAttestationId: null }
  return reply
    .code(statusCode)
    .headers({ 'content-type': jsonContentType, 'cache-control': 'no-store', ...corsHeaders })
    .send(JSON.stringify({ success: false, statusCode, message, data: {}, ...nothing }))
}

/** The text that is stored: that of a file as easscan takes it, or the body itself. */
function textOf(sent: string, wanted: StatementKind): string {
  if (wanted !== 'eas') return sent
  try {
    const { textJson } = JSON.parse(sent) as { readonly textJson?: unknown }
    return typeof textJson === 'string' ? textJson : sent
  } catch {
    // The check of the format says what is wrong.
    return sent
  }
}
